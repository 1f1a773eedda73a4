/**
 * The chunker: where passages begin and end, which page and heading they belong to, and that
 * offsets are correct in every text.
 */
import { describe, expect, test } from "bun:test";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { piecesOf } from "../../core/lib/text-pieces";
import { TextWindow } from "../../core/lib/text-window";
import { chunksOf } from "../../plugins/search-index/chunks/chunker";
import { IndexVersionRows, encoderInputOf } from "../../plugins/search-index/index-versions";
import {
  encodeDocument,
  type EncoderInput,
  inputWithText,
} from "../../plugins/search-index/indexing/encoder";

const encode = (input: EncoderInput) => [...encodeDocument(input, analyzer)];
const words = (count: number, word = "word") =>
  `${Array.from({ length: count }, (_, i) => `${word}${i}`).join(" ")}.`;
const paragraph = (name: string) => `${name} ${words(80, "alpha")}`;
const texts = (text: string) =>
  [...chunksOf(text, [])].map((chunk) => text.slice(chunk.start, chunk.end));
/** The pages of a text in which they are joined by form feeds. */
const pagesOf = (text: string) => {
  let start = 0;
  return text.split("\f").map((page, i) => {
    const span = { page: i + 1, start, end: start + page.length };
    start += page.length + 1;
    return span;
  });
};

describe("paragraphs:", () => {
  const [a, b] = [paragraph("First"), paragraph("Second")];
  const cases: [string, string, string[]][] = [
    ["an empty text has no chunks", "", []],
    ["white space only has no chunks", " \n\t\n\u3000\n", []],
    ["a blank line separates paragraphs", `${a}\n\n${b}`, [a, b]],
    ["a line of spaces separates paragraphs", `${a}\n \t\n${b}`, [a, b]],
    [
      "a wrapped line doesn't separate paragraphs",
      `${words(10)}\n${words(10)}\n${words(10, "next")}`,
      [`${words(10)}\n${words(10)}\n${words(10, "next")}`],
    ],
    ["the end of a long line separates paragraphs", `${a}\n${b}`, [a, b]],
    ["a short paragraph is joined to the next", `Short one.\n\n${a}`, [`Short one.\n\n${a}`]],
    [
      "a short last paragraph is joined to the one before",
      `${a}\n\nThe end.`,
      [`${a}\n\nThe end.`],
    ],
    ["white space at the ends is in no chunk", `\n\n  ${a}  \n\n`, [a]],
    ["a wide gap separates even short paragraphs", `One.${"\n".repeat(100)}Two.`, ["One.", "Two."]],
    ["Windows line ends separate paragraphs too", `${a}\r\n\r\n${b}`, [a, b]],
  ];
  for (const [why, text, expected] of cases) test(why, () => expect(texts(text)).toEqual(expected));
});

describe("tables:", () => {
  const row = (at: number): string =>
    `| T${at} | service no. ${at}. ${"x".repeat(at % 40)} | hour |`;
  const head = "| Code | Service |  |";
  const rows = Array.from({ length: 200 }, (_, at) => row(at));
  const text = `Dues.\n\n${head}\n| --- | --- | --- |\n${rows.join("\n")}\n\n${paragraph("After")}\n\n${paragraph("Last")}`;
  const chunks = [...chunksOf(text, [])].map((chunk) => ({
    ...chunk,
    text: text.slice(chunk.start, chunk.end),
  }));
  const inside = chunks.filter(({ text: chunk_text }) => chunk_text.startsWith("| T"));
  test("a long table is split between its rows", () => {
    expect(inside.length).toBeGreaterThan(5);
    for (const chunk of inside)
      for (const line of chunk.text.split("\n").filter((line) => line.startsWith("|")))
        expect(rows).toContain(line);
    expect(chunks.flatMap((chunk) => chunk.text.match(/^\| T\d+/gm) ?? []).length).toBe(200);
  });
  test("its header applies to each part, but not to what follows", () => {
    expect(chunks[0]).toMatchObject({ heading: null, headings_above: "" });
    for (const { heading, headings_above } of inside)
      expect([heading, headings_above]).toEqual(["Code | Service | –", "Code | Service | –"]);
    expect(chunks.at(-1)).toMatchObject({ heading: null, headings_above: "" });
  });
  test("each table has its own header, below a heading", () => {
    const other = head.replace("Code", "Berth");
    const two = [
      `# Dues\n\n${head}\n|---|---|---|\n${rows.slice(0, 60).join("\n")}`,
      `${other}\n|---|---|---|\n${rows.slice(60).join("\n")}`,
    ].join("\n\n");
    const headings = [...chunksOf(two, [])].map(({ heading }) => heading);
    expect(new Set(headings)).toEqual(
      new Set(["Dues", "Dues › Code | Service | –", "Dues › Berth | Service | –"]),
    );
  });
});

