/** Whether the best sentence answers the question, or is merely the closest. Pure. */
import { askedAbbreviation } from "./abbreviations";
import { asksForFigure, requiresType } from "./answer-types";
import type { NameEvidence } from "./question-names";
import type { Sentence } from "./sentence-ranking";

/** What the passages and their other sentences say about it. */
export interface RelevanceContext {
  /**
   * The share of the question found in the passages, 0 to 1, weighted by the rarity of its words.
   */
  readonly passages_coverage: number;
  /** The same of those of the sentence's document. */
  readonly document_coverage: number;
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
  /** How well the model relates their languages (`Similarities` of the index). */
  readonly alignment: number | null;
  /** ISO 639-1; null when undetected. */
  readonly languages: { readonly question: string | null; readonly texts: string | null };
  /** It is not another one, chosen because the likeliest has no price or the like. */
  readonly is_likeliest: boolean;
  /** Which numbers, codes, abbreviations and names of the question the passages have. */
  readonly names: NameEvidence;
  /** The question continues others, about what it names: "And for students?" */
  readonly is_new_subject: boolean;
  /** The share of the question that its names are, 0 to 1. */
  readonly names_share: number;
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
  /** One that has this share of them, and the date or the number asked for, seldom does. */
  complete: 0.95,
  similarity_of_complete: 0.35,
  /**
   * The sum of the share, the lead and the weighted similarity. It must be higher when a name is
   * missing, because similar names are found then, and when the question asks for a number or a
   * price that the sentence lacks; even higher when its passage lacks what is counted. It may be
   * lower when the sentence stands out, because then it may answer in other words.
   */
  total: 1,
  total_needing_more: 1.4,
  total_without_counted: 1.7,
  total_standing_out: 0.8,
  /**
   * Above both, it answers in whatever words, if it has the number asked for; a missing name must
   * be outweighed.
   */
  close: { similarity: 0.7, lead: 0.35 },
  close_without_name: { similarity: 1.1, lead: 0.3 },
  /** What has nothing but the names of a question is similar to it by these. */
  names_only: 1,
  /** The share of the question that a cell's row and column match. */
  cell: 0.75,
} as const;
/**
 * Across languages words say nothing, except for numbers and names. What answers is similar, more
 * so the better the model relates the two languages, and its passage exceeds the others. Chosen
 * with questions about passages in 18 pairs of languages, and about others; rounded.
 */
interface AcrossLanguages {
  /** For a typical pair of languages. */
  readonly threshold: number;
  /** By how much more is asked when their alignment is higher by 1. */
  readonly by_alignment: number;
  /** The weight of the other sentences' similarity. */
  readonly others: number;
}
const across_by_vectors: AcrossLanguages = { threshold: 0.34, by_alignment: 0.3, others: 0.3 };
/** When no sentence was compared in time. */
const across_by_passage: AcrossLanguages = { threshold: 0.46, by_alignment: 0, others: 0 };
/** Other sentences share fewer tokens, even those about the same subject. */
const across_by_tokens: AcrossLanguages = { threshold: 0.33, by_alignment: 0.6, others: 0 };
/**
 * What is subtracted for passages in Chinese, whose tokens are whole words or phrases: fewer of a
 * question's are among them.
 */
const in_chinese = 0.07;
const typical_alignment = 1;
/** A sentence has the translations of one or two words by chance. */
const words_found_min = 3;
/**
 * More is asked of a question in Latin letters whose language is undetected: it may be meaningless.
 */
const undetected_more = 0.36;
const in_latin = /^[\p{Script=Latin}\P{L}]*$/u;
/** What counts in addition to similarity. `words_found`: translations of all words. */
const across_weights = {
  lead: 0.5,
  words_found: 0.15,
  number_found: 0.2,
  number_missing: -0.35,
  name_found: 0.15,
  name_missing: -0.15,
} as const;
/**
 * A sentence in the question's language stands out above both thresholds; the second is for its
 * similarity, by how much its passage exceeds the others, and it the other sentences.
 */
const standing_out = { similarity: 0.8, threshold: 0.85, lead: 0.5, others: 0.3 } as const;
/**
 * A passage is less similar than its sentence, which a busy server may be unable to compare in
 * time.
 */
const passage_factor = 0.85;
/** Text around a sentence, or in other passages, counts half as much as its own words. */
const around_weight = 0.5;
const similarity_weight = 0.25;
/** A question with a greater share of names asks for nothing else of them: "Who is Ada Byron?" */
const names_share_max = 0.95;
/** Shares are sums of rounded weights. */
const share_margin = 0.01;

/**
 * Whether `sentence`, the best one, answers its question. If it does not, none does: the outcome is
 * `no_answer`.
 */
