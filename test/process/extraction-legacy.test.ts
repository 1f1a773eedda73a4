/**
 * Word, PowerPoint and Excel files from before 2007: the whole text in order, with its pages; what
 * can't be read is reported, and damaged or hostile files do no harm.
 */
import { afterAll, describe, expect, test } from "bun:test";
import {
  compound,
  container,
  doc,
  biff,
  f64,
  join,
  narrow,
  ppt,
  record,
  text,
  textBox,
  u16,
  u32,
  u8,
  wide,
  xls,
  xlString,
  type DocOptions,
} from "../helpers/compound";
import { testExtraction } from "../helpers/extraction";

const extraction = testExtraction({ all: true });
afterAll(() => extraction.stop());
const { read, fail } = extraction;

/** Paragraph properties. */
const in_table = join(u16(0x2416), u8(1));
const row_end = join(in_table, u16(0x2417), u8(1));
const nested = (depth: number): Uint8Array => join(in_table, u16(0x6649), u32(depth));

describe("Word", () => {
  const long = "The northern breakwater was inspected by the survey vessel Kittiwake. ".repeat(200);
  const cases: [string, string, string, DocOptions?][] = [
    ["paragraphs", "One.\rTwo.\r", "One.\n\nTwo."],
    ["letters of any alphabet", "Капитан 港口 🚢\r", "Капитан 港口 🚢"],
    ["one-byte characters", "Caf\xe9 na\xefve\r", "Café naïve", { narrow_until: 11 }],
    [
      "one-byte and two-byte pieces within a word",
      "Cafés in Łódź\r",
      "Cafés in Łódź",
      { narrow_until: 3 },
    ],
    ["a text longer than small streams are", `${long}\r`, long.trim()],
    ["the other table", "One.\r", "One.", { flags: 0 }],
    [
      "line breaks, tabs, special hyphens and spaces",
      "one\vtwo\tthree\x1efour fi\x1fve\u00a0six\r",
      "one\ntwo\tthree\u2011four five\u00a0six",
    ],
    ["pages and columns end a paragraph", "One.\fTwo.\x0eThree.\r", "One.\n\nTwo.\n\nThree."],
    [
      "fields show their results",
      'See \x13 HYPERLINK "http://a.b" \x14the \x13 PAGE \x147\x15th page\x15, please\x13 INDEX \x15.\r',
      "See the 7th page, please.",
    ],
    ["a field that never ends hides nothing", "One \x13 PAGE\rTwo\r", "One  PAGE\n\nTwo"],
    ["marks of pictures, notes and comments are no text", "A\x01B\x02C\x05D\x08E\r", "ABCDE"],
    [
      "deleted text is left out",
      "One, two, three.\r",
      "One, three.",
      { unseen: [3, 8, "deleted"] },
    ],
    [
      "hidden text is left out, also where it begins a field",
      "One\x13 XE \x14two\x15 three.\r",
      "Onetwo three.",
      { unseen: [3, 5, "hidden"] },
    ],
    [
      "notes, boxes and comments follow the body",
      "Body.\rNote.\rMacro\rSaid.\rEnd.\rBox.\r",
      "Body.\n\nNote.\n\nEnd.\n\nBox.\n\nSaid.",
      { lengths_after_body: [6, 0, 6, 6, 5, 5, 0] },
    ],
    [
      "headers appear once",
      "Body.\rTop\rTop\rFoot\rTop\r",
      "Body.\n\nTop\n\nFoot",
      { lengths_after_body: [0, 13, 0, 0, 0, 0, 4] },
    ],
    [
      "a table",
      "Before\rA\x07B\x07\x07C\x07\x07\x07After\r",
      "Before\n\n| A | B |\n| --- | --- |\n| C |  |\n\nAfter",
      {
        paragraphs: [
          { start: 7, end: 11, properties: in_table },
          { start: 11, end: 12, properties: row_end },
          { start: 12, end: 15, properties: in_table },
          { start: 15, end: 16, properties: row_end },
        ],
      },
    ],
    [
      "a nested table",
      "A\rB\rC\r\r\x07D\x07\x07",
      "A\n\nB\tC\n\nD",
      {
        paragraphs: [
          { start: 0, end: 2, properties: in_table },
          { start: 2, end: 4, properties: join(nested(2), u16(0x244b), u8(1)) },
          { start: 4, end: 6, properties: join(nested(2), u16(0x244b), u8(1)) },
          { start: 6, end: 7, properties: join(nested(2), u16(0x244c), u8(1)) },
          { start: 7, end: 10, properties: in_table },
          { start: 10, end: 11, properties: row_end },
        ],
      },
    ],
  ];
  for (const [why, content, expected, options] of cases) {
    test(why, async () => {
      const { text, pages, page_count, media_type } = await read(doc(content, options), {
        name: "letter.doc",
      });
      expect({ text, pages, page_count, media_type }).toEqual({
        text: expected,
        pages: [],
        page_count: null,
        media_type: "application/msword",
      });
    });
  }

  test("headings are recognised", async () => {
    const { text, headings } = await read(
      doc("Harbour\rWords.\rMoorings\r", {
        paragraphs: [
          { start: 0, end: 8, style: 1 },
          { start: 8, end: 15 },
          { start: 15, end: 24, style: 2 },
        ],
      }),
    );
    expect(headings!.map(({ start, end, level }) => [text.slice(start, end), level])).toEqual([
      ["Harbour", 1],
      ["Moorings", 2],
    ]);
  });

  test("list numbers and bullets, also from a paragraph style", async () => {
    const level = (format: number, content: string, start = 1): Uint8Array =>
      join(u32(start), u8(format, 0), new Uint8Array(22), u16(content.length), wide(content));
    const list = (id: number, simple: number): Uint8Array =>
      join(u32(id), new Uint8Array(22), u8(simple, 0));
    const rest = Array.from({ length: 7 }, () => level(0, ""));
    const lists = join(
      u16(2),
      list(71, 0),
      list(72, 1),
      level(0, "\0.", 3),
      level(4, "\0.\x01)"),
      ...rest,
      level(23, "\uf0b7"),
    );
    const use = (id: number, levels = 0): Uint8Array => join(u32(id, 0, 0), u8(levels, 0, 0, 0));
    const uses = join(
      u32(3),
      use(71),
      use(72),
      use(71, 1),
      u32(0xffffffff),
      u32(0xffffffff),
      u32(0xffffffff),
      u32(9, 16),
    );
    const in_list = (number: number, depth = 0): Uint8Array =>
      join(u16(0x460b), u16(number), u16(0x260a), u8(depth));
    const style = (...properties: Uint8Array[]): Uint8Array => {
      const listed = join(u16(0), ...properties);
      const one = join(
        u16(0, 0xfff1, 0, 0, 0),
        u16(1),
        wide("S"),
        u16(0),
        u16(listed.length),
        listed,
      );
      return join(u16(one.length), one);
    };
    const styles = join(u16(4), u16(2, 10), style(), style(in_list(2)));
    const content = "A\rB\rC\rD\rE\r\rF\rG\r";
    const runs = [
      in_list(1),
      in_list(1, 1),
      in_list(1, 1),
      in_list(1),
      u8(),
      in_list(1),
      in_list(3),
      in_list(0),
    ];
    const starts = [0, 2, 4, 6, 8, 10, 11, 13, 15];
    const paragraphs = runs.map((properties, at) => ({
      start: starts[at]!,
      end: starts[at + 1]!,
      style: at === 4 ? 1 : 0,
      properties,
    }));
    expect(
      (await read(doc(content, { paragraphs, parts: { 1: styles, 73: lists, 74: uses } }))).text,
    ).toBe("3. A\n\n3.a) B\n\n3.b) C\n\n4. D\n\n# E\n\n9. F\n\nG");
  });

  test("Word 6 and 95, in their language's encoding", async () => {
    const main = new Uint8Array(4096);
    const content = Buffer.from([0xcf, 0xee, 0xf0, 0xf2, 13, 0x31, 7, 0x32, 7, 7, 13]);
    main.set(join(u16(0xa5dc, 101, 0, 0x419, 0), u16(0)));
    main.set(u32(1024), 0x18);
    main.set(u32(content.length), 0x34);
    main.set(content, 1024);
    expect((await read(compound({ WordDocument: main }))).text).toBe("Порт\n\n1\t2");
  });
});

