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
  /** By how much the most similar passage exceeds the others (`SearchResult.lead` of the index). */
  readonly lead: number;
  /** The question and the passages are in different languages, so its words say nothing. */
  readonly is_other_language: boolean;
  /** The question contains a number, a code or an abbreviation that no passage has. */
  readonly is_name_missing: boolean;
  readonly question: string;
  /** The text of the sentence's passage. */
  readonly passage: string;
}

/**
 * Thresholds, chosen with answerable and unanswerable questions in twelve languages and across
 * them, in scopes of one document and of many, about one subject and about several. Unrelated texts
 * have a similarity around 0, answers around 1.
 */
const least = {
  /**
   * Without similarities: the share of the question in the sentence, around it, and in all
   * passages.
   */
  words: 0.4,
  /** A sentence in the question's language that contains its words may mean something else. */
  similarity: 0.45,
  /**
   * The share, the lead and the similarity together; more when a name is missing, because similar
   * names are found then, and when the question asks for a number that the sentence lacks.
   */
  all: 1,
  all_with_less: 1.4,
  /** The share of the question that a cell's row and column match. */
  cell: 0.75,
} as const;
/**
 * Across languages, similarity and lead together: even answers have a lower similarity there, by
 * the script of the question or of the passage, whichever models know less well.
 */
const least_across = { latin_or_cyrillic: 0.57, other_script: 0.5, ideographs: 0.38 } as const;
/**
 * A passage is less similar than its sentence, which a busy server may be unable to compare in
 * time.
 */
const passage_factor = 0.85;
/** Text around a sentence, or in other passages, counts half as much as its own words. */
const around_weight = 0.5;
const similarity_weight = 0.25;
const lead_weight_across = 0.4;

/**
 * Whether `sentence`, the best one, answers its question. If it does not, none does: the outcome is
 * `no_answer`.
 */
export function isRelevant(sentence: Sentence, found: Found): boolean {
  const { features, similarity } = sentence;
  const { covered, passage_meaning, is_other_language, is_name_missing, lead } = found;
  const nearness =
    similarity ?? (passage_meaning === null ? null : passage_meaning / passage_factor);
  if (is_other_language && nearness !== null)
    return nearness + lead_weight_across * lead >= leastAcross(found);
  if (sentence.row?.is_exact && features.coverage + features.before + features.title >= least.cell)
    return true;
  const near = features.before + features.after + features.title;
  const words = features.coverage + around_weight * (near + covered);
  if (similarity === null) return words >= least.words;
  const has_less = is_name_missing || (asksForNumber(found.question) && features.answer_type === 0);
  const all_min = has_less ? least.all_with_less : least.all;
  const all = words + lead + similarity_weight * similarity;
  return similarity >= least.similarity && all >= all_min;
}

const leastAcross = ({ question, passage }: Found): number =>
  Math.min(leastOf(question), leastOf(passage));

/** Words in ideographs have few letters: a quarter of all letters makes it an ideographic text. */
function leastOf(text: string): number {
  const letters = countOf(text, /\p{L}/gu);
  const ideographs = countOf(text, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  if (ideographs > letters / 4) return least_across.ideographs;
  return countOf(text, /[\p{Script=Latin}\p{Script=Cyrillic}]/gu) >= letters / 2
    ? least_across.latin_or_cyrillic
    : least_across.other_script;
}
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
