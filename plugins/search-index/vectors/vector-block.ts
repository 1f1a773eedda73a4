/**
 * The vectors of a segment as they are stored and searched: rows of 8-bit integers, each with a
 * scale. A passage has as many rows as its text has vectors, none without a vector. A block of
 * bytes, little-endian:
 *
 *     u32 1, rows, dimensions, 0
 *     f32 scale[rows]
 *     u8 chunk[rows], ascending
 *     zeros up to a multiple of 16
 *     i8 number[rows][dimensions, and zeros up to a multiple of 16]
 *
 * A row times its scale is a vector of length 1, as precisely as 8 bits allow.
 */
import { vector_layout } from "../worker-contract";

/** The largest number in a row. */
export const number_max = 127;

/** A vector of a chunk. */
export interface ChunkVector {
  readonly chunk: number;
  /** Of length 1. */
  readonly vector: Float32Array;
}

const { layout, header_bytes, alignment, rows_max } = vector_layout;

/** Whether these bytes are a block of vectors of this length. */
export function isBlockOf(bytes: Uint8Array, dimensions: number): boolean {
  if (bytes.length < header_bytes) return false;
  const view = viewOf(bytes);
  const rows = view.getUint32(4, true);
  return (
    view.getUint32(0, true) === layout &&
    view.getUint32(8, true) === dimensions &&
    rows <= rows_max &&
    bytes.length === blockBytes(rows, dimensions)
  );
}
/** Bytes from one row to the next. */
export const strideOf = (dimensions: number): number => aligned(dimensions);
/** The offset of the first row. */
export const rowsAt = (rows: number): number => aligned(header_bytes + 5 * rows);
/** The size of a block. */
export const blockBytes = (rows: number, dimensions: number): number =>
  rowsAt(rows) + rows * strideOf(dimensions);
/** The offsets of the scales and of the chunks. */
export const scales_at = header_bytes;
/** Where the chunk of each row begins. */
export const chunksAt = (rows: number): number => scales_at + 4 * rows;

/** Vectors in the order of their chunks. */
export function packBlock(
  vectors: readonly ChunkVector[],
  dimensions: number,
): Uint8Array<ArrayBuffer> {
  const rows = vectors.length;
  const stride = strideOf(dimensions);
  const first = rowsAt(rows);
  const block = new Uint8Array(blockBytes(rows, dimensions));
  const view = viewOf(block);
  const numbers = new Int8Array(block.buffer, first);
  for (const [at, value] of [layout, rows, dimensions].entries())
    view.setUint32(4 * at, value, true);
  vectors.forEach(({ chunk, vector }, row) => {
    view.setFloat32(scales_at + 4 * row, quantise(vector, numbers, row * stride), true);
    block[chunksAt(rows) + row] = chunk;
  });
  return block;
}

/** Writes the numbers of a row, and returns its scale. */
function quantise(vector: Float32Array, to: Int8Array, at: number): number {
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  const scale = Math.fround(largest / number_max);
  if (scale === 0) return 0;
  for (let i = 0; i < vector.length; i++) to[at + i] = Math.round(vector[i]! / scale);
  return scale;
}

/**
 * From vectors as stored by earlier versions and their archives: 32-bit floats, little-endian,
 * concatenated by chunk; zeros where there is none.
 */
export function blockOfFloats(data: Uint8Array, dimensions: number): Uint8Array<ArrayBuffer> {
  const numbers = new Float32Array(data.slice().buffer);
  const vectors: ChunkVector[] = [];
  for (let chunk = 0; (chunk + 1) * dimensions <= numbers.length; chunk++) {
    const vector = numbers.subarray(chunk * dimensions, (chunk + 1) * dimensions);
    if (vector.some((number) => number !== 0)) vectors.push({ chunk, vector });
  }
  return packBlock(vectors, dimensions);
}

/** A query as integers with a scale: with more bits than a row, so that it loses nothing. */
export interface WholeQuery {
  readonly numbers: Int16Array;
  readonly scale: number;
}
const int16_max = 32_767;
const int32_max = 2 ** 31 - 1;
/** The largest absolute value of a number in a row. */
const row_number_max = 128;

/** As precise as possible while sums of products with a row stay within 32 bits. */
export function wholeQuery(vector: Float32Array): WholeQuery {
  const number_limit = Math.min(
    int16_max,
    Math.floor(int32_max / (row_number_max * vector.length)),
  );
  const largest = vector.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0);
  const scale = Math.fround(largest / number_limit);
  const numbers = new Int16Array(strideOf(vector.length));
  if (scale > 0) vector.forEach((number, at) => (numbers[at] = Math.round(number / scale)));
  return { numbers, scale };
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;
