/**
 * Damaged, lying and oversized archives and XML: each ends quickly with its status, and nothing is
 * left behind.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { decodeXml, scanOfficeXml } from "../../plugins/extraction/office/xml";
import { utf16 } from "../helpers/encode";
import { testExtraction } from "../helpers/extraction";
import {
  docx,
  docxParts,
  opendocument,
  pptx,
  shape,
  sharedStrings,
  slide,
  ap,
  wp,
  xlsx,
  zip,
  w,
  type ZipContent,
} from "../helpers/office";

const extraction = testExtraction();
afterAll(() => extraction.stop());
const { read, fail } = extraction;

const body = (xml: string): string =>
  `<?xml version="1.0"?><w:document ${w}><w:body>${xml}</w:body></w:document>`;
const main = "word/document.xml";
const row = `<row><c t="str"><v>Harbour</v></c></row>`;
/** A quarter of a gigabyte of spaces, compressed. */
const bomb = (): Uint8Array => deflateRawSync(Buffer.alloc(256 * 1024 * 1024, 32));

describe("read", () => {
  const parts = docxParts(wp("Harbour"));
  const cases: [reason: string, bytes: Uint8Array][] = [
    ["whatever its name says", zip(parts)],
    [
      "uncompressed parts",
      zip(
        Object.fromEntries(
          Object.entries(parts).map(([name, data]) => [
            name,
            { data: data as string, stored: true },
          ]),
        ),
      ),
    ],
    ["sizes and offsets in Zip64", zip(parts, { wide: true })],
    ["something in front of the archive", zip({ ...parts }, { before: "PK\x03\x04 junk" })],
    ["the directory is lost", zip(parts, { directory: false })],
    [
      "wrong sizes on small parts",
      zip({ ...parts, [main]: { data: body(wp("Harbour")), claimed_bytes: 2_000_000_000 } }),
    ],
    [
      "names with backslashes and different case",
      zip(
        Object.fromEntries(
          Object.entries(parts).map(([name, data]) => [name.replace("word/", "Word\\"), data]),
        ),
      ),
    ],
    [
      "a main part in UTF-16",
      zip({ ...parts, [main]: utf16(body(wp("Harbour")).replace("?>", ` encoding="UTF-16"?>`)) }),
    ],
    [
      "an entity that would expand a billionfold is never expanded",
      zip({
        ...parts,
        [main]: `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${body(wp("Harbour"))}`,
      }),
    ],
    [
      "a hundred thousand nested elements",
      zip({
        ...parts,
        [main]: body(`${"<w:x>".repeat(100_000)}${wp("Harbour")}${"</w:x>".repeat(100_000)}`),
      }),
    ],
    [
      "nested tables and text boxes",
      zip({
        ...parts,
        [main]: body(
          `${"<w:tbl><w:tr><w:tc><w:p><w:r><w:txbxContent>".repeat(20_000)}${wp("Harbour")}` +
            `${"</w:txbxContent></w:r></w:p></w:tc></w:tr></w:tbl>".repeat(20_000)}`,
        ),
      }),
    ],
    [
      "markup that is never closed",
      zip({ ...parts, [main]: `<w:document ${w}><w:body>${wp("Harbour")}<w:p a='<w:t>` }),
    ],
  ];
  for (const [reason, bytes] of cases) {
    test(reason, async () => {
      const { text, media_type } = await read(bytes, { name: "anything.pdf" });
      expect([text, media_type]).toEqual([
        "Harbour",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      ]);
    });
  }

  test("a damaged part becomes a warning, and the rest is read", async () => {
    const slides = pptx([slide(shape(ap("One"))), slide(shape(ap("Two")))], {
      "ppt/slides/slide1.xml": { data: "x", packed: Buffer.from("\xff\xff\xff", "latin1") },
    });
    const { text, warnings } = await read(slides);
    expect([text, warnings.map(({ code }) => code)]).toEqual(["One", ["part_damaged"]]);
    expect(
      (await read(zip(docxParts(wp("Harbour")), { directory: false }))).warnings.map(
        ({ code }) => code,
      ),
    ).toEqual(["damaged_file"]);
  });

  test("columns that many elements hide are hidden once", async () => {
    const column = `<col min="1" max="1000000000" hidden="1"/>`;
    const { text } = await read(
      xlsx({ S: `</sheetData><cols>${column.repeat(200_000)}</cols><sheetData>` + row }),
    );
    expect(text).toBe("# S");
  }, 60_000);

  test("a document may refer to each of a hundred thousand related parts", async () => {
    const ids = Array.from({ length: 100_000 }, (_, at) => `r${at}`);
    const uses = ids.map((id) => `<w:altChunk r:id="${id}"/>`.repeat(2));
    const related = Object.fromEntries(ids.map((id) => [id, ["aFChunk", `${id}.xml`] as const]));
    const { text, warnings } = await read(docx(uses.join("") + wp("Harbour"), {}, related));
    expect([text, warnings.length]).toEqual(["Harbour", 1]);
  }, 60_000);

  test("of hundreds of warnings, the first are kept, and long names are cut", async () => {
    const name = "long ".repeat(10_000);
    const hidden = `<row hidden="1"><c t="str"><v>Secret</v></c></row>`;
    const sheets = Array.from({ length: 150 }, (_, at): [string, string] => [
      `${at} ${name}`,
      hidden + row,
    ]);
    const { warnings, pages } = await read(xlsx(Object.fromEntries(sheets)));
    expect([warnings.length, warnings.at(-1)]).toEqual([
      50,
      {
        code: "warnings_left_out",
        message: "There are 101 further warnings.",
        page: null,
      },
    ]);
    expect(Math.max(...warnings.map(({ message }) => message.length))).toBe(500);
    expect(Math.max(...pages.map(({ label }) => label!.length))).toBe(120);
  });

  test("templates and documents with macros have their own media types", async () => {
    const typeOf = async (type: string): Promise<string> =>
      (await read(docx(wp("x"), {}, {}, type))).media_type;
    expect(
      await typeOf(
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
      ),
    ).toBe("application/vnd.openxmlformats-officedocument.wordprocessingml.template");
    expect(await typeOf("application/vnd.ms-word.document.macroEnabled.main+xml")).toBe(
      "application/vnd.ms-word.document.macroEnabled.12",
    );
  });
});

