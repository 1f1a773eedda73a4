/** Validates and packs vectors. */
import { vector_layout, type Embedder, type EmbedOptions, type TextVectors } from "../contract";
import { packBlock, type ChunkVector } from "./vector-block";

const dimensions_max = 16_384;

/** The vector of a query, and the set of vectors that it can be compared with. */
export interface QueryVector {
  readonly set_id: number;
  /** Of length 1. */
  readonly data: Float32Array;
  /** Undefined when the meaning of the model's cosines is unknown. */
  readonly scale?: MeaningScale | undefined;
}
/** What the cosines of a query mean (`calibration.ts`). */
export interface MeaningScale {
  /** The query without what all questions have in common: passages are compared with this. */
  readonly adjusted_query: Float32Array;
  /** Its cosine with unrelated passages. */
  readonly unrelated: number;
  /** Orthogonal directions of length 1 in which languages differ from each other. */
  readonly language_directions: readonly Float32Array[];
  /** The product of unrelated passages with each other, without these directions. */
  readonly passage_likeness: number;
  /** How much more similar it is to unrelated passages than questions usually are; not below 0. */
  readonly excess: number;
  /** The standard deviation of the cosines of unrelated texts. */
  readonly spread: number;
  /** By how much the answer to a question exceeds unrelated passages. */
  readonly answer_margin: number;
}

/**
 * The embedder's vectors for these texts, validated: none for a text that it can't take.
 * `dimensions` is the required length; 0: any, but the same for all. @throws Error that says what
 * is wrong with them.
 */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
  dimensions: number,
): Promise<readonly (readonly Float32Array[])[]> {
  const returned = await embedder.embed(texts, options);
  if (returned.length !== texts.length)
    throw new Error(`the embedder returned ${returned.length} vectors for ${texts.length} texts`);
  const vectors = returned.map(listOf);
  let length = dimensions;
  for (const of_text of vectors) {
    if (of_text.length > vector_layout.of_text_max)
      throw new Error(`the embedder returned ${of_text.length} vectors for one text`);
    for (const vector of of_text) {
      if (length === 0) length = vector.length;
      checkVector(vector, length, options.model);
    }
  }
  return vectors;
}

const listOf = (vectors: TextVectors): readonly Float32Array[] =>
  vectors === null ? [] : vectors instanceof Float32Array ? [vectors] : vectors;

function checkVector(vector: Float32Array, length: number, model: string): void {
  if (vector.length === 0 || vector.length > dimensions_max)
    throw new Error(`the embedder returned a vector of ${vector.length} numbers`);
  if (vector.length !== length)
    throw new Error(
      `the embedder returned a vector of ${vector.length} numbers, but those of ${model} ` +
        `have ${length}; if this is intended, set embeddings.dimensions, so that all vectors ` +
        "are recreated",
    );
  if (!vector.every(Number.isFinite))
    throw new Error("the embedder returned a vector that contains something other than numbers");
}

/** The vector at length 1; undefined for zeros, which have no direction. */
export function normalised(vector: Float32Array): Float32Array | undefined {
  // Divided by the largest number first: squares of very large or small ones stay finite.
  const largest = vector.reduce((maximum, number) => Math.max(maximum, Math.abs(number)), 0);
  if (largest === 0) return undefined;
  const norm = Math.sqrt(vector.reduce((sum, number) => sum + (number / largest) ** 2, 0));
  return vector.map((number) => number / largest / norm);
}

/** One vector of length 1 for all; undefined when they have no direction. */
export function meanOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  const each = vectors.map(normalised).filter((one) => one !== undefined);
  return (
    each[0] && normalised(each[0].map((_, at) => each.reduce((sum, one) => sum + one[at]!, 0)))
  );
}

/** The vectors of each chunk of a segment, as they are stored. */
export function packVectors(
  vectors: readonly (readonly Float32Array[])[],
  dimensions: number,
): Uint8Array {
  const rows: ChunkVector[] = [];
  for (const [chunk, of_chunk] of vectors.entries())
    for (const vector_of_chunk of of_chunk) {
      const vector = normalised(vector_of_chunk);
      if (vector !== undefined) rows.push({ chunk, vector });
    }
  return packBlock(rows, dimensions);
}
