/** A model says that the sources don't answer; documents may use the same word. */
import { describe, expect, test } from "bun:test";
import { checkedAnswer as checked } from "../helpers/checked-answer";

const hood = "The filter of the hood must be replaced every ninety days.";
const calls =
  "The disposition NO ANSWER means that nobody picked up. NO ANSWER means that it rang. The " +
  "status no_answer is final. NO_ANSWER is the name of the constant.";
const question = "What does it mean?";

type Case = [why: string, written: string, source: string, refused: boolean];
const cases: Case[] = [
  ["the word alone", "NO_ANSWER", hood, true],
  ["a sentence behind it", "NO_ANSWER The sources are about hoods.", hood, true],
  ["two words in a sentence", "I have NO ANSWER to that.", hood, true],
  ["the word alone, which the source uses", "NO_ANSWER", calls, true],
  ["a full stop", "NO_ANSWER.", calls, true],
  ["in bold", "**NO_ANSWER**\n", calls, true],
  ["in lower case", "no_answer", calls, true],
  ["in two words", "NO ANSWER", calls, true],
  ["as a heading", "# NO_ANSWER\n\nThe sources are about calls.", calls, true],
  ["on the next line", "NO ANSWER means that it rang [1].\n\nNO_ANSWER\nOr so.", calls, true],
  ["no: in a sentence", "The disposition NO ANSWER means that nobody picked up [1].", calls, false],
  ["no: it begins a sentence", "NO ANSWER means that it rang [1].", calls, false],
  ["no: it is a status", "The status no_answer is final [1].", calls, false],
  ["no: it is a constant", "NO_ANSWER is the name of the constant [1].", calls, false],
  ["no: it is a line of code", "It rang [1]:\n\n```\nNO_ANSWER\n```\n", calls, false],
];
describe("a model that refuses to answer", () => {
  test.each(cases)("%s", (_why, written, source, refused) => {
    for (const size of [Infinity, 1, 5, 16]) {
      const said = checked(written, [source], question, size);
      expect(said.refused).toBe(refused);
      if (refused) expect(said.answer + said.shown).not.toContain("NO_ANSWER");
      else expect(said.answer).toContain(written.slice(0, written.indexOf(" [1]")));
    }
  });
  test("the question may use the word, too", () =>
    expect(checked("NO ANSWER is a status.", [hood], "Is NO ANSWER a status?").refused).toBe(
      false,
    ));
});
