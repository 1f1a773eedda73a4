/**
 * The parts of the console's source viewer that need no browser: locating a quotation, splitting
 * long texts into blocks, and rendering answers as elements.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { locate, locateWithin } from "../../plugins/console/web/reader/quote-match";
import { styledPieces } from "../../plugins/console/web/reader/styled-pieces";
import {
  indexOfCodePoint,
  rangeOf,
  surroundingsOf,
} from "../../plugins/console/web/reader/text-ranges";
import { viewsOf } from "../../plugins/console/web/reader/views";

/** The marked parts of the pieces. */
const marked = (pieces: readonly string[], quote: string): string[] =>
  locate(pieces, quote).map(({ piece, from, to }) => pieces[piece]!.slice(from, to));

describe("locating a quotation in the pieces of a page:", () => {
  test.each([
    [
      "line breaks and spaces may differ",
      ["The ceramic filter is ", "", "replaced every ninety", " days. The lamp is new."],
      "filter is replaced\nevery ninety days.",
      ["filter is", "replaced every ninety", "days."],
    ],
    [
      "a word is hyphenated at the end of a line",
      ["the break-", "water was inspected in March"],
      "the breakwater was inspected",
      ["the break-", "water was inspected"],
    ],
    [
      "ligatures and wide characters match plain ones",
      ["eﬃcient ﬁling of ＡＢＣ"],
      "efficient filing of ABC",
      ["eﬃcient ﬁling of ＡＢＣ"],
    ],
    [
      "combining accents match composed letters",
      ["Dvořák wrote"],
      "Dvořák wrote",
      ["Dvořák wrote"],
    ],
    [
      "the pieces are in a different order",
      ["second column says this", "first column says that"],
      "first column says that second column says this",
      ["second column says this", "first column says that"],
    ],
    [
      "the quotation continues on the next page",
      ["This page ends with the beginning of a sentence"],
      "the beginning of a sentence that goes on over the page and has much more to say there",
      ["the beginning of a sentence"],
    ],
    [
      "Chinese has no spaces and short words",
      ["港口管理局批准了", "海鸥号的入港申请。"],
      "批准了海鸥号的入港申请",
      ["批准了", "海鸥号的入港申请。"],
    ],
    [
      "of two identical places the first is marked",
      ["one two three four", "one two three four"],
      "one two three four",
      ["one two three four"],
    ],
    [
      "surrounding quotation marks are included",
      ["he said “come up before four” and left"],
      "come up before four",
      ["“come up before four”"],
    ],
    [
      "words that don't occur are not marked",
      ["The stove burns larch and nothing else."],
      "Guests pay in cash at the door.",
      [],
    ],
    ["a page without text has nothing to mark", [], "anything", []],
    ["a quotation of punctuation only is not found", ["- - -"], "---", []],
    [
      "regular expression characters are literal",
      ["costs (about) $5.00 [net]"],
      "(about) $5.00 [net]",
      ["(about) $5.00 [net]"],
    ],
  ] as const)("%s", (_why, pieces, quote, expected) =>
    expect(marked(pieces, quote)).toEqual([...expected]),
  );

  test("a passage interrupted by other words is marked in parts", () => {
    const pieces = [
      "The pump is checked every morning before the first guest.",
      "Header of the page 12",
      "Whoever finds it silent writes that into the log at once.",
    ];
    expect(marked(pieces, `${pieces[0]} ${pieces[2]}`)).toEqual([pieces[0]!, pieces[2]!]);
  });
});

describe("places in a text", () => {
  test.each([
    ["plain letters", "abcdef", 3, 3],
    ["characters of two UTF-16 units", "a🙂b🙂c", 4, 6],
    ["a lone surrogate counts as one", "a\ud83db", 2, 2],
    ["beyond the end", "ab", 9, 2],
  ] as const)("the index of a code point: %s", (_why, text, offset, index) =>
    expect(indexOfCodePoint(text, offset)).toBe(index),
  );

  test.each([
    ["at its offsets", "one 🙂 two", { quote: "two", start: 6, end: 9 }, { from: 7, to: 10 }],
    [
      "moved by a new version",
      "new words first: one two",
      { quote: "two", start: 4, end: 7 },
      { from: 21, to: 24 },
    ],
    [
      "at the nearest of several places",
      "two ... two ......... two",
      { quote: "two", start: 9, end: 12 },
      { from: 8, to: 11 },
    ],
    ["no longer there", "one", { quote: "two", start: 0, end: 3 }, null],
    ["emptied, because the document was deleted", "one", { quote: "", start: 1, end: 1 }, null],
  ] as const)("the place of a passage: %s", (_why, text, passage, range) =>
    expect(rangeOf(text, passage)).toEqual(range),
  );
});