describe("headings:", () => {
  const a = paragraph("First");
  const [high, middle, low] = ["High", "Middle", "Low"].map(
    (title) => `${title} ${"level".repeat(15)}`,
  );
  const cases: [string, string, [string, string | null][]][] = [
    [
      "a heading is joined to what follows",
      `Introduction\n\n${a}`,
      [[`Introduction\n\n${a}`, "Introduction"]],
    ],
    [
      "a heading applies to the next chunks too",
      `Introduction\n\n${a}\n\n${a}`,
      [
        [`Introduction\n\n${a}`, "Introduction"],
        [a, "Introduction"],
      ],
    ],
    [
      "a Markdown heading loses its hash marks and needs no blank line",
      `## Use ##\n${a}`,
      [[`## Use ##\n${a}`, "Use"]],
    ],
    ["an underlined heading is recognized", `Use\n===\n\n${a}`, [[`Use\n===\n\n${a}`, "Use"]]],
    [
      "a new heading ends a short section",
      `# One\n\nText of one.\n\n# Two\n\nText of two.`,
      [
        ["# One\n\nText of one.", "One"],
        ["# Two\n\nText of two.", "Two"],
      ],
    ],
    [
      "a chunk has the path of its headings",
      `# Guide\n\n## Install\n\n${a}\n\n## Use\n\n${a}\n\n# Notes\n\n${a}`,
      [
        [`# Guide\n\n## Install\n\n${a}`, "Guide › Install"],
        [`## Use\n\n${a}`, "Guide › Use"],
        [`# Notes\n\n${a}`, "Notes"],
      ],
    ],
    [
      "numbers set the levels of plain-text headings",
      `2 Use\n\n${a}\n\n2.1 Files\n\n${a}\n\n3 Notes\n\n${a}`,
      [
        [`2 Use\n\n${a}`, "2 Use"],
        [`2.1 Files\n\n${a}`, "2 Use › 2.1 Files"],
        [`3 Notes\n\n${a}`, "3 Notes"],
      ],
    ],
    [
      "a long path loses its highest headings",
      `# ${high}\n\n## ${middle}\n\n### ${low}\n\n${a}`,
      [[`# ${high}\n\n## ${middle}\n\n### ${low}\n\n${a}`, `${middle} › ${low}`]],
    ],
    ["a sentence is not a heading", `This is one.\n\n${a}`, [[`This is one.\n\n${a}`, null]]],
    ["a list item is not a heading", `- apples\n\n${a}`, [[`- apples\n\n${a}`, null]]],
    ["a number is not a heading", `12%\n\n${a}`, [[`12%\n\n${a}`, null]]],
  ];
  for (const [why, text, expected] of cases)
    test(why, () =>
      expect(
        [...chunksOf(text, [])].map((chunk) => [text.slice(chunk.start, chunk.end), chunk.heading]),
      ).toEqual(expected),
    );

  const marked: [string, string, readonly string[], [string, string | null][]][] = [
    [
      "marked headings are the only ones",
      `Short line\n\n${a}\n\nReal one\n${a}`,
      ["Real one"],
      [
        [`Short line\n\n${a}`, null],
        [`Real one\n${a}`, "Real one"],
      ],
    ],
    [
      "a marked heading may end like a sentence, share its line, or span two lines",
      `# What is\nit?\n${a}`,
      ["What is\nit?"],
      [[`# What is\nit?\n${a}`, "What is it?"]],
    ],
    [
      "a marked heading as long as a paragraph doesn't count",
      `${a} ${a}\n\nHead\n\n${a}`,
      [`${a} ${a}`, "Head"],
      [
        [`${a} ${a}`, null],
        [`Head\n\n${a}`, "Head"],
      ],
    ],
    [
      "the innermost of several marked headings counts",
      `Guide.\nInstall.\n${a}`,
      ["Guide.", "Install."],
      [[`Guide.\nInstall.\n${a}`, "Install."]],
    ],
    [
      "headings are detected in a document that marks none",
      `Introduction\n\n${a}`,
      [],
      [[`Introduction\n\n${a}`, "Introduction"]],
    ],
  ];
  const spansOf = (text: string, headings: readonly string[]) =>
    headings.map((heading) => ({
      start: text.indexOf(heading),
      end: text.indexOf(heading) + heading.length,
      level: 1,
    }));
  for (const [why, text, headings, expected] of marked)
    test(why, () => {
      expect(
        [...chunksOf(text, [], spansOf(text, headings))].map((chunk) => [
          text.slice(chunk.start, chunk.end),
          chunk.heading,
        ]),
      ).toEqual(expected);
    });

  test("a text of headings only still gives chunks", () => {
    const text = Array.from({ length: 200 }, (_, i) => `Entry number ${i}`).join("\n\n");
    expect(texts(text).join("\n\n")).toBe(text);
    for (const part of texts(text)) expect(part.length).toBeLessThanOrEqual(1_600);
  });
});

