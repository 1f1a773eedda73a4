/**
 * Plain text: whatever its encoding and size, its content is read in full; other files are refused
 * with their type named.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { ExtractionFailure, type Extractor } from "../../plugins/extraction/contract";
import { announcedEncoding, decode } from "../../plugins/extraction/text/encoding";
import { encodeAs, utf16, utf32 } from "../helpers/encode";
import { testExtraction } from "../helpers/extraction";

const extraction = testExtraction();
afterAll(() => extraction.stop());
const { read, fail } = extraction;

const russian = "Капитан порта подписал разрешение на вход судна двенадцатого июня.\n";
const greek = "Ο λιμενάρχης υπέγραψε την άδεια για το πλοίο στις δώδεκα Ιουνίου.\n";
const german = "Der Hafenmeister prüfte die Löschgebühren für größere Schiffe über Nacht.\n";
const polish =
  "Kapitan portu podpisał zezwolenie na wejście statku dwunastego czerwca, zaś łódź czekała.\n";
const chinese = "港口管理局批准了海鸥号的入港申请。港口管理局每年都要检查北防波堤。\n";
const japanese = "港湾局はカモメ号の入港を許可しました。防波堤は三月に検査されました。\n";
const korean = "항만청은 갈매기호의 입항을 허가했습니다. 방파제는 삼월에 점검되었습니다.\n";
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

describe("the encoding is found", () => {
  const cases: [string, string, Uint8Array][] = [
    ["ASCII", "Plain words.\n", utf8("Plain words.\n")],
    ["UTF-8", russian, utf8(russian)],
    ["UTF-8 with a mark", russian, utf8(`\ufeff${russian}`)],
    ["UTF-16, little end first, with a mark", russian, utf16(russian)],
    ["UTF-16, big end first, with a mark", chinese, utf16(chinese, { big_endian: true })],
    ["UTF-16 without a mark", german, utf16(german, { mark: false })],
    [
      "UTF-16 big-endian without a byte order mark",
      german,
      utf16(german, { big_endian: true, mark: false }),
    ],
    [
      "UTF-16 of another alphabet without a byte order mark",
      russian.repeat(5),
      utf16(russian.repeat(5), { mark: false }),
    ],
    ["UTF-32, little end first", `${german}🚢`, utf32(`${german}🚢`)],
    ["UTF-32, big end first", `${german}🚢`, utf32(`${german}🚢`, { big_endian: true })],
    ["Windows-1251", russian, encodeAs("windows-1251", russian)],
    ["KOI8-R", russian, encodeAs("koi8-r", russian)],
    ["IBM866", russian, encodeAs("ibm866", russian)],
    ["Windows-1253", greek, encodeAs("windows-1253", greek)],
    ["Windows-1252", german, encodeAs("windows-1252", german)],
    ["Windows-1250", polish, encodeAs("windows-1250", polish)],
    ["GB 18030", chinese, encodeAs("gb18030", chinese)],
    ["Shift_JIS", japanese, encodeAs("shift_jis", japanese)],
    ["EUC-JP", japanese, encodeAs("euc-jp", japanese)],
    ["ISO-2022-JP", "港の\n", utf8("\u001b$B9A$N\u001b(B\n")],
    ["EUC-KR", korean, encodeAs("euc-kr", korean)],
    [
      "Big5",
      "港口管理局批准了海鷗號的入港申請。\n",
      encodeAs("big5", "港口管理局批准了海鷗號的入港申請。\n"),
    ],
  ];
  for (const [why, text, bytes] of cases)
    test(why, async () => {
      expect((await read(bytes)).text).toBe(text);
    });

  test("also when the first non-ASCII character comes late", async () => {
    const ascii = "The tidal gauge reads 4.72 metres.\n".repeat(50_000);
    expect((await read(joined(utf8(ascii), encodeAs("windows-1251", russian)))).text).toBe(
      ascii + russian,
    );
  });
});

describe("the text is whole and clean", () => {
  const cases: [string, string | Uint8Array, string][] = [
    ["line breaks of Windows", "one\r\ntwo\r\n", "one\ntwo\n"],
    ["line breaks of the old Macintosh", "one\rtwo\r", "one\ntwo\n"],
    ["a few zero characters", `${"word ".repeat(100)}\0end`, `${"word ".repeat(100)}end`],
    ["half a character at the end", utf8("Łódź").slice(0, -1), "Łód\ufffd"],
    [
      "one broken byte in long UTF-8",
      joined(utf8(russian), new Uint8Array([0xff]), utf8(russian)),
      `${russian}\ufffd${russian}`,
    ],
    [
      "an unpaired surrogate in UTF-16",
      joined(utf16("ship "), new Uint8Array([0x3d, 0xd8]), utf16(" ahoy", { mark: false })),
      "ship \ufffd ahoy",
    ],
    [
      "a DOS end-of-file mark and escape sequences",
      "\u001b[1mbold\u001b[0m text\u001a",
      "\u001b[1mbold\u001b[0m text\u001a",
    ],
  ];
  for (const [why, bytes, text] of cases)
    test(why, async () => {
      expect((await read(bytes)).text).toBe(text);
    });

  test("undecodable bytes give a warning", async () => {
    expect(
      (await read(joined(utf8(russian), new Uint8Array([0xff])))).warnings.map(({ code }) => code),
    ).toEqual(["damaged_text"]);
    expect((await read(`${russian}\ufffd`)).warnings).toEqual([]);
  });

  test("with chunk boundaries anywhere", () => {
    const bytes = utf8("\r\nи\r\n\rŁ🚢\r");
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = () =>
        Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
      expect(
        [...decode(chunks, { label: "utf-8", skip: 0, exact: true })]
          .map(({ text }) => text)
          .join(""),
      ).toBe("\nи\n\nŁ🚢\n");
    }
    const wide = utf32("и🚢");
    for (let size = 1; size <= wide.length; size++) {
      const chunks = () =>
        Array.from({ length: Math.ceil(wide.length / size) }, (_, i) =>
          wide.subarray(i * size, (i + 1) * size),
        );
      expect([...decode(chunks, announcedEncoding(wide)!)].map(({ text }) => text).join("")).toBe(
        "и🚢",
      );
    }
  });

  test("a file too large to read at once gives the same text", async () => {
    const text = `${russian}${chinese}🚢\r\n`.repeat(20_000);
    expect((await read(text)).text).toBe(text.replaceAll("\r\n", "\n"));
    expect(extraction.leftovers()).toEqual([]);
  });

  test("a table of a million short rows is not held as a whole", async () => {
    const rows = Array.from({ length: 1_000_000 }, (_, at) => `${at},buoy`).join("\n");
    const { text, media_type } = await read(`number,name\n${rows}\n`, { name: "buoys.csv" });
    expect(media_type).toBe("text/csv");
    expect(text.slice(0, 50)).toStartWith("| number | name |\n| --- | --- |\n| 0 | buoy |\n");
    expect(text.slice(-50)).toEndWith("| 999998 | buoy |\n| 999999 | buoy |\n");
  });
});

describe("the media type", () => {
  const cases: [string, { name: string; declared_type?: string }, string][] = [
    ["is plain text", { name: "notes.txt" }, "text/plain"],
    ["is Markdown by its name", { name: "README.MD" }, "text/markdown"],
    [
      "is Markdown when the uploader says so",
      { name: "notes", declared_type: "Text/Markdown; charset=utf-8" },
      "text/markdown",
    ],
    ["ignores a wrong file name", { name: "notes.pdf" }, "text/plain"],
  ];
  for (const [why, source, type] of cases)
    test(why, async () => {
      expect((await read("# Moorings\n", source)).media_type).toBe(type);
    });
});

describe("refused", () => {
  const zip = (name: string): string =>
    `PK\x03\x04\x14\0\0\0\x08\0${"\0".repeat(16)}${String.fromCharCode(name.length)}\0\0\0${name}`;
  const latin = (text: string): Uint8Array => Buffer.from(text, "latin1");
  const noise = (size: number): Uint8Array =>
    deflateRawSync(
      Uint8Array.from({ length: size }, (_, i) => (i * i * 31 + (i >> 3) * 7) % 251),
      { level: 9 },
    );
  const cases: [string, string | Uint8Array, string, RegExp][] = [
    ["an empty file", "", "empty", /empty/],
    ["white space alone", " \r\n\t\u00a0\u3000", "empty", /blank/],
    ["a byte order mark alone", utf16(""), "empty", /blank/],
    ["an archive", latin(zip("anything.txt")), "unsupported_type", /ZIP archive/],
    [
      "an old Office file",
      latin(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${"\0".repeat(100)}`),
      "unsupported_type",
      /older kind/,
    ],
    ["a damaged picture", latin(`\x89PNG\r\n\x1a\n${"\0".repeat(100)}`), "corrupt", /image/i],
    ["an RTF document", "{\\rtf1\\ansi Words}", "unsupported_type", /RTF/],
    ["a compressed file", gzipSync("words"), "unsupported_type", /gzip.*, which can't be read\.$/],
    ["a program", latin(`\x7fELF${"\0\x01\x02".repeat(100)}`), "unsupported_type", /program/],
    ["bytes that nobody knows", noise(50_000), "unsupported_type", /type is not known/],
    [
      "bytes with zeros like UTF-16",
      Uint8Array.from({ length: 2_000 }, (_, i) => (i % 2 ? 0 : i % 32)),
      "unsupported_type",
      /not known/,
    ],
    [
      "a program after a text",
      joined(utf8("#!/bin/sh\nexit\n".repeat(100)), noise(200_000)),
      "unsupported_type",
      /not known/,
    ],
  ];
  for (const [why, bytes, code, message] of cases) {
    test(why, async () => {
      const failure = await fail(bytes, { name: "file.txt", declared_type: "text/plain" });
      expect(failure.code).toBe(code as typeof failure.code);
      expect(failure.message).toMatch(message);
    });
  }

  const texts = [
    "OTTO von Bismarck",
    "ID3 tags hold the title",
    "GIF89a is a format",
    "BMW",
    "MZ",
    "RIFF",
    "PK",
    "The ftyp box",
    "7z",
    "<htmlish>",
    "Rar!",
    "%PDF",
    "8BPS",
    "# {\\rtf",
  ];
  for (const text of texts)
    test(`not a text that begins with \`${text}\``, async () => {
      expect((await read(`${text} and more.\n`)).media_type).toBe("text/plain");
    });

  test("a page of thousands of comments is handled quickly", async () => {
    expect((await read(`${"<!---->".repeat(9_000)}words`)).media_type).toBe("text/plain");
  });

  test("too much text, read at once or in a child", async () => {
    const small = testExtraction({ limits: { characters_max: 1_000 } });
    for (const length of [1_001, 400_000])
      expect((await small.fail("x".repeat(length))).code).toBe("too_large");
    expect((await small.read("x".repeat(1_000))).text).toHaveLength(1_000);
    await small.stop();
  });
});

describe("which extractor reads", () => {
  const extractor = (name: string, rank: number, text: string): Extractor => ({
    rank,
    recognises: (head) => head[0] === 0x21,
    extract: async () => ({
      text,
      media_type: `text/${name}`,
      pages: [],
      page_count: null,
      warnings: [],
    }),
  });

  test("the highest-ranked one that recognises the file", async () => {
    const other = testExtraction({
      extractors: [extractor("low", 1, "low"), extractor("high", 200, "high")],
    });
    expect((await other.read("!bang")).text).toBe("high");
    expect((await other.read("bang!")).text).toBe("bang!");
    await other.stop();
  });

  test("a plugin's text is repaired without shifting offsets, and never blank", async () => {
    const careless = testExtraction({ extractors: [extractor("careless", 1, "a\0b\ud800c")] });
    expect((await careless.read("!")).text).toBe("a b\ufffdc");
    await careless.stop();
    const blank = testExtraction({ extractors: [extractor("blank", 1, " \n")] });
    expect((await blank.fail("!")).code).toBe("empty");
    await blank.stop();
  });

  test("an abort is not a failure of the file", async () => {
    const reason = new Error("the server stops");
    const run = extraction.read(encodeAs("windows-1251", russian), {
      signal: AbortSignal.abort(reason),
    });
    expect(await run.catch((error: unknown) => error)).toBe(reason);
    expect(reason).not.toBeInstanceOf(ExtractionFailure);
  });
});
