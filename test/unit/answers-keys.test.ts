/** Keys that a question names, entries that begin with them, and what is like code in a text. */
import { describe, expect, test } from "bun:test";
import { codeTest, isHeading } from "../../plugins/answers-extractive/line-kinds";
import {
  beginsWithKey,
  hasKeyCell,
  questionKeys,
} from "../../plugins/answers-extractive/question-keys";

test.each([
  ["a letter alone", "What does the letter R on the display mean?", ["R"]],
  ["no word of one letter", "Which lamp is a sign of danger if I open it?", []],
  ["unless it is named", "What is the flag e for?", ["e"]],
  ["or quoted", "What does ‘a’ on the display mean?", ["a"]],
  ["a short number", "What does exit code 5 of the washer mean?", ["5"]],
  ["no long one", "What happened in 1970?", []],
  ["a sign", "Which command does the same as ^ in the table?", ["^"]],
  ["no punctuation", "Lid , pump - and drum: which is red?", []],
  ["a short name behind what it names", "What does the counter pe count?", ["pe"]],
  ["no function word", "In which mode is the drum, and at what level of heat?", []],
  ["no verb", "Which option sets the heat?", []],
  ["what is assigned", "Which heat does speed=3 select?", ["3"]],
  ["in German", "Was bedeutet die Taste K?", ["K"]],
  ["a letter behind a sign", "What does %i stand for in a label?", ["%i"]],
  ["a name whose meaning is asked", "What does the type LIDLOCK mean?", ["LIDLOCK"]],
  ["not of which something else is asked", "Who has made the LIDLOCK?", []],
] as const)("keys: %s", (_why, question, expected) =>
  expect([...questionKeys(question)]).toEqual([...expected]),
);

test.each([
  ["it is quoted", "‘w’ appears if the lid is open.", true],
  ["it is bare", "w the lid is open", true],
  ["in a list", "• w: the lid is open", true],
  ["before a sign", "w%lid.svg", true],
  ["in brackets", "(w) The lid is open.", true],
  ["not behind a sign", "%w The lid is open.", false],
  ["not in the other case", "W the lid is open", false],
  ["not a word that begins with it", "washing opens the lid", false],
  ["not within the line", "The w is for washing.", false],
] as const)("an entry begins with its key: %s", (_why, text, expected) =>
  expect(beginsWithKey(text, new Set(["w"]))).toBe(expected),
);
test.each([
  ["the first cell", ["5", "Stuck", "Turn it."], true],
  ["the second", ["Stuck", "‘5’", "Turn it."], true],
  ["a later one", ["Stuck", "Turn it.", "5"], false],
  ["part of one", ["15", "5 turns"], false],
] as const)("a row has its key: %s", (_why, cells, expected) =>
  expect(hasKeyCell(cells, new Set(["5"]))).toBe(expected),
);

describe("like code is", () => {
  test.each([
    ["a command behind a prompt", "# washctl down <drum>", null, true],
    ["behind that of a user", "$ washctl list", null, true],
    ["not a heading", "# Washing", null, false],
    ["nor one in lower case that the passage has", "# washing", "Manual › washing", false],
    ["what a program prints", "washctl: open lid\nwashctl: drain\n\nwashctl: done", null, true],
    ["behind the command", "$ washctl\nwashctl: open lid\nwashctl: done", null, true],
    ["not a list of names", "washctl: the program\ndrum: a part of it", null, false],
    ["not prose", "Wash it: with water.\nDry it: in the sun.", null, false],
  ] as const)("%s", (_why, text, heading, expected) => {
    expect(codeTest(text, heading)({ start: 0, end: text.length })).toBe(expected);
    if (expected) expect(isHeading(text, heading)).toBeFalse();
  });
});
