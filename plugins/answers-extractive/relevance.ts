/** Whether the best sentence answers the question, or is merely the closest. Pure. */
import { asksForNumber } from "./answer-types";
import type { Sentence } from "./sentence-ranking";

/** What the passages and their other sentences say about it. */
export interface RelevanceContext {
  /**
   * The share of the question found in the passages, 0 to 1, weighted by the rarity of its words.
   */
  readonly passages_coverage: number;
  /** The similarity of the sentence's passage, 0 to 1; null when unknown. */
  readonly passage_meaning: number | null;
  /** By how much the most similar passage exceeds the others (`SearchResult.lead` of the index). */
  readonly lead: number;
  /** The mean similarity of the other sentences that were compared; 0 when there are none. */
  readonly others_meaning: number;
  /** The question and the passages are in different languages, so its words say nothing. */
  readonly is_other_language: boolean;
  /** Their similarities include those of their tokens. */
  readonly are_by_tokens: boolean;
  /** ISO 639-1; null when undetected. */
  readonly language: string | null;
  readonly passages_language: string | null;
  /** The question contains a number, a code, an abbreviation or a name that no passage has. */
  readonly is_name_missing: boolean;
  readonly question: string;
}

/**
 * Thresholds, chosen with answerable and unanswerable questions in twelve languages and across
 * them, in scopes of one document and of many, about one subject and about several. Unrelated texts
 * have a similarity around 0, answers around 1.
 */
const thresholds = {
  /**
   * Without similarities: the share of the question in the sentence, around it, and in all
   * passages.
   */
  words: 0.4,
  /** A sentence in the question's language that contains its words may mean something else. */
  similarity: 0.45,
  /**
   * The sum of the share, the lead and the weighted similarity. It must be higher when a name is
   * missing, because similar names are found then, and when the question asks for a number that
   * the sentence lacks; it may be lower when the sentence stands out, because then it may answer
   * in other words.
   */
  total: 1,
  total_needing_more: 1.4,
  total_standing_out: 0.8,
  /** Above both, it answers in whatever words, unless a name is missing. */
  close: { similarity: 0.7, lead: 0.35 },
  /** The share of the question that a cell's row and column match. */
  cell: 0.75,
} as const;
/**
 * Across languages words say nothing. What answers is similar, and its passage and its sentence
 * exceed the others: each counts by its weight. For questions in some languages even answers are
 * less similar, so a lower threshold is enough. Chosen with questions in fourteen languages, most
 * of them about passages in another one.
 */
interface AcrossLanguages {
  readonly lead: number;
  readonly others: number;
  readonly missing_name: number;
  readonly threshold: number;
  readonly threshold_of_distant: number;
  /** Languages of questions. */
  readonly distant: ReadonlySet<string | null>;
  /**
   * For passages in Chinese, which say twice as much as others of their length: fewer of their
   * sentences are compared in time, and the one that answers may not be among them.
   */
  readonly threshold_in_chinese: number;
}
const across: AcrossLanguages = {
  lead: 0.5,
  others: 0.3,
  missing_name: 0.1,
  threshold: 0.46,
  threshold_of_distant: 0.35,
  distant: new Set(["zh"]),
  threshold_in_chinese: 0.46,
};
/** Other sentences share fewer tokens, even those about the same subject. */
const across_by_tokens: AcrossLanguages = {
  lead: 0.4,
  others: 0,
  missing_name: 0.1,
  threshold: 0.43,
  threshold_of_distant: 0.35,
  distant: new Set(["el", "ko", "tr", "vi", "zh"]),
  threshold_in_chinese: 0.33,
};
/** A sentence in the question's language stands out above both thresholds; the second as above. */
const standing_out = { similarity: 0.8, threshold: 0.85 } as const;
/**
 * A passage is less similar than its sentence, which a busy server may be unable to compare in
 * time.
 */
const passage_factor = 0.85;
/** Text around a sentence, or in other passages, counts half as much as its own words. */
const around_weight = 0.5;
const similarity_weight = 0.25;

/**
 * Whether `sentence`, the best one, answers its question. If it does not, none does: the outcome is
 * `no_answer`.
 */
export function isRelevant(sentence: Sentence, context: RelevanceContext): boolean {
  const { features, similarity } = sentence;
  const { passages_coverage, passage_meaning, is_other_language, is_name_missing, lead } = context;
  const nearness =
    similarity ?? (passage_meaning === null ? null : passage_meaning / passage_factor);
  if (is_other_language && nearness !== null)
    return isNearAcross(
      nearness,
      context,
      context.are_by_tokens && similarity !== null ? across_by_tokens : across,
    );
  if (
    sentence.row?.is_exact &&
    features.coverage + features.before + features.title >= thresholds.cell
  )
    return true;
  const near = features.before + features.after + features.title;
  const words = features.coverage + around_weight * (near + passages_coverage);
  if (similarity === null) return words >= thresholds.words;
  if (
    similarity >= thresholds.close.similarity &&
    lead >= thresholds.close.lead &&
    !is_name_missing
  )
    return true;
  const needs_more =
    is_name_missing || (asksForNumber(context.question) && features.answer_type === 0);
  const stands_out =
    similarity >= standing_out.similarity &&
    standingOf(similarity, context, across) >= standing_out.threshold;
  const usual_min = stands_out ? thresholds.total_standing_out : thresholds.total;
  const total_min = needs_more ? thresholds.total_needing_more : usual_min;
  const total = words + lead + similarity_weight * similarity;
  return similarity >= thresholds.similarity && total >= total_min;
}

function isNearAcross(
  nearness: number,
  context: RelevanceContext,
  limits: AcrossLanguages,
): boolean {
  const missing = context.is_name_missing ? limits.missing_name : 0;
  const is_distant = limits.distant.has(context.language);
  const threshold = is_distant ? limits.threshold_of_distant : limits.threshold;
  const threshold_min =
    context.passages_language === "zh" ? limits.threshold_in_chinese : threshold;
  return standingOf(nearness, context, limits) - missing >= Math.min(threshold, threshold_min);
}
const standingOf = (
  nearness: number,
  context: RelevanceContext,
  { lead, others }: Pick<AcrossLanguages, "lead" | "others">,
): number => nearness + lead * context.lead - others * context.others_meaning;
