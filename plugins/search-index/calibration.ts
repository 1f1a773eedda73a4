/**
 * What the cosines of a model mean. One model has .69 between texts that have nothing to do with
 * each other, another .05; so each is measured on questions and passages that are known. Pure.
 */
import { cosine, type MeaningScale } from "./vectors";

export interface Calibration extends Pick<MeaningScale, "spread" | "right"> {
  /** What all questions have in common, as much of it as is left out. */
  readonly common: Float32Array;
  /** Passages about this and that, one after the other, each of length 1. */
  readonly passages: readonly Float32Array[];
  /** The cosine of a usual question with a passage that has nothing to do with it. */
  readonly usual: number;
}

/**
 * The share of what all questions have in common that is left out of each: some passages are near
 * to every question.
 */
const common_share = 0.25;
/** Fewer pairs tell nothing. */
const pairs_min = 4;
/** A model whose right passages stand out by less than this many spreads can't tell them. */
const spreads_min = 3;
/** The least spread, as a share of what makes the right one: few texts may seem to have none. */
const spread_min = 0.1;
/** A median of absolute deviations times this is a standard deviation. */
const deviation_of_median = 1.4826;

/**
 * From the vectors of pairs, each of length 1; a pair whose text the model could not take is null.
 * Medians, because a model may not know some of the languages. Null when the model can't tell what
 * belongs together.
 */
export function calibrationOf(
  pairs: readonly ({ readonly question: Float32Array; readonly passage: Float32Array } | null)[],
): Calibration | null {
  const known = pairs.filter((pair) => pair !== null);
  if (known.length < pairs_min) return null;
  const common = commonOf(known.map(({ question }) => question)),
    unrelated: number[] = [],
    deviations: number[] = [],
    rights: number[] = [];
  for (const { question, passage } of known) {
    const own = minus(question, common),
      others = known
        .filter((other) => other.passage !== passage)
        .map((other) => cosine(own, other.passage)),
      usual = median(others);
    unrelated.push(usual);
    deviations.push(...others.map((one) => Math.abs(one - usual)));
    rights.push(cosine(own, passage) - usual);
  }
  const right = median(rights),
    spread = Math.max(deviation_of_median * median(deviations), right * spread_min);
  return right > 0 && right >= spreads_min * spread
    ? {
        common,
        passages: known.map(({ passage }) => passage),
        usual: median(unrelated),
        spread,
        right,
      }
    : null;
}

/** `question`: of length 1. */
export function scaleOf(
  { common, passages, usual, spread, right }: Calibration,
  question: Float32Array,
): MeaningScale {
  const own = minus(question, common),
    unrelated = median(passages.map((passage) => cosine(own, passage)));
  return { own, unrelated, excess: Math.max(0, unrelated - usual), spread, right };
}

const commonOf = (questions: readonly Float32Array[]): Float32Array =>
  questions[0]!.map(
    (_, at) =>
      (common_share * questions.reduce((sum, question) => sum + question[at]!, 0)) /
      questions.length,
  );
const minus = (one: Float32Array, other: Float32Array): Float32Array =>
  one.map((number, at) => number - other[at]!);

/** Of at least one number. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b),
    middle = sorted.length >>> 1;
  return (sorted[middle]! + sorted[(sorted.length - 1) >>> 1]!) / 2;
}
