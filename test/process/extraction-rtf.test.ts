/**
 * RTF: groups, many encodings, tables, notes and headers; what isn't text is left out; damaged and
 * hostile files end in time.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { encodeAs } from "../helpers/encode";
import { testExtraction } from "../helpers/extraction";

const extraction = testExtraction({ all: true });
afterAll(() => extraction.stop());
const { read, fail } = extraction;

/** The bytes of this text, escaped for RTF. */
const hex = (encoding: Parameters<typeof encodeAs>[0], text: string): string =>
  Array.from(encodeAs(encoding, text), (byte) => `\\'${byte.toString(16).padStart(2, "0")}`).join(
    "",
  );
const font = (number: number, charset: number, name = "Arial"): string =>
  `{\\f${number}\\fnil\\fcharset${charset} ${name};}`;
const fonts = (...all: string[]): string => `{\\fonttbl${all.join("")}}`;

const cases: [string, string, string][] = [
  ["words and paragraphs", "One\\par Two\\par", "One\n\nTwo"],
  ["line breaks in the file mean nothing", "One \r\ntwo\r\nthree\\par", "One twothree"],
  ["a backslash at the end of a line ends a paragraph", "One\\\nTwo", "One\n\nTwo"],
  ["signs that stand for themselves", "a \\{b\\} \\\\c", "a {b} \\c"],
  [
    "named characters",
    "\\ldblquote x\\rdblquote\\emdash y\\~z\\_w\\-v\\bullet\\tab u\\line t",
    "“x”—y\u00a0z\u2011wv•\tu\nt",
  ],
  ["numbers of characters, with a stand-in", "\\u1055?\\u1086 ?\\u-10180?\\u-8430?", "По🌒"],
  ["stand-ins of several letters", "{\\uc2 \\u1055ab\\u1086\\'41\\'42x}\\u1088?y", "Поxрy"],
  ["no stand-ins", "\\uc0\\u1055\\u1086x", "Поx"],
  ["a stand-in does not reach out of its group", "{\\u1055}x", "Пx"],
  ["the code page of the document", `\\ansicpg1251 ${hex("windows-1251", "Порт")}`, "Порт"],
  [
    "the character set of a font",
    `${fonts(font(0, 0), font(1, 204), font(2, 161))}\\f1 ${hex("windows-1251", "Порт")} {\\f2 ${hex("windows-1253", "Ο λιμένας")}} \\f0 \\'e9`,
    "Порт Ο λιμένας é",
  ],
  [
    "the font of the document",
    `\\deff1${fonts(font(0, 0), font(1, 238))}${hex("windows-1250", "Łódź")}`,
    "Łódź",
  ],
  [
    "a font table without groups",
    "{\\fonttbl\\f0\\fcharset0 Arial;\\f1\\fcharset204 Arial Cyr;}\\f1\\'cf",
    "П",
  ],
  [
    "two-byte characters, one byte of them unescaped",
    `${fonts(font(0, 128))}\\f0 \\'83A\\'83\\\\x${hex("shift_jis", "港")}`,
    "アソx港",
  ],
  ["two-byte characters split by a line break", `${fonts(font(0, 134))}\\f0\\'b8\r\n\\'db`, "港"],
  ["letters of the font Symbol", `${fonts(font(0, 2, "Symbol"))}\\f0 abg\\'b7\\u-3999?`, "αβγ•α"],
  ["raw bytes", `\\ansicpg1252 Caf\xe9`, "Café"],
  [
    "fields show their results",
    'See {\\field{\\*\\fldinst HYPERLINK "http://a.b"}{\\fldrslt page {\\b 7}}}.',
    "See page **7**.",
  ],
  [
    "tables",
    "Before\\par\\trowd\\cellx1\\cellx2\\pard\\intbl A\\cell B\\cell\\row\\pard\\intbl " +
      "C\\cell\\cell\\row\\pard After\\par",
    "Before\n\n| A | B |\n| --- | --- |\n| C |  |\n\nAfter",
  ],
  [
    "paragraphs in a cell",
    "\\trowd\\pard\\intbl A\\cell B\\cell\\row One\\par two\\cell C\\cell\\row",
    "| A | B |\n| --- | --- |\n| One<br>two | C |",
  ],
  [
    "cells by their edges, including merged ones",
    "\\trowd\\cellx2000\\cellx3000\\intbl Ships\\cell Left\\cell\\row\\trowd\\cellx1000\\cellx2010" +
      "\\clvmrg\\cellx3000 in\\cell out\\cell x\\cell\\row",
    "| Ships |  | Left |\n| --- | --- | --- |\n| in | out |  |",
  ],
  [
    "nested tables",
    "\\pard\\intbl\\itap2 A\\nestcell " +
      "B\\nestcell{\\*\\nesttableprops\\nestrow}{\\nonesttables\\par}\\pard\\intbl\\itap1 " +
      "C\\cell\\row",
    "A\tB\n\nC",
  ],
  [
    "notes follow their paragraph",
    "One{\\footnote\\pard A note.\\par} two.\\par Three.\\par",
    "One two.\n\nA note.\n\nThree.",
  ],
  [
    "comments, without their authors",
    "One{\\*\\atnid A}{\\*\\atnauthor Ada}{\\*\\annotation Why?}.\\par",
    "One.\n\nWhy?",
  ],
  [
    "boxes",
    "One{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv 1}}{\\shptxt In a box\\par}}{\\shprslt Again}} two.",
    "One two.\n\nIn a box",
  ],
  [
    "headers and footers once, at the end",
    "{\\header Top\\par}{\\headerf Top\\par}{\\footer Foot\\par}Body\\par",
    "Body\n\nTop\n\nFoot",
  ],
  ["numbers of lists", "{\\listtext 1.\\tab}One\\par{\\pntext 2.\\tab}Two\\par", "1. One\n2. Two"],
  [
    "bullets of nested lists; a numbered heading stays a heading",
    "{\\listtext\\pard\\plain\\u8226\\'95\\tab}\\ilvl0 One\\par{\\listtext o\\tab}\\ilvl1 Two\\par" +
      "\\pard\\outlinelevel0{\\listtext\\pard 1.1\\tab}Title\\par",
    "- One\n  - Two\n\n# 1.1 Title",
  ],
  [
    "list numbers in cells are text",
    "\\pard\\intbl{\\listtext\\pard 1.\\tab}One\\cell Two\\cell\\row\\intbl A\\cell B\\cell\\row",
    "| 1. One | Two |\n| --- | --- |\n| A | B |",
  ],
  [
    "properties, pictures, objects, styles and unknown destinations are left out",
    "{\\info{\\title T}}{\\colortbl;\\red1;}{\\stylesheet{\\s1 Normal;}}{\\pict\\pngblip " +
      "89504e47}{\\*\\unknown x{y}}{\\object{\\*\\objdata 01}{\\result R}}Text",
    "RText",
  ],
  ["no binary data, whatever it holds", "{\\pict\\bin7 }}}{{{\\}One\\bin3 }}} two", "One two"],
  [
    "index entries, hidden and deleted text are left out",
    "One{\\xe two}{\\v three}{\\deleted four}\\v five\\v0 six\\deleted seven\\deleted0 eight",
    "Onesixeight",
  ],
  ["the part in Unicode where there are both", "{\\upr{plain}{\\*\\ud{\\u1055?}}}", "П"],
  [
    "a web page in an Outlook message",
    "{\\*\\htmltag <p>}\\htmlrtf {\\htmlrtf0 Text{\\*\\htmltag </p>}\\htmlrtf }\\htmlrtf0 .",
    "Text.",
  ],
  ["groups that are not closed", "One {\\b two {\\i three", "One **two** ***three***"],
  ["groups that are closed too often", "One}}} two", "One two"],
];

