/**
 * Finds passages for a question of a conversation: with the questions before it, where it leans on
 * them.
 */
import type { Question } from "../chats/contract";
import type { FoundPassage, Retrieved } from "../search/contract";
import type { Analyze } from "./extract";

/** A question of as many words of its own stands alone, unless it points back. */
const own_terms_enough = 4;
/** A question leans on so many before it at most. */
const earlier_max = 3;
const pointing =
  /\b(?:he|him|his|she|her|hers|it|its|they|them|their|theirs|these|those|the (?:former|latter|same))\b/i;

export type Retrieve = (
  question: Pick<Question, "text" | "history" | "find">,
  limit: number,
) => Promise<Retrieved>;

export function createRetrieve(analyze: Analyze): Retrieve {
  const holds = (passage: FoundPassage, terms: ReadonlySet<string>): boolean =>
    [passage.quote, passage.document_name, passage.heading ?? ""].some((text) =>
      analyze(text).some((word) => terms.has(word.term)),
    );

  return async function retrieve({ text, history, find }, limit) {
    const alone = await find(text, { limit });
    const earlier = earlierOf(history, (question) => analyze(question).length);
    if (earlier === undefined || !leansOnEarlier(text, alone.terms.length)) return alone;
    const together = await find(text, { limit, context: earlier });
    const asked = new Set(alone.terms.map((one) => one.term)),
      own = new Set(together.terms.map((one) => one.term).filter((term) => asked.has(term)));
    if (own.size === 0 || pointing.test(text)) return together;
    // A short question that names something new is about that: what speaks of the old subject alone
    // would only repeat the last answer.
    const passages = together.passages.filter((passage) => holds(passage, own));
    return passages.length > 0 ? { ...together, passages } : alone;
  };
}

/** Whether a question needs the one before it to be understood: it is short, or it points back. */
const leansOnEarlier = (question: string, words: number): boolean =>
  words < own_terms_enough || pointing.test(question);

/**
 * The question before, with those that it leans on itself: the subject may have been named a few
 * questions ago.
 */
function earlierOf(
  history: Question["history"],
  wordsOf: (question: string) => number,
): string | undefined {
  const earlier: string[] = [];
  for (const { question } of history.slice(-earlier_max).toReversed()) {
    earlier.unshift(question);
    if (!leansOnEarlier(question, wordsOf(question))) break;
  }
  return earlier.length === 0 ? undefined : earlier.join("\n");
}
