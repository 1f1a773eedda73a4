/**
 * What the cosines of a model mean. One model gives .69 for unrelated texts, another .05; so each
 * is measured with known questions and passages. Pure.
 */
import { alignmentsOf, type LanguageAlignments } from "./language-alignment";
import { reference_languages } from "./reference-questions";
import type { MeaningScale } from "./vector-math";
import { cosine, withoutDirections } from "./vector-products";

/** How to interpret the cosines of a set of vectors. */
export interface Calibration extends Pick<
  MeaningScale,
  "answer_margin" | "passage_likeness" | "spread"
> {
  readonly languages: Languages;
  readonly alignments: LanguageAlignments;
  /** Passages on various subjects, concatenated, each of length 1. */
  readonly passages: readonly Float32Array[];
  /** What the vectors of questions and passages have in common. */
  readonly centre: Float32Array;
  /** The typical cosine of a question with an unrelated passage. */
  readonly typical: number;
}

/** What the vectors of questions have in common whatever they ask. */
interface Languages {
  /** In all languages. */
  readonly common: Float32Array;
  /** Orthogonal directions of length 1 in which languages differ from each other. */
  readonly directions: readonly Float32Array[];
}
/** The vector of a reference text; null when the model could not take it. */
type ReferenceVector = Float32Array | null;
/** The vectors of the known questions and passages. */
export interface ReferenceVectors {
  readonly pairs: readonly {
    readonly question: ReferenceVector;
    readonly passage: ReferenceVector;
  }[];
  /** The same questions in each of `reference_languages`. */
  readonly questions: readonly (readonly ReferenceVector[])[];
}

/**
 * How much of what all questions have in common is removed from each: otherwise some passages are
 * similar to every question.
 */
const common_share = 0.4;
/**
 * How much of its language is removed: otherwise passages in that language, or about its speakers,
 * are similar to every question in it. Removing all of it would remove names, too.
 */
const language_share = 0.5;
/** A difference whose remainder is below this share lies in the known directions. */
const direction_min = 0.01;
/** With fewer pairs there is no calibration. */
const pairs_min = 4;
/** A model is unsuitable if its right passages stand out by fewer spreads than this. */
const spreads_min = 3;
/**
 * The minimum spread, relative to the margin of the right passage: a few texts may seem to have
 * none.
 */
const spread_min = 0.1;
/** Converts a median of absolute deviations to a standard deviation. */
const deviation_of_median = 1.4826;

/**
 * From vectors of length 1. Uses medians, because a model may not know some of the languages. Null
 * when the model can't tell which texts belong together.
 */
export function calibrationOf({ pairs, questions }: ReferenceVectors): Calibration | null {
  const complete_pairs = pairs.flatMap(({ question, passage }) =>
    question && passage ? [{ question, passage }] : [],
  );
  if (complete_pairs.length < pairs_min) return null;
  const languages = languagesOf(
    questions.filter((of_language) => of_language.every((one) => one !== null)),
    complete_pairs.map(({ question }) => question),
  );
  const unrelated: number[] = [];
  const deviations: number[] = [];
  const rights: number[] = [];
  for (const { question, passage } of complete_pairs) {
    const adjusted = adjustedQuestion(question, languages);
    const other_cosines = complete_pairs
      .filter((other) => other.passage !== passage)
      .map((other) => cosine(adjusted, other.passage));
    const typical = median(other_cosines);
    unrelated.push(typical);
    deviations.push(...other_cosines.map((one) => Math.abs(one - typical)));
    rights.push(cosine(adjusted, passage) - typical);
  }
  const passages = complete_pairs.map(({ passage }) => passage);
  const answer_margin = median(rights);
  const spread = Math.max(deviation_of_median * median(deviations), answer_margin * spread_min);
  return answer_margin > 0 && answer_margin >= spreads_min * spread
    ? {
        languages,
        alignments: alignmentsOf(reference_languages, questions),
        passages,
        passage_likeness: likenessOf(passages, languages.directions),
        centre: averageOf([languages.common, averageOf(passages)]),
        typical: median(unrelated),
        spread,
        answer_margin,
      }
    : null;
}

/** `question`: of length 1. */
export function scaleOf(
  { languages, passages, typical, passage_likeness, spread, answer_margin }: Calibration,
  question: Float32Array,
): MeaningScale {
  const adjusted = adjustedQuestion(question, languages);
  const unrelated = median(passages.map((passage) => cosine(adjusted, passage)));
  return {
    adjusted_query: adjusted,
    unrelated,
    language_directions: languages.directions,
    passage_likeness,
    excess: Math.max(0, unrelated - typical),
    spread,
    answer_margin,
  };
}

/** The typical product of two of these vectors without their languages. */
function likenessOf(
  vectors: readonly Float32Array[],
  language_directions: readonly Float32Array[],
): number {
  const rests = vectors.map((vector) => withoutDirections(vector, language_directions));
  return median(rests.flatMap((one, at) => rests.slice(at + 1).map((other) => cosine(one, other))));
}

/** `others`: further questions, for a model that takes too few of those in all languages. */
function languagesOf(
  questions: readonly (readonly Float32Array[])[],
  others: readonly Float32Array[],
): Languages {
  const means = questions.map(averageOf);
  const common = averageOf(means.length > 1 ? means : others);
  const directions: Float32Array[] = [];
  for (const mean of means) {
    const difference = minus(mean, common, 1);
    const residual = withoutDirections(difference, directions);
    const length = Math.sqrt(cosine(residual, residual));
    if (length > direction_min * Math.sqrt(cosine(difference, difference)))
      directions.push(residual.map((number) => number / length));
  }
  return { common, directions };
}

/** The vector of a question without what it shares with others. */
const adjustedQuestion = (
  question: Float32Array,
  { common, directions }: Languages,
): Float32Array => {
  const difference = minus(question, common, 1);
  return directions.reduce(
    (adjusted, one) => minus(adjusted, one, language_share * cosine(difference, one)),
    minus(question, common, common_share),
  );
};

const averageOf = (vectors: readonly Float32Array[]): Float32Array =>
  vectors[0]!.map((_, at) => vectors.reduce((sum, one) => sum + one[at]!, 0) / vectors.length);
const minus = (one: Float32Array, other: Float32Array, share: number): Float32Array =>
  one.map((number, at) => number - share * other[at]!);

/** Of at least one number. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >>> 1;
  return (sorted[middle]! + sorted[(sorted.length - 1) >>> 1]!) / 2;
}