describe("the text of RTF", () => {
  for (const [why, rtf, expected] of cases) {
    test(why, async () => {
      const { text, pages, page_count, media_type } = await read(
        Buffer.from(`{\\rtf1\\ansi ${rtf}}`, "latin1"),
        { name: "letter.doc" },
      );
      expect({ text, pages, page_count, media_type }).toEqual({
        text: expected,
        pages: [],
        page_count: null,
        media_type: "application/rtf",
      });
    });
  }

  test("headings are recognised by style name or outline level", async () => {
    const { text, headings } = await read(
      "{\\rtf1{\\stylesheet{\\s0 Normal;}{\\s3 heading 2;}}\\pard\\s3 Moorings\\par\\pard " +
        "Words\\par\\pard\\outlinelevel0 Harbour\\par}",
    );
    expect(headings!.map(({ start, end, level }) => [text.slice(start, end), level])).toEqual([
      ["Moorings", 2],
      ["Harbour", 1],
    ]);
  });

  test("after a byte order mark or white space", async () => {
    expect((await read("\ufeff\n{\\rtf1 One}")).text).toBe("One");
  });
});

describe("damaged and hostile RTF", () => {
  test("a file without text", async () => {
    expect((await fail("{\\rtf1{\\info{\\title T}}}")).code).toBe("empty");
  });

  const deep: [string, string][] = [
    ["groups", "{".repeat(300_000)],
    ["notes", "{\\footnote ".repeat(20_000)],
    ["tables", "{\\b".repeat(6_000)],
  ];
  for (const [why, rtf] of deep) {
    test(`endlessly nested ${why}`, async () => {
      expect(await fail(`{\\rtf1 Text ${rtf}`)).toMatchObject({
        code: "corrupt",
        message: expect.stringMatching(/5000 levels/),
      });
    });
  }

  const large: [string, string, string][] = [
    ["many groups, one after another", "{\\b x}".repeat(300_000), "x".repeat(300_000)],
    [
      "many notes in one paragraph",
      "x{\\footnote y}".repeat(20_000),
      `${"x".repeat(20_000)}${"\n\ny".repeat(20_000)}`,
    ],
    ["many cells in one row", "\\intbl x\\cell".repeat(50_000), Array(50_000).fill("x").join("\t")],
    ["a depth of tables that no document has", "\\pard\\intbl\\itap2000000000 x\\par", "x"],
    ["a long run of escaped letters", "\\'78".repeat(2_000_000), "x".repeat(2_000_000)],
    ["a long picture", `{\\pict ${"89504e47".repeat(500_000)}}x`, "x"],
    ["a long word", `\\${"a".repeat(1_000_000)} x`, `${"a".repeat(1_000_000 - 32)} x`],
    ["binary data longer than the file", "x\\bin2000000000 y", "x"],
  ];
  for (const [why, rtf, expected] of large)
    test(why, async () => {
      expect((await read(`{\\rtf1 ${rtf}}`)).text).toBe(expected);
    });

  test("a file cut at any place yields text or a reason", async () => {
    const whole = Buffer.from(
      `{\\rtf1\\ansi${fonts(font(0, 128))}\\f0 \\'83A\\u1055?{\\field{\\*\\fldinst X}` +
        `{\\fldrslt Y}}\\trowd\\intbl Z\\cell\\row{\\footnote N}{\\pict\\bin3 abc}}`,
      "latin1",
    );
    for (let length = 7; length < whole.length; length++) {
      expect(["text", "ExtractionFailure"]).toContain(
        await read(whole.subarray(0, length)).then(
          () => "text",
          (error: Error) => error.name,
        ),
      );
    }
    expect(extraction.leftovers()).toEqual([]);
  }, 60_000);
});
