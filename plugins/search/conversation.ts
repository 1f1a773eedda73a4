/** Finds passages for a follow-up question: with the questions before it, where it needs them. */
import type { SearchIndex } from "../search-index/contract";
import type { FindOptions, FollowUp, FoundPassage, RetrievedInConversation } from "./contract";

type Analyze = SearchIndex["analyze"];

/** A question with this many terms stands alone, unless it has a pronoun. */
const standalone_terms_min = 4;
/** Earlier questions that one may depend on, at most. */
const earlier_max = 3;
/** Only the end of what was asked before is searched for, UTF-16 units. */
const context_chars_max = 4_000;
const pronouns =
  "he|him|his|she|her|hers|it|its|they|them|their|theirs|these|those|the (?:former|latter|same)";
/** "What do I do then?" */
const has_pronoun = new RegExp(`\\b(?:${pronouns})\\b|\\bthen\\W*$`, "i");

/** As `Retrieval.findInConversation`. */
export async function findInConversation(
  analyze: Analyze,
  { text, history, find }: FollowUp,
  options: FindOptions,
): Promise<RetrievedInConversation> {
  const found = await find(text, options);
  const alone = { ...found, context: null, names_subject: false };
  const context = contextOf(history, (question) => analyze(question).length);
  if (context === undefined || !needsContext(text, found.terms.length)) return alone;
  const together = await find(text, { ...options, context });
  const own_terms = new Set(found.terms.map(({ term }) => term));
  const known_terms = new Set(
    together.terms
      .filter(({ term }) => own_terms.has(term))
      .flatMap(({ term, others }) => [term, ...others]),
  );
  const is_about_old = has_pronoun.test(text) || own_terms.size === 0;
  if (is_about_old) return { ...together, context, names_subject: false };
  // Of something that no passage names, what was said of the old subject must not be said.
  if (known_terms.size === 0) return { ...together, context: null, names_subject: false };
  // A short question that names something new is about that: passages about the old subject alone
  // would only repeat the last answer.
  const known_passages = [...together.passages.keys()].filter((at) =>
    hasTerm(analyze, together.passages[at]!, known_terms),
  );
  return known_passages.length === 0
    ? alone
    : {
        ...together,
        context,
        names_subject: true,
        passages: known_passages.map((at) => together.passages[at]!),
        meanings: known_passages.map((at) => together.meanings[at]!),
      };
}

const hasTerm = (analyze: Analyze, passage: FoundPassage, terms: ReadonlySet<string>): boolean =>
  [passage.quote, passage.document_name, passage.heading ?? ""].some((text) =>
    analyze(text).some(({ term }) => terms.has(term)),
  );

/** Whether a question needs the one before it to be understood. */
const needsContext = (question: string, terms: number): boolean =>
  terms < standalone_terms_min || has_pronoun.test(question);

/**
 * The question before, with those that it needs itself: the subject may have been named a few
 * questions ago.
 */
function contextOf(
  history: FollowUp["history"],
  countTerms: (question: string) => number,
): string | undefined {
  const earlier: string[] = [];
  let chars_left = context_chars_max;
  for (const { question } of history.slice(-earlier_max).toReversed()) {
    // What is longer is rather a text than a question.
    if (earlier.length > 0 && question.length > chars_left) break;
    const end = endOf(question, chars_left);
    earlier.unshift(end);
    chars_left -= question.length;
    if (!needsContext(end, countTerms(end))) break;
  }
  return earlier.length === 0 ? undefined : earlier.join("\n");
}

/** The end of a longer text: from the beginning of a word on, where spaces separate words. */
const endOf = (text: string, chars_max: number): string =>
  text.length <= chars_max
    ? text
    : text
        .slice(text.length - chars_max)
        .replace(/^\S{0,100}\s/, "")
        .toWellFormed();