describe("an introduction stays with what follows:", () => {
  const a = paragraph("First");
  const b = paragraph("Second");
  const head = { start: 0, end: 4, level: 1 };
  const cases: [string, string, string[]][] = [
    [
      "a sentence that introduces a command",
      `Head\n${a}\n\nTo uninstall it:\n\ntlmgr remove --all\n\n${b}`,
      [`Head\n${a}`, `To uninstall it:\n\ntlmgr remove --all\n\n${b}`],
    ],
    [
      "an option and its description",
      `Head\n${a}\n\n--keep FILE\n\n${b}`,
      [`Head\n${a}`, `--keep FILE\n\n${b}`],
    ],
    [
      "consecutive lines don't introduce each other",
      `Head\n${a}\n\nred\n\ngreen\n\nblue\n\n${b}`,
      [`Head\n${a}`, `red\n\ngreen\n\nblue\n\n${b}`],
    ],
    [
      "a long introduction is kept with what it introduces",
      `Head\n${a}\n\n${b.slice(0, -1)}:\n\ntlmgr remove --all`,
      [`Head\n${a}`, `${b.slice(0, -1)}:\n\ntlmgr remove --all`],
    ],
  ];
  for (const [why, text, expected] of cases)
    test(why, () =>
      expect(
        [...chunksOf(text, [], [head])].map(({ start, end }) => text.slice(start, end)),
      ).toEqual(expected),
    );
});

describe("long paragraphs", () => {
  const sentence = "The quick brown fox jumps over the lazy dog near the river bank again. ";
  test("are split evenly at sentence ends", () => {
    const cut = texts(sentence.repeat(40).trim());
    expect(cut.length).toBeGreaterThan(2);
    for (const part of cut) {
      expect(part.length).toBeLessThanOrEqual(1_600);
      expect(part.length).toBeGreaterThan(600);
      expect(part).toEndWith("again.");
    }
  });
  test("are split at ideographic full stops", () => {
    for (const part of texts("これは長い文章の一つです。".repeat(300)))
      expect(part).toEndWith("です。");
  });
  test("without sentences are split at white space", () => {
    for (const part of texts("word ".repeat(1_000).trim())) {
      expect(part).toStartWith("word");
      expect(part).toEndWith("word");
      expect(part.length).toBeLessThanOrEqual(1_600);
    }
  });
  test("without white space are split between characters", () => {
    const cut = texts("𠮷".repeat(3_000));
    for (const part of cut) {
      expect(part.length).toBeLessThanOrEqual(1_600);
      expect(part.isWellFormed()).toBe(true);
    }
    expect(cut.join("")).toBe("𠮷".repeat(3_000));
  });
});

describe("pages:", () => {
  const [a, b] = [paragraph("First"), paragraph("Second")];
  const shape = (text: string) =>
    [...chunksOf(text, pagesOf(text))].map((chunk) => [
      text.slice(chunk.start, chunk.end),
      chunk.page,
      chunk.page_end,
    ]);
  const cases: [string, string, [string, number, number][]][] = [
    [
      "a chunk has its page",
      `${a}\f${b}`,
      [
        [a, 1, 1],
        [b, 2, 2],
      ],
    ],
    [
      "short paragraphs on different pages are not joined",
      "One.\fTwo.",
      [
        ["One.", 1, 1],
        ["Two.", 2, 2],
      ],
    ],
    [
      "a sentence across two pages stays whole",
      `Alpha goes on\fand ends here.`,
      [["Alpha goes on\fand ends here.", 1, 2]],
    ],
    [
      "an empty page is counted",
      `One.\f\fThree.`,
      [
        ["One.", 1, 1],
        ["Three.", 3, 3],
      ],
    ],
    [
      "a heading at the foot of a page is joined to what follows",
      `# Part\n\n${a}\n\n# Next\f${b}`,
      [
        [`# Part\n\n${a}`, 1, 1],
        [`# Next\f${b}`, 1, 2],
      ],
    ],
    [
      "an introduction at the foot of a page is too",
      `# Part\n\n${a}\n\nTo remove it:\f${b}`,
      [
        [`# Part\n\n${a}`, 1, 1],
        [`To remove it:\f${b}`, 1, 2],
      ],
    ],
    [
      "a heading applies to the next page",
      `# Part\n\n${a}\f${b}`,
      [
        [`# Part\n\n${a}`, 1, 1],
        [b, 2, 2],
      ],
    ],
  ];
  for (const [why, text, expected] of cases) test(why, () => expect(shape(text)).toEqual(expected));
});

