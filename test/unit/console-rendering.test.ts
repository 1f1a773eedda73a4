/**
 * Document text as the console renders it: marks are placed at their offsets, and no text becomes
 * markup.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findAll } from "../../plugins/console/web/reader/find";
import { chunksOf, tablesIn } from "../../plugins/console/web/reader/text-chunks";

type Rendering = "markdown" | "tables" | "as_written";
/** It is browser code, which has types other than the tests. */
const { renderedChunk } = (await import(
  join(import.meta.dir, "../../plugins/console/web/reader/rendered-text.tsx")
)) as {
  renderedChunk(text: string, chunk: object, rendering: Rendering, ranges: object[]): Node;
};
type Node = string | number | null | Node[] | { props: { children?: Node }; type: unknown };

/** The texts of the elements of this kind; of all elements without one. */
function texts(node: Node, kind?: string, within = kind === undefined): string[] {
  if (Array.isArray(node)) return node.flatMap((child) => texts(child, kind, within));
  if (typeof node === "string" || typeof node === "number") return within ? [String(node)] : [];
  if (node === null || typeof node !== "object") return [];
  const { type, props } = node;
  if (type === kind && !within) return [texts(props.children ?? null, kind, true).join("")];
  return texts(props.children ?? null, kind, within);
}
/** What is marked in `text` when the part between the guillemets is quoted. */
function marked(written: string, rendering: Rendering = "markdown"): string[] {
  const from = written.indexOf("«");
  const to = written.indexOf("»") - 1;
  const text = written.replace("«", "").replace("»", "");
  return chunksOf(text).flatMap((chunk) =>
    texts(renderedChunk(text, chunk, rendering, [{ from, to, look: "mark" }]), "mark"),
  );
}

describe("a quote is marked in place:", () => {
  test.each<[why: string, written: string, expected: string[]]>([
    ["plain words", "The «lamp is» new.", ["lamp is"]],
    ["the second of two equal phrases", "One lamp, and «one lamp».", ["one lamp"]],
    ["across emphasis", "The «**ceramic** filter» is new.", ["ceramic", " filter"]],
    ["within emphasis", "The **old «ceramic» filter**.", ["ceramic"]],
    ["a heading", "## «Water supply»\n\nWater supply.", ["Water supply"]],
    ["words that also occur in a heading before", "## Water\n\nThe «Water» is cold.", ["Water"]],
    ["an item of a list", "- one\n- «two»\n- one", ["two"]],
    ["a number that is also a list number", "1. 1 egg\n2. «2» eggs", ["2"]],
    ["nested list items", "- a\n  - «b\n  - c»\n- d", ["b", "c"]],
    ["a row of a table", "| A | B |\n|---|---|\n| 1 | 2 |\n«| 1 | 3 |»", ["1", "3"]],
    ["a cell that looks like the delimiter row", "| A | B |\n|---|---|\n| «-» | x |", ["-"]],
    ["an escaped bar in a cell", "| A | B |\n|---|---|\n| «x \\| y» | z |", ["x | y"]],
    ["inline code", "Use `the «lamp»` now", ["lamp"]],
    ["a block of code", "```\nlamp\n«lamp» on\n```", ["lamp"]],
    ["a link", "See [the «lamp»](https://example.com/lamp).", ["lamp"]],
    ["an escaped character", "Five \\* «six» \\* seven", ["six"]],
    ["a block quote", "> first\n> «second» line", ["second"]],
    ["across paragraphs", "One «two.\n\nThree» four.", ["two.", "Three"]],
    ["characters of two UTF-16 units", "😀😀 the «😀 lamp»", ["😀 lamp"]],
    ["after Windows line breaks", "# Lamp\r\n\r\nThe «lamp\r\nis» new.", ["lamp", "is"]],
    ["HTML shown as text", "The <b>«bold»</b> buoy", ["bold"]],
  ])("%s", (_why, written, expected) =>
    expect(marked(written).map((part) => part.trim())).toEqual(expected.map((part) => part.trim())),
  );

  test("in verbatim text and its tables", () => {
    const table = "Some *words*.\n| A | B |\n|---|---|\n| 1 | «2» |\nAnd 2 after.";
    expect(marked(table, "tables")).toEqual(["2"]);
    expect(marked("All «*as* is».", "tables")).toEqual(["*as* is"]);
    expect(marked("| A | B |\n|---|---|\n| 1 | «2» |", "as_written")).toEqual(["2"]);
  });
});

