/** Page layout: lines at the edges, titles, headings and running lines. */
import { expect, test } from "bun:test";
import { listedHeadings } from "../../plugins/extraction/child/listed-headings";
import {
  repeatedLines,
  runningLines,
  type PageEdges,
} from "../../plugins/extraction/server/running-lines";
import { pageHeadings } from "../../plugins/extraction/server/page-headings";
import { layoutOf } from "../../plugins/extraction/child/page-layout";
import { joinLines, type Line } from "../../plugins/extraction/child/paragraphs";

const line = (text: string, left: number, base: number): Line => ({
  text,
  left,
  right: left + 5,
  base,
  size: 10,
  weight: 400,
  hyphenated: false,
});
const row = (count: number, base: number): Line[] =>
  Array.from({ length: count }, (_, at) => line(`x${at}`, at * 100, base));

const cases: [why: string, lines: Line[], edges: number][] = [
  ["none on a page without lines", [], 0],
  ["a single line is at one edge only", row(1, 800), 1],
  ["a row of three pieces", [...row(3, 800), ...row(1, 700), ...row(1, 650), ...row(1, 30)], 6],
  ["two rows at each edge", [800, 780, 700, 600, 50, 30].flatMap((base) => row(1, base)), 4],
  ["a row with too many pieces for a running line", row(10_000, 800), 0],
];
for (const [why, lines, edges] of cases)
  test(`lines at the edges: ${why}`, () => {
    expect(layoutOf(lines, joinLines(lines), []).edges.length).toBe(edges);
  });

test("of thousands of contents entries for one page, only a few are searched", () => {
  const joined = joinLines(row(300, 800).map((line, at) => ({ ...line, base: 8_000 - 20 * at })));
  const entries = Array.from({ length: 300 }, (_, at) => ({ title: `x${at}`, level: 1, page: 1 }));
  expect(listedHeadings(joined, entries).length).toBe(200);
});

const large: [why: string, lines: string[], headings: string[]][] = [
  [
    "no entry of a table of contents",
    ["Paper", "1 Paper . . . . . . . . 12", "2 Rollers ........ 14"],
    ["Paper"],
  ],
  [
    "no item of a list",
    ["Paper", "o Trays of paper", "▪ Rollers", "2) Press the switch"],
    ["Paper"],
  ],
  ["a numbered title", ["2. Rollers"], ["2. Rollers"]],
  ["no number of a page", ["Preface", "viii"], ["Preface"]],
  ["no warning inside a section", ["Rollers", "WARNING", "Note:", "Achtung!"], ["Rollers"]],
  ["no caption of a figure", ["Rollers", "Figure 3: Rollers", "Abb. 4 Trays"], ["Rollers"]],
  ["no address", ["Housing", "housing@example.com", "Room 216, 555-010-2504"], ["Housing"]],
  ["a title with two numbers", ["Models 500 1200"], ["Models 500 1200"]],
  ["a section about warnings", ["Warning lamps"], ["Warning lamps"]],
  [
    "no title of the contents, which is over before the first section",
    ["CONTENTS", "Paper"],
    ["Paper"],
  ],
  ["no sentence", ["Rollers turn.", "Rollers, trays,", "These are:"], []],
];
for (const [why, texts, headings] of large)
  test(`headings in large type: ${why}`, () => {
    const titles = texts.map((text, at) => ({ ...line(text, 0, 800 - 40 * at), size: 18 }));
    const lines = [...titles, ...row(1, 300), ...row(1, 280), ...row(40, 200)];
    const { display } = layoutOf(lines, joinLines(lines), []);
    expect(display.map(({ text }) => text)).toEqual(headings);
  });

const wrapped: [why: string, lines: [text: string, weight: number][], headings: string[]][] = [
  [
    "a title in two lines",
    [
      ["Rollers and", 700],
      ["trays", 700],
    ],
    ["Rollers and\ntrays"],
  ],
  ["no list", ["Paper", "Rollers", "Trays", "Ink"].map((text) => [text, 700]), []],
  [
    "no beginning of a sentence",
    [
      ["Press the", 700],
      ["switch until it stops", 400],
    ],
    [],
  ],
  [
    "a title right above a sentence",
    [
      ["Rollers", 700],
      ["They turn", 400],
    ],
    ["Rollers"],
  ],
];
for (const [why, texts, headings] of wrapped)
  test(`headings of several lines: ${why}`, () => {
    const paragraph = texts.map(([text, weight], at) => ({
      ...line(text, 0, 800 - 12 * at),
      weight,
    }));
    const lines = [...paragraph, ...row(40, 200)];
    const { display } = layoutOf(lines, joinLines(lines), []);
    expect(display.map(({ text }) => text)).toEqual(headings);
  });
