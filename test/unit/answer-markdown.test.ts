/**
 * Headings, tables and markers in a model's answer: what is checked of them, and where the marks go.
 */
import { describe, expect, test } from "bun:test";
import { checkedAnswer as checked } from "../helpers/checked-answer";

const hood =
  "The warranty of the hood lasts 2 years. The filter must be replaced every ninety days. The " +
  "hood weighs 12.5 kg.";
const question = "What is known about the hood?";
type Case = [why: string, written: string, answer: string, grounded: boolean];

function check(written: string, answer: string, grounded: boolean): void {
  for (const size of [Infinity, 1, 7, 30]) {
    const said = checked(written, [hood], question, size);
    expect([said.answer, said.grounded, said.shown]).toEqual([answer, grounded, answer]);
  }
}

describe("a heading", () => {
  const text = "\n\nThe filter must be replaced every ninety days [1].";
  const headings: [why: string, heading: string, shown: string][] = [
    ["with an untrue measure is marked", "## Warranty: 12 years", "## Warranty: 12 years [?]"],
    ["with a true measure is cited", "## Warranty: 2 years", "## Warranty: 2 years [1]"],
    ["with the number of a step states nothing", "## Step 7: Filter", "## Step 7: Filter"],
    ["with its own number states nothing", "## 7. Filter", "## 7. Filter"],
    [
      "without a number states nothing",
      "## Anna Keller's daily care",
      "## Anna Keller's daily care",
    ],
  ];
  const cases = headings.map(([why, heading, shown]): Case => [
    why,
    heading + text,
    shown + (shown.endsWith("[1]") ? text.replace("[1]", "[2]") : text),
    !shown.endsWith("[?]"),
  ]);
  test.each(cases)("%s", (_why, written, answer, grounded) => check(written, answer, grounded));
});

describe("a table", () => {
  const head = "| Item | Value |\n|------|-------|\n";
  const cases: Case[] = [
    [
      "has its marks in the last cells; its head states nothing",
      `${head}| Warranty of the hood | 2 years |\n| Weight of the hood | 99 kg |`,
      `${head}| Warranty of the hood | 2 years [1] |\n| Weight of the hood | 99 kg [?] |`,
      false,
    ],
    [
      "has the markers behind its rows in the last cells",
      `${head}| Warranty of the hood | 2 years | [1]\n| Weight of the hood | 12.5 kg | [1]\n`,
      `${head}| Warranty of the hood | 2 years [1] |\n| Weight of the hood | 12.5 kg [2] |`,
      true,
    ],
    [
      "keeps the markers in its cells",
      `${head}| Warranty of the hood [1] | 2 years |\n\nThe hood weighs 12.5 kg [1].`,
      `${head}| Warranty of the hood [1] | 2 years |\n\nThe hood weighs 12.5 kg [2].`,
      true,
    ],
    [
      "has rows of several sentences, each one statement",
      `${head}| The warranty lasts 2 years. The filter | It must be replaced every 90 days. |\n`,
      `${head}| The warranty lasts 2 years. The filter | It must be replaced every 90 days [1]. |`,
      true,
    ],
    [
      "has no delimiter: its first row states what the others do",
      "| Warranty of the hood | 2 years |\n| Weight of the hood | 99 kg |",
      "| Warranty of the hood | 2 years [1] |\n| Weight of the hood | 99 kg [?] |",
      false,
    ],
    [
      "with an empty last cell",
      `${head}| The hood weighs 99 kg | |\n`,
      `${head}| The hood weighs 99 kg | [?] |`,
      false,
    ],
    [
      "with a false quotation in its head",
      `| "Value of pirates" |\n|---|\n| The hood weighs 12.5 kg |`,
      "| Value of pirates [?] |\n|---|\n| The hood weighs 12.5 kg [1] |",
      false,
    ],
  ];
  test.each(cases)("%s", (_why, written, answer, grounded) => check(written, answer, grounded));
});

test.each([
  ["before the comma", "According to source 1 [1], the hood weighs 12.5 kg."],
  ["behind the comma", "According to source 1, [1] the hood weighs 12.5 kg."],
  ["and at the end", "According to source 1, the hood weighs 12.5 kg [1]."],
])("a marker in words, with another one %s, is one at the end", (_where, written) =>
  check(written, "The hood weighs 12.5 kg [1].", true),
);

test("a marker right behind one in words belongs to the same sentence, and no text is repeated", () => {
  const first = "The warranty of the hood lasts 2 years [1].";
  const second = "The filter must be replaced every ninety days";
  const third = "The hood weighs 12.5 kg";
  check(
    `${first} According to source 1, [9]${second}. ${third} [1].`,
    `${first} ${second} [2]. ${third} [3].`,
    true,
  );
});
