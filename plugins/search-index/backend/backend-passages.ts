/** Converts a segment for a search backend. Pure. */
import type { BackendPassage } from "../contract";
import {
  chunkCount,
  hashAt,
  lengthOf,
  listing_length,
  postingAt,
  postingsAt,
  termCount,
  type Segment,
} from "../segments/segment";
import { chunksAt, rowsAt, scales_at, strideOf } from "../vectors/vector-block";

/** `vectors`: see `vector-block.ts`. */
export function passagesOf(
  segment: Segment,
  vectors: Uint8Array | null,
  dimensions: number,
): BackendPassage[] {
  const terms = termsOf(segment);
  const of_chunk = vectors === null ? [] : vectorsOf(vectors, dimensions);
  return terms.map((chunk_terms, chunk) => ({
    terms: chunk_terms,
    is_listing: lengthOf(segment, chunk) === listing_length,
    vectors: of_chunk[chunk] ?? [],
  }));
}

/** The terms of each chunk. */
function termsOf(segment: Segment): { term: number; count: number }[][] {
  const chunks = Array.from(
    { length: chunkCount(segment) },
    (): ReturnType<typeof newTerm>[] => [],
  );
  for (let at = 0; at < termCount(segment); at++) {
    const range = postingsAt(segment, at);
    for (let place = range >>> 16; place < (range & 0xffff); place++) {
      const posting = postingAt(segment, place);
      chunks[posting >>> 8]!.push(newTerm(hashAt(segment, at), posting & 255));
    }
  }
  return chunks;
}
const newTerm = (term: number, count: number) => ({ term, count });

/** The vectors of each chunk that has any. */
function vectorsOf(block: Uint8Array, dimensions: number): Float32Array[][] {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const rows = view.getUint32(4, true);
  const of_chunk: Float32Array[][] = [];
  for (let row = 0; row < rows; row++) {
    const scale = view.getFloat32(scales_at + 4 * row, true);
    const at = rowsAt(rows) + row * strideOf(dimensions);
    const vector = Float32Array.from(
      { length: dimensions },
      (_, i) => scale * view.getInt8(at + i),
    );
    // Without a direction it is similar to nothing.
    if (scale > 0) (of_chunk[block[chunksAt(rows) + row]!] ??= []).push(vector);
  }
  return of_chunk;
}