test.each([
  ["a PDF has pages", "application/pdf", "upload", ["pages", "text"]],
  ["an image is shown", "image/png", "upload", ["picture", "text"]],
  ["TIFF, which browsers can't show, is text only", "image/tiff", "upload", ["text"]],
  [
    "Word is text only",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "upload",
    ["text"],
  ],
  ["a recording is played", "audio/mpeg", "transcription", ["recording", "text"]],
  [
    "media type parameters are ignored",
    "Application/PDF; version=1.7",
    "upload",
    ["pages", "text"],
  ],
] as const)("views of a document: %s", (_why, media_type, kind, views) =>
  expect(
    viewsOf({ media_type, status: "synced", source: { kind, uri: null, run_id: null } }),
  ).toEqual([...views]),
);

interface Element {
  readonly type: unknown;
  readonly props: Readonly<Record<string, unknown>> & { readonly children?: unknown };
}
type Markdown = (props: {
  readonly text: string;
  readonly marker?: (number: number) => string | null;
  readonly plain?: boolean;
}) => Element;
// Its elements are typed by the console's TypeScript settings, not by those of the tests.
const { Markdown } = (await import(
  join(import.meta.dir, "../../plugins/console/web/reader/markdown.tsx")
)) as { Markdown: Markdown };

/** The elements as text, with the attributes that can do harm. */
function written(node: unknown): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(written).join("");
  if (typeof node !== "object") return String(node).replaceAll("<", "&lt;");
  const { type, props } = node as Element;
  const inner = written(props.children);
  if (typeof type !== "string") return inner;
  const attributes = ["href", "src", "target", "rel", "start", "dangerouslySetInnerHTML"]
    .flatMap((name) => (props[name] === undefined ? [] : [` ${name}="${props[name]}"`]))
    .join("");
  return `<${type}${attributes}>${inner}</${type}>`;
}
const shown = (text: string, plain = false): string =>
  written(
    Markdown({ text, plain, marker: (number) => (number <= 3 ? `{${number}}` : null) }),
  ).replace(/^<div>|<\/div>$/g, "");

