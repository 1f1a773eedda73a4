/** Text formats: tables become pipe tables, Markdown gives headings, data its exact media type. */
import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtractionContext } from "../../plugins/extraction/context";
import { textExtractor } from "../../plugins/extraction/text/extractor";
import { markdownHeadings } from "../../plugins/extraction/text/markdown";
import { formatText } from "../../plugins/extraction/text/formats";

const shaped = (text: string, name = "file", declared_type: string | null = null) =>
  formatText(text, { name, declared_type });

describe("delimited tables:", () => {
  const cases: [string, string, string][] = [
    ["commas", "a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
    [
      "semicolons, with decimal commas",
      "Mooring;Depth\nGannet;11,5\nPuffin;7,25",
      "| Mooring | Depth |\n| --- | --- |\n| Gannet | 11,5 |\n| Puffin | 7,25 |",
    ],
    ["tabs", "a\tb\n1\t2, 3, 4, 5", "| a | b |\n| --- | --- |\n| 1 | 2, 3, 4, 5 |"],
    ["pipes", "a|b\n1|2", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
    [
      "quoted cells with the delimiter, quotes and line breaks",
      'name,note\n"Post, Skua","says ""no""\nand goes"\n',
      '| name | note |\n| --- | --- |\n| Post, Skua | says "no"<br>and goes |',
    ],
    [
      "quotes as ordinary characters",
      'size,name\n5" pipe,"a" b\n6",c',
      '| size | name |\n| --- | --- |\n| 5" pipe | "a" b |\n| 6" | c |',
    ],
    [
      "a quote that is never closed",
      'a,b\n"1,2\n3,4',
      '| a | b |\n| --- | --- |\n| "1 | 2 |\n| 3 | 4 |',
    ],
    [
      "empty cells are kept",
      "a,b,c\n,2,\n,,3",
      "| a | b | c |\n| --- | --- | --- |\n|  | 2 |  |\n|  |  | 3 |",
    ],
    ["a single column is left unchanged", "one\ntwo, three\n", "one\ntwo, three\n"],
    [
      "title lines above a table, and blank lines",
      "Depths of 2031\n\nmooring;depth\nGannet;11,5\n;7\n",
      "Depths of 2031\n\n| mooring | depth |\n| --- | --- |\n| Gannet | 11,5 |\n|  | 7 |",
    ],
    ["a delimiter that the file names", "sep=^\na^b\n1^2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
    [
      "a pipe in a cell",
      "a,b\n1|2,3\n",
      String.raw`| a | b |${"\n"}| --- | --- |${"\n"}| 1\|2 | 3 |`,
    ],
    [
      "more commas than delimiters",
      "a;b\nx, y, z, w;1\nx, y;2\nx;3",
      "| a | b |\n| --- | --- |\n| x, y, z, w | 1 |\n| x, y | 2 |\n| x | 3 |",
    ],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => expect(shaped(text, "t.csv").text).toBe(expected));

  const types: [string, string, string, string | null, string][] = [
    ["from its name", "a,b\n1,2", "t.CSV", null, "text/csv"],
    ["from its declared type", "a,b\n1,2", "t", "text/csv; charset=utf-8", "text/csv"],
    ["with tabs", "a\tb\n1\t2", "t.tsv", null, "text/tab-separated-values"],
    ["is plain text when it is not a table", "words", "t.csv", null, "text/plain"],
    ["is plain text under another name", "a,b\n1,2", "t.txt", null, "text/plain"],
  ];
  for (const [why, text, name, declared, media_type] of types)
    test(`its type ${why}`, () => expect(shaped(text, name, declared).media_type).toBe(media_type));

  test("hostile quotes take linear time", () => {
    for (const text of [
      `a,b\n${'"'.repeat(2_000_001)}`,
      `a,b\n${',"x'.repeat(700_000)}`,
      `a,b\n${',"""x'.repeat(500_000)}`,
      `a,b\n"${'""'.repeat(1_000_000)}`,
    ])
      expect(shaped(text, "t.csv").text.length).toBeGreaterThan(100_000);
  });
});

test("cells beyond the widest sheet stay in the last one", () => {
  const { text } = shaped(`${"a,".repeat(20_000)}end\nb,c\n`, "t.csv");
  expect(text).toContain("a,a,end |");
});

describe("which tables are read in the server:", () => {
  const ctx = {
    isolate: async () => {
      throw new Error("Read in a child.");
    },
    newId: () => "ext_1",
    paths: { data: "", database: "", temporary: tmpdir() },
    limits: () => ({ characters_max: 1_000_000 }),
  } as unknown as ExtractionContext;
  const cases: [string, number, boolean][] = [
    ["a short one", 5_000, true],
    ["not one that takes long", 50_000, false],
  ];
  for (const [why, rows, in_server] of cases)
    test(why, async () => {
      const path = join(tmpdir(), `table-${rows}.csv`);
      const size_bytes = await Bun.write(path, `a,b\n${"1,2\n".repeat(rows)}`);
      const source = { path, size_bytes, name: "t.csv", declared_type: null };
      const options = { signal: new AbortController().signal, onProgress: () => {} };
      const reading = textExtractor(ctx).extract(source, options);
      if (in_server) await reading;
      else await expect(reading).rejects.toThrow("Read in a child.");
    });
});

describe("data:", () => {
  const cases: [string, string, string, string, string][] = [
    ["JSON", '{"a": [1, 2]}\n', "data", "application/json", '{"a": [1, 2]}\n'],
    [
      "JSON with escaped characters",
      '{"a": "\\u041a\\u0430 \\ud83d\\udea2 \\u0022 \\\\u0041 \\n"}',
      "d.json",
      "application/json",
      '{"a": "Ка 🚢 \\u0022 \\\\u0041 \\n"}',
    ],
    ["a lone surrogate in JSON", '["\\ud83d"]', "d.json", "application/json", '["\ufffd"]'],
    [
      "one JSON value per line",
      '{"a":1}\n\n{"a":2}\n',
      "log",
      "application/x-ndjson",
      '{"a":1}\n\n{"a":2}\n',
    ],
    ["text that only begins like JSON", "[draft] words", "d.json", "text/plain", "[draft] words"],
    ["a number is plain text", "42", "d.json", "text/plain", "42"],
    ["JSON too deep to parse", "[".repeat(100_000), "d.json", "text/plain", "[".repeat(100_000)],
    [
      "XML",
      '<?xml version="1.0"?><a>b</a>',
      "x",
      "application/xml",
      '<?xml version="1.0"?><a>b</a>',
    ],
    [
      "SVG",
      '<?xml version="1.0"?>\n<!-- a --><svg xmlns="x"/>',
      "x",
      "image/svg+xml",
      '<?xml version="1.0"?>\n<!-- a --><svg xmlns="x"/>',
    ],
    [
      "YAML by its name and content",
      "# about\nname: a\n",
      "x.yml",
      "application/yaml",
      "# about\nname: a\n",
    ],
    ["prose in a file named like YAML", "only words", "x.yml", "text/plain", "only words"],
    ["source code", "if (a) {\n  b();\n}", "x.c", "text/plain", "if (a) {\n  b();\n}"],
  ];
  for (const [why, text, name, media_type, expected] of cases)
    test(why, () => expect(shaped(text, name)).toEqual({ text: expected, media_type }));
});

describe("Markdown headings:", () => {
  const cases: [string, string, [string, number][]][] = [
    [
      "hash marks",
      "# One\ntext\n### Two ###\n",
      [
        ["One", 1],
        ["Two", 3],
      ],
    ],
    ["a hash mark without a space or text is none", "#tag\n# \n####### seven", []],
    [
      "underlined",
      "One\n===\n\nTwo\n---\n",
      [
        ["One", 1],
        ["Two", 2],
      ],
    ],
    ["a rule under an empty line is none", "text\n\n---\n\n- a\n---\n", []],
    ["none in code", "```sh\n# no\n```\n# Yes\n~~~\n# no\n```\n# no\n~~~\n", [["Yes", 1]]],
    ["none in front matter", "---\ntitle: x\n---\n# Yes", [["Yes", 1]]],
    ["indented by up to three spaces", "   ## One\n    ## code", [["One", 2]]],
  ];
  test("hostile lines take linear time", () => {
    const blanks = `# a${" ".repeat(990)}b\n`;
    const begun_ms = performance.now();
    expect(markdownHeadings(blanks.repeat(20_000))).toHaveLength(20_000);
    expect(performance.now() - begun_ms).toBeLessThan(4_000);
  });
  for (const [why, text, expected] of cases)
    test(why, () =>
      expect(
        markdownHeadings(text).map(({ start, end, level }) => [text.slice(start, end), level]),
      ).toEqual(expected as never),
    );
  test("by the file name only", () =>
    expect([shaped("# a", "x.md").headings?.length, shaped("# a", "x.txt").headings]).toEqual([
      1,
      undefined,
    ]));
});
