/** Whether a sentence counts what a question counts: "twelve more satellites". Pure. */
import { number_pattern } from "./number-words";
import type { Word } from "./question-weights";

/** A number, and at most two words. Where many could be, one is seldom counted. */
const number_before = new RegExp(
  `(?!one[\\s-])(?:${number_pattern})(?:\\p{Nd}|[.,]\\p{Nd})*[\\s-]+(?:[\\p{L}-]+\\s+){0,2}$`,
  "iu",
);
/** What may be a number and two words; UTF-16 units. */
const counted_chars_max = 80;

/** Whether a number stands before the term. `words`: of the text; it is at `from` among them. */
export const hasCounted = (
  text: string,
  from: number,
  words: readonly Word[],
  counted: string | undefined,
): boolean =>
  words.some(
    ({ term, start }) => term === counted && number_before.test(justBefore(text, start - from)),
  );

const justBefore = (text: string, at: number): string =>
  text.slice(Math.max(0, at - counted_chars_max), Math.max(0, at));
