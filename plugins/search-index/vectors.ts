/**
 * Vectors as numbers: checked, packed, compared by plain loops, and their ranking fused with that
 * of the words.
 */
import type { Embedder, EmbedOptions, Matched, Passage } from "./contract";
import { TopHits, type Hit } from "./bm25";
import { segment_chunks_max } from "./segment";

/**
 * Hits of each ranking that are fused; of the words', as many as are asked for when that is more.
 */
export const fusion_hits_max = 100;
/**
 * The constant of reciprocal rank fusion: how little the very first places stand out. The usual 60
 * lets agreement far down beat a first place; with embedders from poor to good, a small one kept
 * more of what the words find and gained as much from the vectors.
 */
const fusion_k = 3;
/** What the words' ranking counts for; the rest is the vectors'. */
const words_weight = 0.6;
const dimensions_max = 16_384;

/** A hit of words, of vectors or of both. */
export interface FusedHit extends Hit, Pick<Passage, "matched" | "meaning"> {}

/** A query as a vector, and the set of vectors that it can be compared with. */
export interface QueryVector {
  readonly set_id: number;
  readonly data: Float32Array;
}

/**
 * The embedder's vectors for these texts, checked. `dimensions` is the length that each must have;
 * 0: any, but the same for all.
 * @throws Error that says what is wrong with them.
 */
export async function embedChecked(
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
        `the embedder gave a vector of ${vector.length} numbers where those of ${options.model} ` +
          `have ${length}; when that is wanted, set embeddings.dimensions, ` +
          "so that all are made anew",
      );
    if (!vector.every(Number.isFinite))
      throw new Error("the embedder gave a vector that holds something other than numbers");
  }
  return vectors;
}

/** Vectors one after the other, each normalised to length 1; where there is none, zeros. */
export function packVectors(
  vectors: readonly (Float32Array | null)[],
  dimensions: number,
): Float32Array {
  const all = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => {
    if (vector === null) return;
    // Divided by the largest number first: squares of very large or small ones stay finite.
    const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    const norm =
      largest * Math.sqrt(vector.reduce((sum, number) => sum + (number / largest) ** 2, 0));
    if (norm > 0) for (let i = 0; i < dimensions; i++) all[at * dimensions + i] = vector[i]! / norm;
  });
  return all;
}

/** Collects the chunks of largest cosine similarity to a query; only positive ones. */
export class NearestChunks {
  private readonly top: TopHits<Hit>;
  constructor(
    private readonly query: Float32Array,
    limit: number,
  ) {
    this.top = new TopHits(limit);
  }

  /** Takes the vectors of a segment. Segments come in the order of their places. */
  add(segment: number, vectors: Float32Array): void {
    const { query, top } = this;
    for (let chunk = 0, at = 0; at < vectors.length; chunk++, at += query.length) {
      const score = dotProduct(vectors, at, query, query.length);
      if (score > top.threshold) top.add({ segment, chunk, score, document_score: 0 });
    }
  }

  /** Best first. */
  sorted(): Hit[] {
    return this.top.sorted();
  }
}

/** Of two vectors of length 1. */
export const cosine = (one: Float32Array, other: Float32Array): number =>
  dotProduct(one, 0, other, other.length);

/** Four independent sums, so that the processor need not wait for each addition. */
function dotProduct(
  vectors: Float32Array,
  at: number,
  query: Float32Array,
  dimensions: number,
): number {
  let a = 0,
    b = 0,
    c = 0,
    d = 0,
    i = 0;
  for (const last = dimensions - 3; i < last; i += 4) {
    a += vectors[at + i]! * query[i]!;
    b += vectors[at + i + 1]! * query[i + 1]!;
    c += vectors[at + i + 2]! * query[i + 2]!;
    d += vectors[at + i + 3]! * query[i + 3]!;
  }
  for (; i < dimensions; i++) a += vectors[at + i]! * query[i]!;
  return a + b + c + d;
}

/**
 * Weighted reciprocal rank fusion: what stands high in both rankings comes first, and 1 is the
 * score of the first in both. Among equals the ranking by words leads.
 */
export function fuseRankings(
  by_words: readonly Hit[],
  by_vectors: readonly Hit[],
  limit: number,
): FusedHit[] {
  const all = new Map<number, { readonly hit: Hit; score: number; matched: Matched }>();
  for (const [ranking, weight, matched] of [
    [by_words, words_weight, "words"],
    [by_vectors, 1 - words_weight, "meaning"],
  ] as const) {
    ranking.forEach((hit, at) => {
      const key = hit.segment * segment_chunks_max + hit.chunk,
        share = (weight * (fusion_k + 1)) / (fusion_k + at + 1),
        known = all.get(key);
      if (known === undefined) all.set(key, { hit, score: share, matched });
      else {
        known.score += share;
        known.matched = "both";
      }
    });
  }
  return [...all.values()]
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ hit, score, matched }) => ({ ...hit, score, matched, meaning: null }));
}
