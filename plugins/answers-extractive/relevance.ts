/** Whether a sentence that was found answers the question, or only comes nearest. Pure. */
import { asksForNumber } from "./answer-types";
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
  /** The text of the passage that the sentence is of. */
  readonly passage: string;
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
  /**
   * Words and meaning together; more where a name is missing, as what is like it is found then, and
   * where a number is asked for that the sentence has not.
   */
  both: 0.95,
  both_with_less: 1.4,
  /** Of the question, what a cell has that its row and column are asked for by. */
  cell: 0.75,
} as const;
/**
 * Across languages even answers are farther: by the script of the question or of the passage,
 * whichever models know less.
 */
const least_across = { latin_or_cyrillic: 0.42, other_script: 0.32, ideographs: 0.25 } as const;
/** A line that is no sentence, as of code, is near many questions a little. */
const broken_factor = 1.25;
/** A passage is farther than its sentence, which a busy server may not compare in time. */
const passage_factor = 0.85;
/** What stands around a sentence, or in other passages, is half as much worth as its own words. */
const around_weight = 0.5;
/** The mean of the nearness of a sentence and of its passage, against the words. */
const meaning_weight = 2 / 3;

/**
 * Whether `sentence`, the best one that was found, answers its question. Where it does not, nothing
 * does: the question is answered with `no_answer`.
 */
export function isRelevant(sentence: Sentence, found: Found): boolean {
  const { features, similarity } = sentence,
    { covered, passage_meaning, is_other_language, is_name_missing } = found,
    nearness = meanOf(similarity, passage_meaning);
  if (is_other_language && nearness !== null) return nearness >= leastAcross(sentence, found);
  if (sentence.row?.is_exact && features.coverage + features.before + features.title >= least.cell)
    return true;
  const near = features.before + features.after + features.title,
    words = features.coverage + around_weight * (near + covered);
  if (similarity === null || nearness === null) return words >= least.words;
  const has_less = is_name_missing || (asksForNumber(found.question) && features.answer_type === 0),
    both_min = has_less ? least.both_with_less : least.both;
  return similarity >= least.similarity && words + meaning_weight * nearness >= both_min;
}

function leastAcross({ features, similarity, row }: Sentence, found: Found): number {
  const for_sentences = Math.min(leastOf(found.question), leastOf(found.passage));
  if (similarity === null) return for_sentences * passage_factor;
  return features.broken > 0 && row === undefined ? for_sentences * broken_factor : for_sentences;
}

/** Words of ideographs have few letters: a quarter of all letters makes it a text of ideographs. */
function leastOf(text: string): number {
  const letters = countOf(text, /\p{L}/gu),
    ideographs = countOf(text, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  if (ideographs > letters / 4) return least_across.ideographs;
  return countOf(text, /[\p{Script=Latin}\p{Script=Cyrillic}]/gu) >= letters / 2
    ? least_across.latin_or_cyrillic
    : least_across.other_script;
}
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function meanOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return (one + other) / 2;
}