test("HTML in a document stays text", () => {
  const text = "<script>alert(1)</script>\n\n<img src=x onerror=alert(2)> [x](javascript:alert(3))";
  const shown = chunksOf(text).map((chunk) => renderedChunk(text, chunk, "markdown", []));
  expect(texts(shown).join("")).toContain("<script>alert(1)</script>");
  for (const kind of ["script", "img", "a"]) expect(texts(shown, kind)).toEqual([]);
});

describe("splitting a long text:", () => {
  const row = (n: number) => `| ${n} | South ${n} |`;
  const table = `| Number | Region |\n|---|---|\n${Array.from({ length: 3_000 }, (_, n) => row(n)).join("\n")}\n`;
  const code = `\`\`\`js\n${"let lamp = 1;\n\n".repeat(3_000)}\`\`\`\n\nEnd.`;
  const words = `${"Words of a paragraph. ".repeat(20)}\n\n`.repeat(60);

  test.each<[why: string, text: string, cuts: number[]]>([
    ["empty text", "", []],
    ["words", words, []],
    ["one line", "word ".repeat(20_000), []],
    ["a table", table, []],
    ["code", code, []],
    ["pages", words, [1, 500, 501, 9_000]],
    ["pages in a table", table, [100, 200]],
  ])("%s: nothing is lost, and it is split at every given offset", (_why, text, cuts) => {
    const chunks = chunksOf(text, cuts);
    expect(chunks.map(({ from, to }) => text.slice(from, to)).join("")).toBe(text);
    const begins = new Set(chunks.map(({ from }) => from));
    expect(cuts.filter((cut) => !begins.has(cut))).toEqual([]);
  });

  test("every part of a table is a table with its header", () => {
    const chunks = chunksOf(table);
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) {
      expect(tablesIn(table, chunk)).toEqual([{ from: chunk.from, to: chunk.to, table: true }]);
      const [first, ...rest] = texts(renderedChunk(table, chunk, "tables", []), "th");
      expect([first, rest]).toEqual(["Number", ["Region"]]);
    }
    const at = table.indexOf("South 2990");
    const looks = [{ from: at, to: at + 10, look: "mark" }];
    expect(
      chunks.flatMap((chunk) => texts(renderedChunk(table, chunk, "tables", looks), "mark")),
    ).toEqual(["South 2990"]);
  });

  test("code continues as code", () => {
    const chunks = chunksOf(code);
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks.slice(0, -1))
      expect(texts(renderedChunk(code, chunk, "markdown", []), "pre").length).toBeGreaterThan(0);
    expect(texts(renderedChunk(code, chunks.at(-1)!, "markdown", []), "p")).toEqual(["End."]);
  });
});

describe("marking a query:", () => {
  test.each<[why: string, text: string, query: string, expected: string[]]>([
    ["regardless of case", "Lamp, lamp and LAMP", "lamp", ["Lamp", "lamp", "LAMP"]],
    ["regardless of case beyond ASCII", "Türen und TÜREN", "türen", ["Türen", "TÜREN"]],
    [
      "across spaces and line breaks",
      "the  ceramic\nfilter",
      "the ceramic filter",
      ["the  ceramic\nfilter"],
    ],
    ["across emphasis and cells", "| **South** | 95 |", "south 95", ["South** | 95"]],
    ["regular expression characters are literal", "a.b (c) a+b", "(c)", ["(c)"]],
    ["a hyphen is literal", "a well-known lamp", "well-known", ["well-known"]],
    ["an empty query finds nothing", "abc", "  ", []],
  ])("%s", (_why, text, query, expected) =>
    expect(findAll(text, query).map(({ from, to }) => text.slice(from, to))).toEqual(expected),
  );
});
