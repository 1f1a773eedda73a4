/** Whether the best sentence answers the question, or is merely the closest. Pure. */
import { asksForNumber } from "./answer-types";
import type { Sentence } from "./sentence-ranking";

/** What is known besides the sentence itself. */
export interface Found {
  /**
   * The share of the question found in the passages, 0 to 1, weighted by the rarity of its words.
   */
  readonly covered: number;
  /** The similarity of the sentence's passage, 0 to 1; null when unknown. */
  readonly passage_meaning: number | null;
  /** The question and the passages are in different languages, so its words say nothing. */
  readonly is_other_language: boolean;
  /** The question contains a number, a code or an abbreviation that no passage has. */
  readonly is_name_missing: boolean;
  readonly question: string;
  /** The text of the sentence's passage. */
  readonly passage: string;
}

/**
 * Thresholds, chosen with answerable and unanswerable questions in seven languages and across
 * languages. Unrelated texts have a similarity around 0, answers around 1.
 */
const least = {
  /**
   * Without similarities: the share of the question in the sentence, around it, and in all
   * passages.
   */
  words: 0.4,
  /** A sentence in the question's language that contains its words may mean something else. */
  similarity: 0.62,
  /**
   * Words and similarity together; more when a name is missing, because similar names are found
   * then, and when the question asks for a number that the sentence lacks.
   */
  both: 0.95,
  both_with_less: 1.4,
  /** The share of the question that a cell's row and column match. */
  cell: 0.75,
} as const;
/**
 * Across languages even answers have a lower similarity: by the script of the question or of the
 * passage, whichever models know less well.
 */
const least_across = { latin_or_cyrillic: 0.42, other_script: 0.32, ideographs: 0.25 } as const;
/** A line that is not a sentence, such as code, is slightly similar to many questions. */
const broken_factor = 1.25;
/**
 * Lines with hardly any words, such as rows of figures or the inside of a file, are similar to any
 * question in another script. Where letters are less than `letters_share` of a line, its similarity
 * must be higher by `factor`.
 */
const wordless = { factor: 1.75, letters_share: 0.65 } as const;
/**
 * A passage is less similar than its sentence, which a busy server may be unable to compare in
 * time.
 */
const passage_factor = 0.85;
/** Text around a sentence, or in other passages, counts half as much as its own words. */
const around_weight = 0.5;
/** The weight of the mean similarity of a sentence and its passage, against that of the words. */
const meaning_weight = 2 / 3;

/**
 * Whether `sentence`, the best one, answers its question. If it does not, none does: the outcome is
 * `no_answer`.
 */
export function isRelevant(sentence: Sentence, found: Found): boolean {
  const { features, similarity } = sentence;
  const { covered, passage_meaning, is_other_language, is_name_missing } = found;
  const nearness = meanOf(similarity, passage_meaning);
  if (is_other_language && nearness !== null) return nearness >= leastAcross(sentence, found);
  if (sentence.row?.is_exact && features.coverage + features.before + features.title >= least.cell)
    return true;
  const near = features.before + features.after + features.title;
  const words = features.coverage + around_weight * (near + covered);
  if (similarity === null || nearness === null) return words >= least.words;
  const has_less = is_name_missing || (asksForNumber(found.question) && features.answer_type === 0);
  const both_min = has_less ? least.both_with_less : least.both;
  return similarity >= least.similarity && words + meaning_weight * nearness >= both_min;
}

function leastAcross(sentence: Sentence, found: Found): number {
  const { features, similarity, row, start, end } = sentence;
  const for_sentences = Math.min(leastOf(found.question), leastOf(found.passage));
  if (similarity === null) return for_sentences * passage_factor;
  if (isWordless(found.passage.slice(start, end))) return for_sentences * wordless.factor;
  return features.broken > 0 && row === undefined ? for_sentences * broken_factor : for_sentences;
}

/** Words in ideographs have few letters: a quarter of all letters makes it an ideographic text. */
function leastOf(text: string): number {
  const letters = countOf(text, /\p{L}/gu);
  const ideographs = countOf(text, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  if (ideographs > letters / 4) return least_across.ideographs;
  return countOf(text, /[\p{Script=Latin}\p{Script=Cyrillic}]/gu) >= letters / 2
    ? least_across.latin_or_cyrillic
    : least_across.other_script;
}
const isWordless = (text: string): boolean =>
  countOf(text, /[\p{L}\p{M}]/gu) < wordless.letters_share * countOf(text, /\S/gu);
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function meanOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return (one + other) / 2;
}