describe("offsets:", () => {
  const sample = `🗂 Ablage\n\nErste 🗂 Zeile. ${words(60)}\n\n\n  ${words(300, "𠮷")}\n\nHead\n\nlast 🗂`;
  test("code point and UTF-16 offsets refer to the same text", () => {
    const points = [...sample];
    for (const { chunks } of encode({ title: "", text: sample, pages: [] }))
      for (const chunk of chunks) {
        expect(points.slice(chunk.start_point, chunk.end_point).join("")).toBe(
          sample.slice(chunk.start, chunk.end),
        );
      }
  });
  test("chunks are in order, with only white space in between", () => {
    let last = 0;
    for (const chunk of chunksOf(sample, [])) {
      expect(sample.slice(last, chunk.start).trim()).toBe("");
      expect(sample.slice(chunk.start, chunk.end)).toBe(
        sample.slice(chunk.start, chunk.end).trim(),
      );
      last = chunk.end;
    }
    expect(sample.slice(last).trim()).toBe("");
  });
  test("a lone surrogate shifts nothing", () => {
    const text = `\ud83d ${words(50)} \udc00 🗂\n\n${words(60)}`;
    for (const { chunks } of encode({ title: "", text, pages: [] }))
      for (const chunk of chunks) {
        expect([...text].slice(chunk.start_point, chunk.end_point).join("")).toBe(
          text.slice(chunk.start, chunk.end),
        );
      }
  });
});

test("a text rebuilt from its rows gives the same chunks again", () => {
  const text =
    `\n\n🗂 Title line\n\n${paragraph("One")}  \n \n${words(400)}\f${paragraph("Two")} and goes on` +
    `\fto the next page.${"\n".repeat(90)}${paragraph("Three")}\n\nend`;
  const before = encode({ title: "T", text, pages: pagesOf(text) });
  let id = 0;
  const version_rows = new IndexVersionRows("doc_1", text, () => ++id);
  const rows = [
    ...before.flatMap((segment) => version_rows.add(segment)),
    ...version_rows.end(),
  ].flatMap((rows) => rows.chunks);
  const input = encoderInputOf(
    {
      document_id: "doc_1",
      edition: 1,
      version: 1,
      title: "T",
      analyzer: 1,
      chunker: 1,
      chunks: rows.length,
      headings: null,
      times: null,
      owner_id: "usr_ada",
    },
    rows,
  );
  const after = encode(inputWithText(input, input.text));
  const shape = (segments: typeof before, from: string) =>
    segments.flatMap((segment) =>
      segment.chunks.map((chunk) => [
        chunk.start_point,
        chunk.end_point,
        chunk.page,
        chunk.page_end,
        chunk.heading,
        from.slice(chunk.start, chunk.end),
      ]),
    );
  expect(shape(after, input.text)).toEqual(shape(before, text));
});

const shapes: [why: string, text: string][] = [
  ["one line", "a".repeat(1_000_000)],
  ["line breaks only", "\n".repeat(1_000_000)],
  ["short lines", "x\n".repeat(400_000)],
  ["short paragraphs", "x\n\n".repeat(300_000)],
  ["spaces only", " ".repeat(1_000_000)],
  ["trailing spaces", `${`x${" ".repeat(400_000)}\n`.repeat(3)}y`],
  ["surrogate pairs only", "𠮷".repeat(400_000)],
  ["combining marks only", `a${"\u0301".repeat(1_000_000)}`],
  ["headings only", "# x\n".repeat(100_000)],
  ["table rows", `| a | b |\n|---|---|\n${"| x | y |\n".repeat(100_000)}`],
  ["table headers only", "| a |\n| - |\n".repeat(100_000)],
  ["pipes only", "|".repeat(1_000_000)],
];
describe("degenerate text", () => {
  for (const [why, text] of shapes)
    test(`takes linear time, in a window too: ${why}`, () => {
      const chunks = [...chunksOf(text, [])];
      const pieces = [...piecesOf(text, 1)];
      for (const chunk of chunks) expect(chunk.end - chunk.start).toBeLessThanOrEqual(1_600);
      let reads = 0;
      const window = new TextWindow(
        (first, last) => {
          reads++;
          return pieces.slice(first - 1, last);
        },
        { id: 1, units: text.length },
      );
      let count = 0;
      for (const chunk of chunksOf(window, []))
        if (!Bun.deepEquals(chunk, chunks[count++])) expect(chunk).toEqual(chunks[count - 1]!);
      expect(count).toBe(chunks.length);
      // A few passes over the text.
      expect(reads).toBeLessThan(8 + (4 * pieces.length) / 32);
    });
});