describe("refused", () => {
  const parts = docxParts(wp("Harbour"));
  const cut = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length / 2);
  const many: ZipContent = Object.fromEntries(
    Array.from({ length: 20_001 }, (_, at) => [`x${at}`, { data: "", stored: true }]),
  );
  const cases: [reason: string, make: () => Uint8Array, code: string, message: RegExp][] = [
    [
      "a zip bomb",
      () => zip({ ...parts, [main]: { data: "", packed: bomb() } }),
      "too_large",
      /unpacked/,
    ],
    [
      "a zip bomb whose header claims a small size",
      () => zip({ ...parts, [main]: { data: "", packed: bomb(), claimed_bytes: 100 } }),
      "too_large",
      /unpacked/,
    ],
    [
      "many parts that are too large together",
      () => pptx(Array.from({ length: 4 }, () => slide(" ".repeat(48 * 1024 * 1024)))),
      "too_large",
      /unpacked/,
    ],
    ["too many parts", () => zip({ ...parts, ...many }), "too_large", /too many/],
    [
      "thousands of slides in one part",
      () =>
        opendocument(
          "presentation",
          "<draw:page><draw:text-box><text:p>x</text:p></draw:text-box></draw:page>".repeat(6_000),
        ),
      "too_large",
      /6000 pages.+5000/,
    ],
    [
      "a long text shared by a million cells",
      () =>
        xlsx(
          { S: `<row>${`<c t="s"><v>0</v></c>`.repeat(100_000)}</row>` },
          { "xl/sharedStrings.xml": sharedStrings("long ".repeat(200_000)) },
          { s: ["sharedStrings", "sharedStrings.xml"] },
        ),
      "too_large",
      /longer/,
    ],
    [
      "a password-protected archive",
      () => zip({ ...parts, [main]: { data: "noise", encrypted: true } }),
      "encrypted",
      /password/,
    ],
    [
      "a damaged main part",
      () => zip({ ...parts, [main]: { data: "x", packed: Buffer.from("\xff\xff\xff", "latin1") } }),
      "corrupt",
      /damaged/,
    ],
    [
      "a truncated document",
      () =>
        cut(zip({ ...parts, [main]: { data: body(wp("Harbour ".repeat(5_000))), stored: true } })),
      "corrupt",
      /damaged/,
    ],
    [
      "a presentation whose only slide is damaged",
      () =>
        pptx([slide(shape(ap("One")))], {
          "ppt/slides/slide1.xml": { data: "x", packed: Buffer.from("\xff\xff\xff", "latin1") },
        }),
      "corrupt",
      /damaged/,
    ],
    [
      "a document that is cut off before its text",
      () => zip(docxParts(""), { directory: false }),
      "corrupt",
      /damaged/,
    ],
    [
      "a missing main part",
      () => zip({ ...parts, [main]: { data: "", stored: true } }),
      "empty",
      /no text/,
    ],
    [
      "an archive that is not a document",
      () => zip({ "notes.txt": "words" }),
      "unsupported_type",
      /ZIP archive/,
    ],
    ["an empty archive", () => zip({}), "corrupt", /damaged/],
    ["only the first bytes", () => Buffer.from("PK\x03\x04", "latin1"), "corrupt", /damaged/],
    [
      "a binary workbook",
      () =>
        zip({
          ...docxParts("", {}, {}, "application/vnd.ms-excel.sheet.binary.macroEnabled.main"),
        }),
      "unsupported_type",
      /xlsb/,
    ],
  ];
  for (const [reason, make, code, message] of cases) {
    test(
      reason,
      async () => {
        const failure = await fail(make(), { name: "file.docx" });
        expect(failure.code).toBe(code as typeof failure.code);
        expect(failure.message).toMatch(message);
        expect(extraction.leftovers()).toEqual([]);
      },
      30_000,
    );
  }
});