describe("PowerPoint", () => {
  const body = (content: string): Uint8Array => textBox(text(4, content));
  const reference = (index: number): Uint8Array => textBox(record(3998, 0, u32(index)));
  const pagesOf = async (bytes: Uint8Array): Promise<(string | number)[][]> => {
    const { text: all, pages } = await read(bytes, { name: "slides.ppt" });
    return pages.map(({ page, start, end }) => [page, all.slice(start, end)]);
  };
  const cell = (x: number, y: number, content: string): Uint8Array =>
    container(
      0xf004,
      0,
      record(0xf00f, 0, u32(x, y, x + 9, y + 9)),
      record(0xf00d, 0, text(4, content)),
    );
  const table = container(
    0xf003,
    0,
    container(0xf004, 0, record(0xf122, 1, u16(0x39f), u32(1))),
    cell(10, 0, "Depth"),
    cell(0, 0, "Mooring"),
    cell(0, 10, "Puffin\rRing"),
    cell(10, 10, "7.25"),
  );
  const comment = container(
    5000,
    0,
    container(
      5002,
      0,
      record(
        5003,
        0,
        container(12000, 0, record(4026, 0, wide("Ada")), record(4026, 1, wide("Which buoy?"))),
      ),
    ),
  );
  const footer = container(
    4057,
    3,
    record(4058, 0, u16(0, 32)),
    record(4026, 2, wide("Harbour Trust")),
  );

  const cases: [string, Uint8Array, (string | number)[][]][] = [
    [
      "each slide is a page",
      ppt([
        { id: 256, shapes: [body("One")] },
        { id: 257, shapes: [body("Two")] },
      ]),
      [
        [1, "One"],
        [2, "Two"],
      ],
    ],
    [
      "slides in presentation order, not file order",
      ppt(
        [
          { id: 256, shapes: [body("Two")] },
          { id: 257, shapes: [body("One")] },
        ],
        { order: [1, 0] },
      ),
      [
        [1, "One"],
        [2, "Two"],
      ],
    ],
    [
      "a slide without text keeps its number",
      ppt([{ id: 256 }, { id: 257, shapes: [body("Two")] }]),
      [[2, "Two"]],
    ],
    [
      "paragraphs, line breaks, any alphabet",
      ppt([{ id: 256, shapes: [body("Порт\rone\vtwo")] }]),
      [[1, "Порт\n\none\ntwo"]],
    ],
    [
      "one-byte characters",
      ppt([{ id: 256, shapes: [textBox(record(4008, 0, narrow("Caf\xe9")))] }]),
      [[1, "Café"]],
    ],
    [
      "outline texts where the slide shows them",
      ppt([
        {
          id: 256,
          outline: [text(0, "Title"), text(1, "Points")],
          shapes: [body("Before"), reference(1), reference(0)],
        },
      ]),
      [[1, "Before\n\nPoints\n\n# Title"]],
    ],
    [
      "outline texts that no box shows",
      ppt([{ id: 256, outline: [text(0, "Title"), text(1, "Points")], shapes: [body("Box")] }]),
      [[1, "# Title\n\nPoints\n\nBox"]],
    ],
    [
      "boxes inside groups",
      ppt([{ id: 256, shapes: [container(0xf003, 0, body("Inside"))] }]),
      [[1, "Inside"]],
    ],
    [
      "notes follow their slide",
      ppt([
        { id: 256, shapes: [body("One")] },
        { id: 257, shapes: [body("Two")], notes: [textBox(text(2, "Thank the pilots."))] },
      ]),
      [
        [1, "One"],
        [2, "Two\n\nThank the pilots."],
      ],
    ],
    [
      "no asterisks in place of numbers",
      ppt([{ id: 256, shapes: [body("One"), body("*")] }]),
      [[1, "One"]],
    ],
    [
      "tables by rows",
      ppt([{ id: 256, shapes: [table] }]),
      [[1, "| Mooring | Depth |\n| --- | --- |\n| Puffin<br>Ring | 7.25 |"]],
    ],
    ["comments", ppt([{ id: 256, shapes: [body("One"), comment] }]), [[1, "One\n\nWhich buoy?"]]],
    [
      "a footer appears once",
      ppt(
        [
          { id: 256, shapes: [body("One")] },
          { id: 257, shapes: [body("Two")] },
        ],
        { in_document: [footer] },
      ),
      [
        [1, "One\n\nHarbour Trust"],
        [2, "Two"],
      ],
    ],
    [
      "slides in file order when the slide list is lost",
      compound({
        "PowerPoint Document": join(
          container(1006, 0, body("One")),
          container(1006, 0, body("Two")),
        ),
      }),
      [
        [1, "One"],
        [2, "Two"],
      ],
    ],
  ];
  for (const [why, bytes, expected] of cases)
    test(why, async () => {
      expect(await pagesOf(bytes)).toEqual(expected);
    });

  test("titles are headings, and all slides are counted", async () => {
    const {
      text: all,
      headings,
      page_count,
      media_type,
    } = await read(
      ppt([{ id: 256, shapes: [textBox(text(0, "Harbour\vReport")), body("Words")] }, { id: 257 }]),
    );
    expect({
      headings: headings!.map(({ start, end }) => all.slice(start, end)),
      page_count,
      media_type,
    }).toEqual({
      headings: ["Harbour Report"],
      page_count: 2,
      media_type: "application/vnd.ms-powerpoint",
    });
  });
});