describe("rendering an answer:", () => {
  test.each([
    [
      "paragraphs, emphasis and code",
      "One **two** *three* ~~four~~ `five`\n\nsix",
      "<p>One <strong>two</strong> <em>three</em> <del>four</del> <code>five</code></p><p>six</p>",
    ],
    [
      "lists, nested and numbered",
      "3. a\n   - b\n4. c",
      '<ol start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>',
    ],
    [
      "headings start below the page's and skip no level",
      "## A\n\n#### B\n\n## C",
      "<h3>A</h3><h4>B</h4><h3>C</h3>",
    ],
    [
      "a table",
      "| a | b |\n|---|---|\n| 1 | [2] |",
      "<div><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>{2}</td></tr></tbody></table></div>",
    ],
    [
      "an index in code is not a marker",
      "Use `argv[2]` [1].\n\n```\nargv[3]\n```",
      "<p>Use <code>argv[2]</code>\u00a0{1}.</p><pre><code>argv[3]</code></pre>",
    ],
    ["escaped brackets are not a marker", "Use argv\\[2\\] [1].", "<p>Use argv[2]\u00a0{1}.</p>"],
    ["a marker stays on the line of the word before", "said so [1].", "<p>said so\u00a0{1}.</p>"],
    ["a marker twice in a row is shown once", "so [1][1] [2]", "<p>so\u00a0{1}\u00a0{2}</p>"],
    ["a marker without a source is kept as text", "so [7]", "<p>so [7]</p>"],
    [
      "a link definition doesn't turn markers into links",
      "so [1]\n\n[1]: https://evil.example",
      '<p>so\u00a0{1}</p><p>{1}: <a href="https://evil.example" target="_blank" rel="noopener noreferrer nofollow">https://evil.example</a></p>',
    ],
    [
      "inline HTML is shown as text",
      "<img src=x onerror=alert(1)> and <b>bold</b>",
      "<p>&lt;img src=x onerror=alert(1)> and &lt;b>bold&lt;/b></p>",
    ],
    [
      "an HTML block is shown as text",
      "<script>alert(1)</script>",
      "<p>&lt;script>alert(1)&lt;/script></p>",
    ],
    [
      "an unsafe link is reduced to its text",
      "[a](javascript:alert(1)) [b](data:text/html,x) [c](/console/keys) [d](vbscript:x)",
      "<p>a b c d</p>",
    ],
    [
      "a safe link is kept",
      "[a](https://example.com/x) <ada@example.com>",
      '<p><a href="https://example.com/x" target="_blank" rel="noopener noreferrer ' +
        'nofollow">a</a> <a href="mailto:ada@example.com" target="_blank" rel="noopener ' +
        'noreferrer nofollow">ada@example.com</a></p>',
    ],
    [
      "an image is reduced to its text, as loading it would notify its host",
      "![a chart](https://evil.example/beacon.png)",
      "<p>a chart</p>",
    ],
  ] as const)("%s", (_why, text, expected) => expect(shown(text)).toBe(expected));

  test.each([
    [
      "is shown verbatim",
      "# not a heading [1]\n- nor a `list` _at_ all",
      "<p># not a heading\u00a0{1}\n- nor a `list` _at_ all</p>",
    ],
    [
      "has the emphasis that the extraction writes",
      "On **Mondays**, *two* ***horses*** [1]",
      "<p>On <strong>Mondays</strong>, <em>two</em> <strong><em>horses</em></strong>\u00a0{1}</p>",
    ],
    ["shows an index as it is written", "Use `argv[2]` [1]", "<p>Use `argv[2]`\u00a0{1}</p>"],
    [
      "keeps the stars of formulas, options and footnotes",
      "2*3*4, 5 * 3 * 2, *args, **kwargs, fee* and tax*, char **p, *q",
      "<p>2*3*4, 5 * 3 * 2, *args, **kwargs, fee* and tax*, char **p, *q</p>",
    ],
  ] as const)("a document's text %s", (_why, text, expected) =>
    expect(shown(text, true)).toBe(expected),
  );

  test.each([
    ["nested quotes", "> ".repeat(5_000)],
    ["open brackets", "[".repeat(20_000)],
    ["emphasis marks", "*a ".repeat(20_000)],
    [
      "nested lists",
      Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth * 2)}- x`).join("\n"),
    ],
  ])("thousands of %s are rendered without failing", (_why, text) =>
    expect(shown(text).length).toBeGreaterThan(0),
  );
});

describe("the passage around a quote", () => {
  const text = "A 😀 heron stands. It waits for fish. It sleeps.";
  const quote = { quote: "It waits for fish.", start: 18, end: 36 };
  const cases: [
    why: string,
    quote: typeof quote,
    passage: { start: number; end: number } | undefined,
    string | null,
  ][] = [
    ["is cut out of the text", quote, { start: 2, end: 47 }, text.slice(2)],
    ["is null when it isn't known", quote, undefined, null],
    ["is null when it equals the quote", quote, { start: 18, end: 36 }, null],
    ["is null in another version", { ...quote, quote: "It waited." }, { start: 0, end: 47 }, null],
  ];
  test.each(cases)("%s", (_why, citation, passage, message) => {
    const range = surroundingsOf(text, citation, passage);
    expect(range && text.slice(range.from, range.to)).toBe(message);
  });
  test("is shaded where it isn't marked", () => {
    const pieces = styledPieces({ from: 10, to: 60 }, [
      { from: 0, to: 14, look: "heading" },
      { from: 20, to: 30, look: "mark" },
      { from: 12, to: 50, look: "shade" },
    ]);
    expect(pieces.map(({ from, to, looks }) => [from, to, looks.join(" ")])).toEqual([
      [10, 12, "heading"],
      [12, 14, "heading shade"],
      [14, 20, "shade"],
      [20, 30, "mark shade"],
      [30, 50, "shade"],
      [50, 60, ""],
    ]);
  });
  test("identifies which of two equal quotes on a page is meant", () => {
    const pieces = ["Leave it. ", "Go home. ", "Then leave it. ", "Stay."];
    const around = locate(pieces, "Then leave it. Stay.");
    expect(locateWithin(pieces, around, "leave it")).toEqual([{ piece: 2, from: 5, to: 14 }]);
    expect(locateWithin(pieces, around, "Go home")).toEqual(locate(pieces, "Go home"));
    expect(locateWithin(pieces, [], "Leave it")).toEqual(locate(pieces, "Leave it"));
  });
});