describe("XML", () => {
  const seen = (xml: string): string => {
    const pieces: string[] = [];
    scanOfficeXml(xml, {
      open: (tag) => {
        pieces.push(`<${tag.name}>`);
        if (tag.name === "skip") return "skip";
      },
      close: (name) => pieces.push(`</${name}>`),
      text: (text) => pieces.push(text),
    });
    return pieces.join("");
  };
  const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const cases: [reason: string, xml: string, events: string][] = [
    [
      "prefixes follow the namespace",
      `<x:p xmlns:x="${word}"><x:t/></x:p><x:p/>`,
      "<w:p><w:t></w:t></w:p><x:p></x:p>",
    ],
    [
      "a default namespace, and one inside another",
      `<p xmlns="${word}"><p xmlns="urn:other"/><p/></p>`,
      "<w:p><p></p><w:p></w:p></w:p>",
    ],
    ["an undeclared prefix stays", "<w:p/>", "<w:p></w:p>"],
    [
      "comments, processing instructions, CDATA",
      "<a><!-- <b> --><?c <d>?><![CDATA[<e> &amp;]]></a>",
      "<a><e> &amp;</a>",
    ],
    [
      "a DOCTYPE with entities and elements",
      `<!DOCTYPE a [<!ENTITY b "]>"> <!ELEMENT a ANY>]><a>&b;</a>`,
      "<a>&b;</a>",
    ],
    ["a bracket in an attribute", `<a b="x>y" c='"'>d</a>`, "<a>d</a>"],
    ["a bracket that begins nothing", "<a>1 < 2</a>", "<a>1 < 2</a>"],
    [
      "a skipped element with nested elements of the same name",
      "<a><skip><b/><skip>x</skip><skip/>y</skip>z</a>",
      "<a><skip>z</a>",
    ],
    [
      "skipped elements, closed normally or never",
      "<a><skip><b/></skip>y<skip><!-- </skip> -->x</skip>z<skip>",
      "<a><skip>y<skip>z<skip>",
    ],
    [
      "numeric character references, invalid ones replaced",
      "<a>&#65;&#x1F6A2;&#0;&#xD800;&#x110000;</a>",
      "<a>A🚢\ufffd\ufffd\ufffd</a>",
    ],
    ["cut off within a tag, an attribute, a comment", "<a><b", "<a>"],
  ];
  for (const [reason, xml, events] of cases)
    test(reason, () => {
      expect(seen(xml)).toBe(events);
    });

  test("attributes: either quotes, prefixes, character references", () => {
    const values: (string | undefined)[] = [];
    const r = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    scanOfficeXml(`<a xmlns:q="${r}" id = '1' q:id="2" empty bare=3 text="&lt;&#10;"/>`, {
      open: (tag) => {
        values.push(...["id", "r:id", "empty", "bare", "text", "d"].map((name) => tag.get(name)));
      },
      close: () => {},
      text: () => {},
    });
    expect(values).toEqual(["1", "2", "", "3", "<\n", undefined]);
  });

  const encoded: [reason: string, bytes: Uint8Array][] = [
    ["UTF-8", Buffer.from("<a>é</a>")],
    ["UTF-8 with a mark", Buffer.from("\ufeff<a>é</a>")],
    ["UTF-16", utf16("<a>é</a>")],
    ["UTF-16, big end first", utf16("<a>é</a>", { big_endian: true })],
    ["UTF-16 without a mark", utf16("<a>é</a>", { mark: false })],
    [
      "as it declares",
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>`, "latin1"),
    ],
    ["as it declares wrongly", Buffer.from(`<?xml version="1.0" encoding="no-such"?><a>é</a>`)],
  ];
  for (const [reason, bytes] of encoded)
    test(reason, () => {
      expect(decodeXml(bytes).replace(/<\?.*\?>/, "")).toBe("<a>é</a>");
    });
});