describe("Excel", () => {
  const styles = [
    biff(0x41e, u16(164), xlString("yyyy\\-mm\\-dd")),
    biff(0xe0, u16(0, 0)),
    biff(0xe0, u16(0, 164)),
    biff(0xe0, u16(0, 10)),
    biff(0xe0, u16(0, 14)),
  ];
  const number = (row: number, column: number, style: number, value: number): Uint8Array =>
    biff(0x203, u16(row, column, style), f64(value));
  const formula = (row: number, column: number, style: number, result: Uint8Array): Uint8Array =>
    biff(0x06, u16(row, column, style), result, u16(0), u32(0), u16(0));
  const shared = (row: number, column: number, index: number): Uint8Array =>
    biff(0xfd, u16(row, column, 0), u32(index));
  const begin = biff(0x809, u16(0x600, 0x20, 0, 0), u32(0, 0));
  const cases: [string, Uint8Array, string][] = [
    [
      "strings and numbers in rows",
      xls([
        [
          "Sheet",
          biff(0x204, u16(0, 0, 0), xlString("Gannet Buoy")),
          number(0, 1, 0, 11.5),
          number(1, 0, 0, 0.1 + 0.2),
        ],
      ]),
      "# Sheet\n\n| Gannet Buoy | 11.5 |\n| --- | --- |\n| 0.3 |  |",
    ],
    [
      "shared strings",
      xls([["S", shared(0, 0, 1), shared(0, 1, 0)]], {
        globals: [biff(0xfc, u32(2, 2), xlString("Łódź"), xlString("Dvořák"))],
      }),
      "# S\n\n| Dvořák | Łódź |\n| --- | --- |",
    ],
    [
      "a shared string continued in the next record with wider characters",
      xls([["S", shared(0, 0, 0), shared(1, 0, 1)]], {
        globals: [
          biff(0xfc, u32(2, 2), u16(6), u8(0), narrow("abc")),
          biff(0x3c, u8(1), wide("деж"), xlString("next")),
        ],
      }),
      "# S\n\n| abcдеж |\n| --- |\n| next |",
    ],
    [
      "shared strings with fonts and phonetic readings",
      xls([["S", shared(0, 0, 0), shared(0, 1, 1)]], {
        globals: [
          biff(
            0xfc,
            u32(2, 2),
            u16(2),
            u8(0x0c),
            u16(1),
            u32(3),
            narrow("hi"),
            u32(0),
            u8(1, 2, 3),
            xlString("there"),
          ),
        ],
      }),
      "# S\n\n| hi | there |\n| --- | --- |",
    ],
    [
      "packed numbers",
      xls([
        [
          "S",
          biff(0x27e, u16(0, 0, 0), u32((1234 << 2) | 3)),
          biff(0xbd, u16(0, 1, 0), u32((7 << 2) | 2), u16(0), u32(0x3ff80000), u16(2)),
        ],
      ]),
      "# S\n\n| 12.34 | 7 | 1.5 |\n| --- | --- | --- |",
    ],
    [
      "dates, percentages",
      xls([["S", number(0, 0, 1, 45000), number(0, 1, 2, 0.125), number(0, 2, 3, 45000)]], {
        globals: styles,
      }),
      "# S\n\n| 2023-03-15 | 12.50% | 2023-03-15 |\n| --- | --- | --- |",
    ],
    [
      "dates counted from 1904, as on the Macintosh",
      xls([["S", number(0, 0, 1, 43538)]], { globals: [...styles, biff(0x22, u16(1))] }),
      "# S\n\n2023-03-15",
    ],
    [
      "formula results",
      xls([
        [
          "S",
          formula(0, 0, 0, f64(42)),
          formula(0, 1, 0, u8(0, 0, 0, 0, 0, 0, 255, 255)),
          biff(0x207, xlString("sum")),
          formula(0, 2, 0, u8(1, 0, 1, 0, 0, 0, 255, 255)),
          formula(0, 3, 0, u8(2, 0, 7, 0, 0, 0, 255, 255)),
        ],
      ]),
      "# S\n\n| 42 | sum | TRUE | #DIV/0! |\n| --- | --- | --- | --- |",
    ],
    [
      "booleans and errors",
      xls([["S", biff(0x205, u16(0, 0, 0), u8(0, 0)), biff(0x205, u16(0, 1, 0), u8(42, 1))]]),
      "# S\n\n| FALSE | #N/A |\n| --- | --- |",
    ],
    [
      "comments and boxes",
      xls([
        [
          "S",
          number(0, 0, 0, 1),
          biff(0x1b6, new Uint8Array(10), u16(5, 16), u32(0)),
          biff(0x3c, u8(0), narrow("Check")),
          biff(0x3c, new Uint8Array(16)),
        ],
      ]),
      "# S\n\n1\n\nCheck",
    ],
    [
      "chart titles, but not chart numbers",
      xls([
        [
          "S",
          number(0, 0, 0, 1),
          begin,
          biff(0x100d, u16(0), xlString("Depths", 1)),
          number(9, 9, 0, 99),
          biff(0x0a),
          number(1, 0, 0, 2),
        ],
      ]),
      "# S\n\n| 1 |\n| --- |\n| 2 |\n\nDepths",
    ],
    [
      "Excel 5 and 95",
      xls([["Ë", biff(0x204, u16(0, 0, 0), u16(4), u8(0xcf, 0xee, 0xf0, 0xf2))]], {
        version: 0x500,
        stream: "Book",
        globals: [biff(0x42, u16(1251))],
      }),
      "# Л\n\nПорт",
    ],
  ];
  for (const [why, bytes, expected] of cases)
    test(why, async () => {
      expect((await read(bytes, { name: "moorings.xls" })).text).toBe(expected);
    });

  test("each sheet is a page with its name", async () => {
    const {
      text: all,
      pages,
      page_count,
      media_type,
    } = await read(
      xls([
        ["First", number(0, 0, 0, 1)],
        ["Second", number(3, 3, 0, 2)],
      ]),
    );
    expect(pages.map(({ page, start, end }) => [page, all.slice(start, end)])).toEqual([
      [1, "# First\n\n1"],
      [2, "# Second\n\n2"],
    ]);
    expect({ page_count, media_type }).toEqual({
      page_count: 2,
      media_type: "application/vnd.ms-excel",
    });
  });
});

