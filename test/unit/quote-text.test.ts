/** How a quote appears in an answer: without its leading headings, and code as written. */
import { describe, expect, test } from "bun:test";
import { belowHeadings, joinQuotes, withMarker } from "../../plugins/answers-extractive/quote-text";

const cases: [why: string, heading: string][] = [
  ["a hyphen", "3.2 Command-line options"],
  ["regular expression characters", "14.1 [set|get]{x}(a+b)*?^$."],
  ["a backslash and a slash", "\\input and /output"],
  ["a path of two headings", "Paper size › Two-sided - or not"],
];
for (const [why, heading] of cases)
  test(`a heading with ${why}`, () => {
    const text = `${heading.split(" › ").join("\n\n")}\n\nIt says something.`;
    const { start, end } = belowHeadings(text, { start: 0, end: text.length }, heading);
    expect(text.slice(start, end)).toBe("It says something.");
  });

describe("code", () => {
  const cases: [why: string, quotes: string[], is_code: boolean, said: string][] = [
    [
      "is a separate block, as it is written",
      ["```sh\npump start\n  pump list\n```"],
      true,
      "```\npump start\n  pump list\n```\n[1]",
    ],
    [
      "follows the sentence that introduces it",
      ["Start it\nso:\n\n```\npump start\n```"],
      false,
      "Start it so: [1]\n\n```\npump start\n```",
    ],
    [
      "without fences gets new ones",
      ["pump start\npump list"],
      true,
      "```\npump start\npump list\n```\n[1]",
    ],
    [
      "that reads like a marker is left out",
      ["Take the second:\n```\npumps[1]\n```"],
      false,
      "Take the second: [1]",
    ],
    [
      "that contains fences gets longer ones",
      ["~~~\n```\npump\n```\n~~~"],
      true,
      "````\n```\npump\n```\n````\n[1]",
    ],
    [
      "separates the sentences before and after it",
      ["It hums.", "```\npump start\n```", "It is warm."],
      true,
      "It hums. [1]\n\n```\npump start\n```\n[2]\n\nIt is warm. [3]",
    ],
  ];
  for (const [why, quotes, is_code, said] of cases)
    test(why, () =>
      expect(
        joinQuotes(
          quotes.map((quote, at) =>
            withMarker(quote, `[${at + 1}]`, is_code && !quote.startsWith("It ")),
          ),
        ),
      ).toBe(said),
    );
});

describe("a wrapped sentence", () => {
  const cases: [why: string, quote: string, said: string][] = [
    ["has a space for each line break", "It hums\nand is warm.", "It hums and is warm. [1]"],
    ["has none between ideographs", "水泵会\n发热。", "水泵会发热。 [1]"],
    [
      "has none after ideographic punctuation",
      "ポンプは、\n熱くなる。",
      "ポンプは、熱くなる。 [1]",
    ],
    ["has one between an ideograph and a letter", "水泵\nX9 会发热。", "水泵 X9 会发热。 [1]"],
    [
      "loses the numbers of footnotes",
      "It hums. [3] It is\nwarm [4] iron[5][6] from YouTube[7].",
      "It hums. It is warm iron from YouTube. [1]",
    ],
    ["keeps an index in backticks", "It reads `argv[2]`.", "It reads `argv[2]`. [1]"],
    ["has one in Korean", "펌프가\n뜨겁다.", "펌프가 뜨겁다. [1]"],
  ];
  for (const [why, quote, said] of cases)
    test(why, () => expect(withMarker(quote, "[1]", false)).toBe(said));
});
