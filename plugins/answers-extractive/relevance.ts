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
  /** The mean similarity of the other sentences that were compared; 0 when there are none. */
  readonly others_meaning: number;
  /** The question and the passages are in different languages, so its words say nothing. */
  readonly is_other_language: boolean;
  /** Their similarities are those of their tokens, too. */
  readonly are_by_tokens: boolean;
  /** Of the question, ISO 639-1; null when undetected. */
  readonly language: string | null;
  /** The question contains a number, a code, an abbreviation or a name that no passage has. */
  readonly is_name_missing: boolean;
  readonly question: string;
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
   * names are found then, and when the question asks for a number that the sentence lacks; less
   * when the sentence stands out, because other words were chosen then.
   */
  all: 1,
  all_with_less: 1.4,
  all_standing_out: 0.8,
  /** So similar, and standing out by so much, it answers in whatever words; not without a name. */
  close: { similarity: 0.7, lead: 0.35 },
  /** The share of the question that a cell's row and column match. */
  cell: 0.75,
} as const;
/**
 * Across languages words say nothing. What answers is similar, and its passage and its sentence
 * exceed the others: each counts by its weight. Some languages are less similar even to their
 * answers, so less is enough. Chosen with questions in fourteen languages, most of them about
 * passages in another one.
 */
interface AcrossLanguages {
  readonly lead: number;
  readonly others: number;
  readonly missing_name: number;
  readonly least: number;
  readonly least_of_distant: number;
  readonly distant: ReadonlySet<string | null>;
}
const across: AcrossLanguages = {
  lead: 0.5,
  others: 0.3,
  missing_name: 0.1,
  least: 0.46,
  least_of_distant: 0.35,
  distant: new Set(["zh"]),
};
/** Other sentences share fewer tokens, even those about the same subject. */
const across_by_tokens: AcrossLanguages = {
  lead: 0.4,
  others: 0,
  missing_name: 0.1,
  least: 0.43,
  least_of_distant: 0.35,
  distant: new Set(["el", "ko", "tr", "vi", "zh"]),
};
/** A sentence in the question's language stands out from this on, in similarity and as above. */
const standing_out = { similarity: 0.8, least: 0.85 } as const;
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
export function isRelevant(sentence: Sentence, found: Found): boolean {
  const { features, similarity } = sentence;
  const { covered, passage_meaning, is_other_language, is_name_missing, lead } = found;
  const nearness =
    similarity ?? (passage_meaning === null ? null : passage_meaning / passage_factor);
  if (is_other_language && nearness !== null)
    return isNearAcross(
      nearness,
      found,
      found.are_by_tokens && similarity !== null ? across_by_tokens : across,
    );
  if (sentence.row?.is_exact && features.coverage + features.before + features.title >= least.cell)
    return true;
  const near = features.before + features.after + features.title;
  const words = features.coverage + around_weight * (near + covered);
  if (similarity === null) return words >= least.words;
  if (similarity >= least.close.similarity && lead >= least.close.lead && !is_name_missing)
    return true;
  const has_less = is_name_missing || (asksForNumber(found.question) && features.answer_type === 0);
  const stands_out =
    similarity >= standing_out.similarity &&
    standingOf(similarity, found, across) >= standing_out.least;
  const usual_min = stands_out ? least.all_standing_out : least.all;
  const all_min = has_less ? least.all_with_less : usual_min;
  const all = words + lead + similarity_weight * similarity;
  return similarity >= least.similarity && all >= all_min;
}

function isNearAcross(nearness: number, found: Found, limits: AcrossLanguages): boolean {
  const missing = found.is_name_missing ? limits.missing_name : 0;
  const is_distant = limits.distant.has(found.language);
  const least_standing = is_distant ? limits.least_of_distant : limits.least;
  return standingOf(nearness, found, limits) - missing >= least_standing;
}
const standingOf = (
  nearness: number,
  found: Found,
  { lead, others }: Pick<AcrossLanguages, "lead" | "others">,
): number => nearness + lead * found.lead - others * found.others_meaning;
