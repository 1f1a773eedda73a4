/**
 * What the cosines of a model mean. One model gives .69 for unrelated texts, another .05; so each
 * is measured with known questions and passages. Pure.
 */
import { cosine, type MeaningScale } from "./vector-math";

export interface Calibration extends Pick<MeaningScale, "spread" | "right" | "alike"> {
  readonly languages: Languages;
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
export interface ReferenceVectors {
  readonly pairs: readonly {
    readonly question: ReferenceVector;
    readonly passage: ReferenceVector;
  }[];
  /** The same questions in each language. */
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
/** Fewer pairs tell nothing. */
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
  const known = pairs.flatMap(({ question, passage }) =>
    question && passage ? [{ question, passage }] : [],
  );
  if (known.length < pairs_min) return null;
  const languages = languagesOf(
    questions.filter((some) => some.every((one) => one !== null)),
    known.map(({ question }) => question),
  );
  const unrelated: number[] = [];
  const deviations: number[] = [];
  const rights: number[] = [];
  for (const { question, passage } of known) {
    const own = ownOf(question, languages);
    const others = known
      .filter((other) => other.passage !== passage)
      .map((other) => cosine(own, other.passage));
    const typical = median(others);
    unrelated.push(typical);
    deviations.push(...others.map((one) => Math.abs(one - typical)));
    rights.push(cosine(own, passage) - typical);
  }
  const passages = known.map(({ passage }) => passage);
  const right = median(rights);
  const spread = Math.max(deviation_of_median * median(deviations), right * spread_min);
  return right > 0 && right >= spreads_min * spread
    ? {
        languages,
        passages,
        alike: likenessOf(passages),
        centre: averageOf([languages.common, averageOf(passages)]),
        typical: median(unrelated),
        spread,
        right,
      }
    : null;
}

/** `question`: of length 1. */
export function scaleOf(
  { languages, passages, typical, alike, spread, right }: Calibration,
  question: Float32Array,
): MeaningScale {
  const own = ownOf(question, languages);
  const unrelated = median(passages.map((passage) => cosine(own, passage)));
  return { own, unrelated, alike, excess: Math.max(0, unrelated - typical), spread, right };
}

/** The typical cosine of two of these vectors. */
const likenessOf = (vectors: readonly Float32Array[]): number =>
  median(vectors.flatMap((one, at) => vectors.slice(at + 1).map((other) => cosine(one, other))));

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
    const rest = directions.reduce((left, one) => minus(left, one, cosine(left, one)), difference);
    const length = Math.sqrt(cosine(rest, rest));
    if (length > direction_min * Math.sqrt(cosine(difference, difference)))
      directions.push(rest.map((number) => number / length));
  }
  return { common, directions };
}

/** The part of a question's vector that is its own. */
const ownOf = (question: Float32Array, { common, directions }: Languages): Float32Array => {
  const difference = minus(question, common, 1);
  return directions.reduce(
    (own, one) => minus(own, one, language_share * cosine(difference, one)),
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