export function isRelevant(sentence: Sentence, context: RelevanceContext): boolean {
  const { features, similarity } = sentence;
  const { passage_meaning, is_other_language, lead, question } = context;
  if (features.answer_type === 0 && requiresType(question)) return false;
  if (features.answer_type > 0 && askedAbbreviation(question) !== null) return true;
  // What was said of the earlier subject must not be said of one that is not there.
  if (context.is_new_subject && context.names.is_missing) return false;
  const nearness =
    similarity ?? (passage_meaning === null ? null : passage_meaning / passage_factor);
  if (is_other_language && nearness !== null)
    return isNearAcross(sentence, nearness, context, limitsOf(similarity, context));
  // Rows of other years are as similar as that of the one asked for.
  if (sentence.row && context.names.is_year_missing) return false;
  if (context.names.is_version_missing) return false;
  if (isAskedCell(sentence) && !context.names.is_number_missing) return true;
  if (similarity !== null && saysNamesOnly(sentence, context)) {
    const may_be_reworded = features.novelty > 0 && !lacksFigure(sentence, context);
    if (!may_be_reworded || similarity < thresholds.names_only) return false;
  }
  const near = features.before + features.after + features.title;
  const around = similarity === null ? context.passages_coverage : context.document_coverage;
  const words = features.coverage + around_weight * (near + around);
  if (similarity === null) return words >= thresholds.words;
  if (isClose(sentence, similarity, context)) return true;
  const total = words + lead + similarity_weight * similarity;
  const is_complete = features.coverage >= thresholds.complete && features.answer_type === 1;
  const similarity_min = is_complete ? thresholds.similarity_of_complete : thresholds.similarity;
  return similarity >= similarity_min && total >= totalMin(sentence, similarity, context);
}

/** The cell of a table whose row and column are those of the question. */
const isAskedCell = ({ row, features }: Sentence): boolean =>
  row?.is_exact === true && features.coverage + features.before + features.title >= thresholds.cell;

/**
 * Whether it has the names of the question, but nothing of what is asked about them: the salary of
 * somebody whose room is given.
 */
function saysNamesOnly({ features, row }: Sentence, { names_share }: RelevanceContext): boolean {
  const { coverage, before, after, title } = features;
  return (
    row?.is_exact !== true &&
    coverage > 0 &&
    names_share > 0 &&
    names_share < names_share_max &&
    coverage + before + after + title <= names_share + share_margin
  );
}

function isClose(sentence: Sentence, similarity: number, context: RelevanceContext): boolean {
  const { names, lead, is_likeliest } = context;
  if (!is_likeliest || lacksFigure(sentence, context)) return false;
  const is_missing = names.is_missing || names.is_counted_missing || names.is_thing_missing;
  const close = is_missing ? thresholds.close_without_name : thresholds.close;
  return similarity >= close.similarity && lead >= close.lead;
}
const lacksFigure = ({ features }: Sentence, { question }: RelevanceContext): boolean =>
  features.answer_type === 0 && asksForFigure(question);

/** How much `total` must be: see the thresholds. */
function totalMin(sentence: Sentence, similarity: number, context: RelevanceContext): number {
  const { names, lead, others_meaning, is_likeliest } = context;
  if (names.is_counted_missing || names.is_year_missing) return thresholds.total_without_counted;
  if (!is_likeliest || names.is_missing || names.is_thing_missing || lacksFigure(sentence, context))
    return thresholds.total_needing_more;
  const exceeds = similarity + standing_out.lead * lead - standing_out.others * others_meaning;
  const stands_out = similarity >= standing_out.similarity && exceeds >= standing_out.threshold;
  return stands_out ? thresholds.total_standing_out : thresholds.total;
}

function limitsOf(similarity: number | null, { are_by_tokens }: RelevanceContext): AcrossLanguages {
  if (similarity === null) return across_by_passage;
  return are_by_tokens ? across_by_tokens : across_by_vectors;
}
function isNearAcross(
  { features, terms }: Sentence,
  nearness: number,
  { alignment, languages, question, lead, names, others_meaning }: RelevanceContext,
  limits: AcrossLanguages,
): boolean {
  const is_complete = features.coverage >= thresholds.complete && terms.length >= words_found_min;
  const evidence =
    across_weights.lead * lead +
    across_weights.words_found * Number(is_complete) +
    across_weights.number_found * Number(names.is_number_found) +
    across_weights.number_missing * Number(names.is_number_missing) +
    across_weights.name_found * Number(names.is_name_found) +
    across_weights.name_missing * Number(names.is_name_missing);
  const is_undetected = languages.question === null && in_latin.test(question);
  const by_languages =
    alignment === null
      ? Number(is_undetected) * undetected_more
      : limits.by_alignment * (alignment - typical_alignment);
  const is_easier = limits === across_by_tokens && languages.texts === "zh";
  const threshold = limits.threshold + by_languages - (is_easier ? in_chinese : 0);
  return nearness + evidence - limits.others * others_meaning >= threshold;
}
