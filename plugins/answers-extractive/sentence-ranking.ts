/**
 * Ranks the sentences of passages by how well they answer a question: by words and by similarity.
 */
import type { Features, FoundSentence } from "./sentence-features";

/** A sentence of a source; UTF-16 indices into its text. */
export interface Sentence extends FoundSentence {
  readonly score: number;
  /**
   * Its similarity to the question: about 0 for unrelated texts, 1 for an answer; null when
   * unknown.
   */
  readonly similarity: number | null;
}

/**
 * Weights of a sentence's features: fitted on questions in several languages, rounded. A difference
 * of 1 in score makes a sentence e times as likely to be the answer.
 */
const weights: Readonly<Record<keyof Features, number>> = {
  coverage: 6,
  count: 3,
  before: 4,
  after: 3,
  title: 2,
  passage: 5,
  answer_type: 2,
  counted: 2,
  numbers: 3,
  key: 4,
  novelty: 1,
  broken: -0.5,
  code: -1.5,
  length: -1.5,
};
/**
 * The gain of a candidate whose similarity is one standard deviation above the others'; more where
 * words of the question are missing, in another language all of them.
 */
const meaning_weight = { always: 1, uncovered: 1 } as const;
/** The deviation of similarities by chance alone. */
const deviation_min = 0.05;

const byScore = (a: Sentence, b: Sentence): number =>
  b.score - a.score || a.source - b.source || a.start - b.start;

/** By words alone, most likely first. */
export const rankSentences = (sentences: readonly FoundSentence[]): Sentence[] =>
  sentences
    .map((sentence) => ({ ...sentence, score: scoreOf(sentence.features), similarity: null }))
    .sort(byScore);

const scoreOf = (features: Features): number =>
  Object.entries(weights).reduce(
    (sum, [name, weight]) => sum + weight * features[name as keyof Features],
    0,
  );

/** The score of the best sentence wherever its passage was found; 0 without any. */
export const bestContentScore = (sentences: readonly FoundSentence[]): number =>
  Math.max(0, ...sentences.map(({ features }) => scoreOf({ ...features, passage: 0 })));

/**
 * With similarities: `similarities` belong to the first of `ranked`, null for unknown. The others
 * follow after these.
 */
export function rankByMeaning(
  ranked: readonly Sentence[],
  similarities: readonly (number | null)[],
): Sentence[] {
  const known_similarities = similarities.filter((one) => one !== null);
  if (known_similarities.length === 0) return [...ranked];
  const mean = known_similarities.reduce((sum, one) => sum + one, 0) / known_similarities.length;
  const variance =
    known_similarities.reduce((sum, one) => sum + (one - mean) ** 2, 0) / known_similarities.length;
  const deviation = Math.max(deviation_min, Math.sqrt(variance));
  const candidates = ranked.slice(0, similarities.length);
  const covered = Math.max(...candidates.map(({ features }) => features.coverage));
  const weight = meaning_weight.always + meaning_weight.uncovered * (1 - covered);
  return ranked
    .map((sentence, at): Sentence => {
      const similarity = similarities[at] ?? null;
      const above = similarity === null ? -1 : (similarity - mean) / deviation;
      return { ...sentence, similarity, score: sentence.score + weight * above };
    })
    .sort(byScore);
}
