/** The two things that a question asks about: "the left cap and the right cap". Pure. */
import { and } from "./question-parts";
import type { Word } from "./question-weights";

const conjunction = new RegExp(`(?<=\\s)(?:${and})(?=\\s)`, "iu");
/** How many terms on either side are compared: "the amino group and the carboxylic group". */
const terms_max = 3;

/**
 * The term that tells each from the other; null for a question about one thing. `terms`: those that
 * count.
 */
export function coordinatedTerms(
  question: string,
  analyze: (text: string) => readonly Word[],
  terms: ReadonlySet<string>,
): readonly [string, string] | null {
  const match = conjunction.exec(question);
  if (match === null) return null;
  const words = analyze(question).filter(({ term }) => terms.has(term));
  const before = words.filter(({ end }) => end <= match.index).slice(-terms_max);
  const after = words.filter(({ start }) => start > match.index).slice(0, terms_max);
  const first = before.findLast(({ term }) => !after.some((other) => other.term === term));
  const second = after.find(({ term }) => !before.some((other) => other.term === term));
  return first && second ? [first.term, second.term] : null;
}
