/** The chunks whose vectors are nearest to that of a query. */
import { TopHits, type Hit } from "./bm25";
import { chunksAt, rowCount, rowsAt, scales_at, strideOf } from "./vector-block";

/** A query as whole numbers with a scale: more of them than a row has, so that it loses nothing. */
export interface WholeQuery {
  readonly numbers: Int16Array;
  readonly scale: number;
}
const int16_max = 32_767,
  int32_max = 2 ** 31 - 1,
  /** Of a row, at worst. */
  row_number_max = 128;

/** As fine as sums of products with a row of 8-bit numbers stay within 32 bits. */
export function wholeQuery(vector: Float32Array): WholeQuery {
  const most = Math.min(int16_max, Math.floor(int32_max / (row_number_max * vector.length))),
    largest = vector.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0),
    scale = Math.fround(largest / most),
    numbers = new Int16Array(strideOf(vector.length));
  if (scale > 0) vector.forEach((number, at) => (numbers[at] = Math.round(number / scale)));
  return { numbers, scale };
}

/** Collects the chunks of largest cosine similarity to a query; only positive ones. */
export class NearestChunks {
  /** Of the chunks that have a vector: how many, and the mean of their cosines. */
  compared = 0;
  private sum = 0;
  private readonly top: TopHits<Hit>;
  private readonly query: WholeQuery;
  constructor(query: Float32Array, limit: number) {
    this.top = new TopHits(limit);
    this.query = wholeQuery(query);
  }

  /** Takes the vectors of a segment, as `vector-block.ts` describes them. */
  add(segment: number, block: Uint8Array): void {
    const rows = rowCount(block),
      { top } = this,
      scales = new DataView(block.buffer, block.byteOffset + scales_at),
      chunks = chunksAt(rows);
    for (let row = 0; row < rows;) {
      const chunk = block[chunks + row]!;
      let best = -Infinity;
      for (; row < rows && block[chunks + row] === chunk; row++)
        best = Math.max(best, this.score(block, rows, row, scales.getFloat32(4 * row, true)));
      this.sum += best;
      this.compared++;
      if (best > 0 && top.admits(best, segment, chunk))
        top.add({ segment, chunk, score: best, document_score: 0 });
    }
  }

  get mean(): number {
    return this.compared === 0 ? 0 : this.sum / this.compared;
  }
  /** Best first. */
  sorted(): Hit[] {
    return this.top.sorted();
  }

  private score(block: Uint8Array, rows: number, row: number, row_scale: number): number {
    const { numbers, scale } = this.query,
      stride = numbers.length,
      first = block.byteOffset + rowsAt(rows) + row * stride,
      own = new Int8Array(block.buffer, first, stride);
    let sum = 0;
    for (let i = 0; i < stride; i++) sum += own[i]! * numbers[i]!;
    return Math.fround(Math.fround(Math.fround(sum) * row_scale) * scale);
  }
}
