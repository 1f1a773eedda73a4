/**
 * Vectors as numbers: checked, laid side by side, compared by plain loops, and their ranking fused
 * with that of the words.
 */
import type { Embedder, EmbedOptions } from "./contract";
import { Top, type Hit } from "./bm25";
import { segment_chunks_max } from "./segment";

/**
 * Hits of each ranking that are fused; of the words', as many as are asked for when that is more.
 */
export const fused_max = 100;
/**
 * The constant of reciprocal rank fusion: how little the very first places stand out. The usual 60
 * lets agreement far down beat a first place; with embedders
 * from poor to good, a small one kept more of what the words find and gained as much from the
 * vectors.
 */
const fusion_k = 3;
/** What the words' ranking counts for; the rest is the vectors'. */
const words_share = 0.6;
const dimensions_max = 16_384;

/** A question as a vector, and the set that it can be compared with. */
export interface QuestionVector {
  readonly set_id: number;
  readonly data: Float32Array;
}

/**
 * What the embedder makes of the texts, once it is known to fit. `dimensions` is the length that is
 * wanted; 0: any, but one for all.
 * @throws Error that says what is wrong with it.
 */
export async function embedded(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
  dimensions: number,
): Promise<readonly (Float32Array | null)[]> {
  const vectors = await embedder.embed(texts, options);
  if (vectors.length !== texts.length)
    throw new Error(`the embedder gave ${vectors.length} vectors for ${texts.length} texts`);
  let length = dimensions;
  for (const vector of vectors) {
    if (vector === null) continue;
    if (length === 0) length = vector.length;
    if (vector.length === 0 || vector.length > dimensions_max)
      throw new Error(`the embedder gave a vector of ${vector.length} numbers`);
    if (vector.length !== length)
      throw new Error(
        `the embedder gave a vector of ${vector.length} numbers where those of ${options.model} have ${length}; when that is wanted, set embeddings.dimensions, so that all are made anew`,
      );
    if (!vector.every(Number.isFinite))
      throw new Error("the embedder gave a vector that holds something other than numbers");
  }
  return vectors;
}

/** Vectors one behind the other, each brought to length 1; where there is none, zeros. */
export function packed(
  vectors: readonly (Float32Array | null)[],
  dimensions: number,
): Float32Array {
  const all = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => {
    if (vector === null) return;
    // Halved exponents: the squares of very large or small numbers stay finite.
    const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    const norm =
      largest * Math.sqrt(vector.reduce((sum, number) => sum + (number / largest) ** 2, 0));
    if (norm > 0) for (let i = 0; i < dimensions; i++) all[at * dimensions + i] = vector[i]! / norm;
  });
  return all;
}

/**
 * The chunks whose vectors point most nearly where the question does, best first; none that points
 * away. `segments` may lack some.
 */
export function nearest(
  segments: readonly (Float32Array | null)[],
  question: Float32Array,
  limit: number,
): Hit[] {
  const top = new Top(limit),
    dimensions = question.length;
  for (let s = 0; s < segments.length; s++) {
    const vectors = segments[s];
    if (vectors === null || vectors === undefined) continue;
    for (let chunk = 0, at = 0; at < vectors.length; chunk++, at += dimensions) {
      const score = product(vectors, at, question, dimensions);
      if (score > top.least) top.add({ segment: s, chunk, score, document: 0 });
    }
  }
  return top.sorted();
}

/** Four sums that do not wait for each other. */
function product(
  vectors: Float32Array,
  at: number,
  question: Float32Array,
  dimensions: number,
): number {
  let a = 0,
    b = 0,
    c = 0,
    d = 0,
    i = 0;
  for (const last = dimensions - 3; i < last; i += 4) {
    a += vectors[at + i]! * question[i]!;
    b += vectors[at + i + 1]! * question[i + 1]!;
    c += vectors[at + i + 2]! * question[i + 2]!;
    d += vectors[at + i + 3]! * question[i + 3]!;
  }
  for (; i < dimensions; i++) a += vectors[at + i]! * question[i]!;
  return a + b + c + d;
}

/**
 * One ranking of two: what stands high in both comes first, and 1 is the score of the first in
 * both. Among equals the first ranking leads.
 */
export function fused(words: readonly Hit[], meaning: readonly Hit[], limit: number): Hit[] {
  const all = new Map<number, { readonly hit: Hit; score: number }>();
  for (const [ranking, weight] of [
    [words, words_share],
    [meaning, 1 - words_share],
  ] as const) {
    ranking.forEach((hit, place) => {
      const key = hit.segment * segment_chunks_max + hit.chunk,
        share = (weight * (fusion_k + 1)) / (fusion_k + place + 1),
        known = all.get(key);
      if (known === undefined) all.set(key, { hit, score: share });
      else known.score += share;
    });
  }
  return [...all.values()]
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ hit, score }) => ({ ...hit, score }));
}