const long = "Vectors that are kept for each passage of a document";
const titles: [why: string, lines: string[], title: string, found: string[]][] = [
  ["regardless of spacing", ["Index vectors"], "Index  vectors", ["Index vectors"]],
  ["with its number", ["2.7 Index vectors"], "Index vectors", ["2.7 Index vectors"]],
  ["without its number", ["Index vectors"], "2.7 Index vectors", ["Index vectors"]],
  [
    "with a word before its number",
    ["Appendix A A session"],
    "A A session",
    ["Appendix A A session"],
  ],
  ["in any language", ["Chapitre 5 Les mots"], "5 Les mots", ["Chapitre 5 Les mots"]],
  ["below its number", ["3", "Index vectors"], "3 Index vectors", ["3 Index vectors"]],
  [
    "without a footnote number above it",
    ["3", "2.7 Index vectors"],
    "Index vectors",
    ["2.7 Index vectors"],
  ],
  ["without the end of a sentence above it", ["section.", "2.7 Use"], "2.7 Use", ["2.7 Use"]],
  [
    "without punctuation above it",
    ["}", "2.7 Index vectors"],
    "2.7 Index vectors",
    ["2.7 Index vectors"],
  ],
  ["without the number of the page above it", ["12", "Use"], "Use", ["Use"]],
  ["not in the contents of its chapter", ["• Use", "Use"], "Use", ["Use"]],
  ["without a label in a figure above it", ["R2", "+ . .", "2.7 Use"], "2.7 Use", ["2.7 Use"]],
  ["without one between dashes", ["— 12 —", "Use"], "Use", ["Use"]],
  ["whole, when the outline cuts it", [`${long} of use`], long, [`${long} of use`]],
  ["but not from the beginning of a longer line", ["Use of words"], "Use", []],
  ["but not within a sentence", ["many Index vectors"], "Index vectors", []],
];
for (const [why, lines, title, expected] of titles)
  test(`a listed title is found ${why}`, () => {
    const joined = joinLines(lines.map((text, at) => line(text, 0, 800 - 20 * at)));
    const found = listedHeadings(joined, [{ title, level: 2, page: 1 }]);
    expect(found.map(({ text }) => text.replace(/\s+/g, " "))).toEqual(expected);
  });

const display: [why: string, lines: [text: string, size: number][], levels: number[]][] = [
  [
    "from their numbers",
    [
      ["1 Paper", 16],
      ["1.1 Portrait", 16],
      ["2 Rollers", 16],
    ],
    [1, 2, 1],
  ],
  [
    "from the type size where some have no number",
    [
      ["Preface", 16],
      ["1 Paper", 16],
      ["1.1 Portrait", 13],
      ["Note on trays", 13],
      ["2 Rollers", 16],
    ],
    [1, 1, 2, 2, 1],
  ],
  [
    "a word in a figure is lowest, however large",
    [
      ["1 Paper", 16],
      ["NEAT", 40],
      ["1.1 Portrait", 13],
      ["2 Rollers", 16],
    ],
    [1, 6, 2, 1],
  ],
  [
    "from the type size without numbers",
    [
      ["Paper", 16],
      ["Portrait", 13],
      ["Rollers", 16],
    ],
    [1, 2, 1],
  ],
];
for (const [why, lines, levels] of display)
  test(`heading levels: ${why}`, () => {
    const page = {
      page: 1,
      start: 0,
      end: 5_000,
      edges: [],
      listed: [],
      body_size: 10,
      body_characters: 5_000,
      display: lines.map(([text, size], at) => ({
        text,
        size,
        bold: false,
        start: at * 100,
        end: at * 100 + text.length,
      })),
    };
    expect(pageHeadings([page]).map(({ level }) => level)).toEqual(levels);
  });

const numbered: [why: string, textOf: (page: number) => string, cut: boolean][] = [
  ["a line with the page number is removed", (page) => `${page - 1} of the survey`, true],
  ["titles of one-page chapters are kept", (page) => `${page - 1}. ${"Water".repeat(page)}`, false],
];
for (const [why, textOf, cut] of numbered)
  test(`running lines: ${why}`, async () => {
    const pages = [2, 3, 4, 5, 6].map((page) => ({
      page,
      edges: [
        { start: page * 100, end: page * 100 + 20, at: "head", base: 780, text: textOf(page) },
      ],
    })) satisfies PageEdges[];
    expect((await runningLines(pages)).length).toBe(cut ? pages.length : 0);
  });

test("many running lines are compared with many headings in parts", async () => {
  const running = Array.from({ length: 400 }, (_, at) => ({
    start: at,
    end: at + 1,
    words: `head${"x".repeat(at)}z`,
  }));
  const headings = running.map((_, at) => ({ text: `Harbour${"y".repeat(at)}` }));
  const all = Array.from({ length: 100 }, () => headings).flat();
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const repeated = await repeatedLines(running, [...all, { text: "headxxxz" }]);
  clearInterval(counting);
  expect(repeated.map(({ start }) => start)).toEqual([3]);
  expect(turns).toBeGreaterThan(0);
});
