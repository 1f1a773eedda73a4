/** Whether a sentence that was found answers the question, or only comes nearest. Pure. */
import type { Sentence } from "./sentence-ranking";

/** What is known besides the sentence itself. */
export interface Found {
  /** Of the question, what some passage has: 0 to 1, by the rarity of its words. */
  readonly covered: number;
  /** How near the passage of the sentence is in meaning, 0 to 1; null when it is not known. */
  readonly passage_meaning: number | null;
  /** The question is in another language than the passages, so its words say nothing. */
  readonly is_other_language: boolean;
  /** The question has a number, a code or an abbreviation that no passage has. */
  readonly is_name_missing: boolean;
  readonly question: string;
}

/**
 * Thresholds, chosen on answerable and unanswerable questions in seven languages and across
 * languages. What is unrelated has a similarity around 0, an answer one around 1.
 */
const least = {
  /** Without similarities: of the question, in the sentence and around it, and in all passages. */
  words: 0.4,
  /** A sentence in the language of the question that has its words, but means something else. */
  similarity: 0.62,
  /** Words and meaning together; more where a name is missing, as what is like it is found then. */
  both: 0.95,
  both_without_name: 1.4,
  /** Of the question, what a cell has that its row and column are asked for by. */
  cell: 0.75,
  /**
   * Across languages even answers are farther, the most from languages without spaces. A line that
   * is no sentence, as of code, is near many questions a little.
   */
  other_language: 0.4,
  other_language_broken: 0.5,
  other_language_without_spaces: 0.1,
} as const;
/** What stands around a sentence, or in other passages, is half as much worth as its own words. */
const around_weight = 0.5;
/** The mean of the nearness of a sentence and of its passage, against the words. */
const meaning_weight = 2 / 3;
const without_spaces = new RegExp(
  ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
    .map((script) => `\\p{Script=${script}}`)
    .join("|"),
  "u",
);

export function isRelevant(sentence: Sentence, found: Found): boolean {
  const { features, similarity } = sentence,
    { covered, passage_meaning, is_other_language, is_name_missing, question } = found,
    nearness = meanOf(similarity, passage_meaning);
  if (is_other_language && nearness !== null) {
    if (without_spaces.test(question)) return nearness >= least.other_language_without_spaces;
    const is_line = features.broken > 0 && sentence.row === undefined;
    return nearness >= (is_line ? least.other_language_broken : least.other_language);
  }
  if (sentence.row?.is_exact && features.coverage + features.before + features.title >= least.cell)
    return true;
  const near = features.before + features.after + features.title,
    words = features.coverage + around_weight * (near + covered);
  if (similarity === null || nearness === null) return words >= least.words;
  const both_min = is_name_missing ? least.both_without_name : least.both;
  return similarity >= least.similarity && words + meaning_weight * nearness >= both_min;
}

function meanOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return (one + other) / 2;
}
