/** Headings and tables in a model's answer: what is checked of them, and where the marks go. */
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