describe("refused", () => {
  const slide = ppt([{ id: 256, shapes: [textBox(text(4, "One"))] }]);
  const broken = (bytes: Uint8Array, at: number, ...values: number[]): Uint8Array => {
    const copy = Uint8Array.from(bytes);
    copy.set(values, at);
    return copy;
  };
  const cases: [string, Uint8Array, string, RegExp][] = [
    ["Word with a password", doc("One.\r", { flags: 0x300 }), "encrypted", /password/],
    [
      "PowerPoint with a password",
      ppt([{ id: 256 }], { token: 0xf3d1c4df }),
      "encrypted",
      /password/,
    ],
    [
      "PowerPoint with a password recorded only by its last save",
      ppt([{ id: 256 }], { password: true }),
      "encrypted",
      /password/,
    ],
    [
      "Excel with a password",
      xls([["S"]], { globals: [biff(0x2f, u16(1, 1, 1))] }),
      "encrypted",
      /password/,
    ],
    [
      "a password-protected file in the format of 2007 and later",
      compound({ EncryptionInfo: u8(1), EncryptedPackage: new Uint8Array(5000) }),
      "encrypted",
      /password/,
    ],
    [
      "an Outlook message",
      compound({ "__properties_version1.0": u8(1) }),
      "unsupported_type",
      /Outlook message/,
    ],
    [
      "PowerPoint 95",
      compound({ "PowerPoint Document": u8(1), "PersistentStorage Directory": u8(1) }),
      "unsupported_type",
      /PowerPoint 95/,
    ],
    [
      "Word 2",
      join(u16(0xa5db, 45), new Uint8Array(1000)),
      "unsupported_type",
      /Word document from before/,
    ],
    [
      "Excel 4",
      join(u16(0x409, 6, 0, 16, 0), new Uint8Array(100)),
      "unsupported_type",
      /Excel sheet from before/,
    ],
    [
      "WordPerfect",
      join(narrow("\xffWPC"), new Uint8Array(100)),
      "unsupported_type",
      /WordPerfect/,
    ],
    ["anything else", compound({ Contents: u8(1) }), "unsupported_type", /older program/],
    [
      "an unknown Word version",
      compound({ WordDocument: new Uint8Array(5000) }),
      "unsupported_type",
      /version/,
    ],
    [
      "Word without its table stream",
      compound({ WordDocument: join(u16(0xa5ec, 193), new Uint8Array(5000)) }),
      "corrupt",
      /damaged/,
    ],
    ["Word without text", doc("\r"), "empty", /no text/],
    [
      "PowerPoint without slides",
      compound({ "PowerPoint Document": new Uint8Array(5000) }),
      "corrupt",
      /damaged/,
    ],
    [
      "Excel with a wrong first record",
      compound({ Workbook: new Uint8Array(5000) }),
      "corrupt",
      /damaged/,
    ],
    ["the mark alone", slide.slice(0, 8), "corrupt", /damaged/],
    ["a file cut in the middle", doc("x".repeat(9_000)).slice(0, 6_000), "corrupt", /damaged/],
    ["sectors of no possible size", broken(slide, 30, 31), "corrupt", /damaged/],
    [
      "a directory beyond the end of the file",
      broken(slide, 48, 0xff, 0xff, 0xff, 0x0f),
      "corrupt",
      /damaged/,
    ],
  ];
  for (const [why, bytes, code, message] of cases) {
    test(why, async () => {
      const failure = await fail(bytes, { name: "file.doc" });
      expect([failure.code, failure.message]).toEqual([
        code as typeof failure.code,
        expect.stringMatching(message),
      ]);
    });
  }
});

