/**
 * How alike the passages in scope are: their mean product with each other. It is high in a scope
 * about one subject. What they have in common because of their language does not count: it would
 * make all passages in Chinese alike.
 */
import { rowsAt, scales_at, strideOf } from "./vector-block";
import { cosine, withoutDirections } from "./vector-products";
import type { VectorReader } from "./vector-reader";
import type { Pauses } from "../workers/worker-protocol";

/** Likeness is estimated from about this many segments, read in batches of this size. */
const sampled_segments = 64;
const batch_segments = 8;
/** For fewer passages no likeness is estimated. */
const passages_min = 8;
/** Segments whose sums are cached. */
const cached_max = 2_048;

/** The sum of the vectors of a segment. */
interface VectorSum {
  readonly rows: number;
  readonly vector: Float32Array;
}

/** For the vectors of one set. */
export class Likeness {
  /** By segment; the vectors of a segment in a set never change. */
  private readonly sums = new Map<number, VectorSum>();

  constructor(
    private readonly set_id: number,
    private readonly dimensions: number,
  ) {}

  /**
   * `ids`: the segments in scope; `directions`: orthogonal ones of length 1 that do not count. Null
   * when there are too few passages.
   */
  async of(
    ids: Float64Array,
    directions: readonly Float32Array[],
    reader: VectorReader,
    pauses: Pauses,
  ): Promise<number | null> {
    const sampled = sampleOf(ids);
    const sum = new Float32Array(this.dimensions);
    let rows = 0;
    for (let at = 0; at < sampled.length; at += batch_segments)
      for (const segment_sum of await this.sumsOf(
        sampled.slice(at, at + batch_segments),
        reader,
        pauses,
      )) {
        segment_sum.vector.forEach((number, i) => (sum[i]! += number));
        rows += segment_sum.rows;
      }
    if (rows < passages_min) return null;
    const left = squareOf(withoutDirections(sum, directions));
    // The product of a row with itself does not count: 1 without what all rows have in common in
    // these directions.
    const of_rows = rows - (squareOf(sum) - left) / rows;
    return (left - of_rows) / (rows * (rows - 1));
  }

  /**
   * The mean cosine of a query with the passages of a segment, except for one with this cosine.
   * Null when there is no other.
   */
  async around(
    { id, cosine, query }: { id: number; cosine: number; query: Float32Array },
    reader: VectorReader,
    pauses: Pauses,
  ): Promise<number | null> {
    const [sum] = await this.sumsOf([id], reader, pauses);
    if (sum === undefined || sum.rows < 2) return null;
    const product = sum.vector.reduce((total, number, i) => total + number * query[i]!, 0);
    return (product - cosine) / (sum.rows - 1);
  }

  /** Those of segments without vectors are left out. */
  private async sumsOf(
    ids: readonly number[],
    reader: VectorReader,
    pauses: Pauses,
  ): Promise<VectorSum[]> {
    const missing = ids.filter((id) => !this.sums.has(id));
    if (missing.length > 0) {
      const blocks = await reader.vectors(this.set_id, this.dimensions, missing);
      for (const [id, block] of blocks)
        if (block !== null) this.sums.set(id, sumOf(block, this.dimensions));
      if (pauses.due) await pauses.pause();
    }
    const sums = ids.flatMap((id) => this.sums.get(id) ?? []);
    for (const id of this.sums.keys()) {
      if (this.sums.size <= cached_max) break;
      this.sums.delete(id);
    }
    return sums;
  }
}

const squareOf = (vector: Float32Array): number => cosine(vector, vector);

/** Always the same ones, as long as they are in scope. */
function sampleOf(ids: Float64Array): number[] {
  const limit = (2 ** 32 * sampled_segments) / ids.length;
  const sample: number[] = [];
  for (let at = 0; at < ids.length; at++)
    if (Math.imul(ids[at]!, 0x9e37_79b1) >>> 0 < limit) sample.push(ids[at]!);
  return sample;
}

/** `block`: as in `vector-block.ts`. */
function sumOf(block: Uint8Array, dimensions: number): VectorSum {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const rows = view.getUint32(4, true);
  const numbers = new Int8Array(block.buffer, block.byteOffset + rowsAt(rows));
  const stride = strideOf(dimensions);
  const vector = new Float32Array(dimensions);
  for (let row = 0; row < rows; row++) {
    const scale = view.getFloat32(scales_at + 4 * row, true);
    for (let i = 0; i < dimensions; i++) vector[i]! += scale * numbers[row * stride + i]!;
  }
  return { rows, vector };
}