describe("hostile", () => {
  test("a circular chain of sectors does not hang the reader", async () => {
    const bytes = doc("x".repeat(9_000));
    const table = bytes.length - 512;
    bytes.set(u32(...Array.from({ length: 128 }, (_, at) => at ^ 1)), table);
    await Promise.race([
      read(bytes).catch(() => {}),
      Bun.sleep(10_000).then(() => {
        throw new Error("It goes on.");
      }),
    ]);
  });

  test.each([
    ["letters", "a"],
    ["cells", "a\x07"],
  ])("pieces that repeat one text of %s excessively are refused", async (_, repeated) => {
    const main = new Uint8Array(Buffer.alloc(1024 * 1024, repeated, "latin1"));
    main.set(join(u16(0xa5ec, 193), new Uint8Array(6), u16(0x200), new Uint8Array(400)));
    const count = 50;
    const places = Array.from({ length: count + 1 }, (_, at) => at * 1_000_000);
    main.set(u32(places.at(-1)!), 0x4c);
    const clx = join(
      u8(2),
      u32(4 * (count + 1) + 8 * count),
      u32(...places),
      ...places.slice(1).map(() => join(u16(0), u32(0x40000800), u16(0))),
    );
    main.set(u32(0, clx.length), 0x1a2);
    expect((await fail(compound({ WordDocument: main, "1Table": clx }))).code).toBe("too_large");
  });

  test("a slide referenced many times is read once", async () => {
    const bytes = ppt([{ id: 256, shapes: [textBox(text(4, "word ".repeat(10_000)))] }], {
      order: Array<number>(20_000).fill(0),
    });
    const { pages, page_count } = await read(bytes);
    expect([pages.length, page_count]).toEqual([1, 20_000]);
  });

  test("endlessly nested boxes are left out", async () => {
    let shape = textBox(text(4, "deep"));
    for (let depth = 0; depth < 2_000; depth++) shape = container(0xf003, 0, shape);
    expect((await read(ppt([{ id: 256, shapes: [shape, textBox(text(4, "flat"))] }]))).text).toBe(
      "flat",
    );
  });

  test("cells that repeat one long string excessively are refused", async () => {
    const string = xlString("x".repeat(4_000));
    const cells = Array.from({ length: 40_000 }, (_, row) => biff(0xfd, u16(row, 0, 0), u32(0)));
    expect(
      (await fail(xls([["S", ...cells]], { globals: [biff(0xfc, u32(1, 1), string)] }))).code,
    ).toBe("too_large");
  });

  test("any damage yields text or a reason", async () => {
    const originals = [
      doc("Body of a letter.\rA\x07B\x07\x07", {
        paragraphs: [{ start: 18, end: 23, properties: in_table }],
      }),
      ppt([{ id: 256, outline: [text(0, "Title")], shapes: [textBox(text(4, "One"))] }]),
      xls([["S", biff(0x204, u16(0, 0, 0), xlString("Buoy"))]]),
    ];
    let seed = 7;
    const random = (below: number): number =>
      (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) % below;
    for (let round = 0; round < 150; round++) {
      const bytes = Uint8Array.from(originals[round % originals.length]!);
      for (let hit = 0; hit <= round % 7; hit++)
        bytes[random(bytes.length)] = random(4) === 0 ? 255 : random(256);
      const end = await read(bytes).then(
        () => "text",
        (error: Error) => error.name,
      );
      expect(["text", "ExtractionFailure"]).toContain(end);
    }
    expect(extraction.leftovers()).toEqual([]);
  }, 60_000);
});
