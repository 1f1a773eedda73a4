/**
 * Compares vectors in a memory with that of a query: in WebAssembly with SIMD instructions, or by a
 * plain loop on processors without them. Both give the same numbers.
 */
import { readFileSync } from "node:fs";
import simd_kernel from "../kernel/nearest.wasm" with { type: "file" };
import { chunksAt, rowsAt, scales_at, strideOf } from "./vector-block";

/** Bytes before the hits: f64 the sum of the cosines of all chunks, u32 their number, u32 0. */
export const totals_bytes = 16;
/** Bytes of a hit: u32 the index of its block among those given, u32 chunk, f32 score. */
export const hit_bytes = 12;

/** Takes addresses in the memory; kernel/nearest.ts documents their content. */
export type Nearest = (
  blocks: number,
  count: number,
  query: number,
  scale: number,
  threshold: number,
  hits: number,
) => number;

/** The kernel for this processor, over this memory. */
export function openKernel(memory: WebAssembly.Memory): Nearest {
  const code = readFileSync(simd_kernel);
  if (!WebAssembly.validate(code)) return plainKernel(memory);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } });
  return exports["nearest"] as Nearest;
}

/** The same as kernel/nearest.ts. */
export function plainKernel(memory: WebAssembly.Memory): Nearest {
  return (blocks, count, query, scale, threshold, hits) => {
    const view = new DataView(memory.buffer);
    const bytes = new Uint8Array(memory.buffer);
    let to = hits + totals_bytes;
    let sum = 0;
    let compared = 0;
    const end = (at: number, chunk: number, score: number): void => {
      sum += score;
      compared++;
      if (score <= 0 || score < threshold) return;
      view.setUint32(to, at, true);
      view.setUint32(to + 4, chunk, true);
      view.setFloat32(to + 8, score, true);
      to += hit_bytes;
    };
    for (let at = 0; at < count; at++) {
      const block = view.getUint32(blocks + 4 * at, true);
      const rows = view.getUint32(block + 4, true);
      const stride = strideOf(view.getUint32(block + 8, true));
      const numbers = new Int16Array(memory.buffer, query, stride);
      const chunkOf = (row: number) => bytes[block + chunksAt(rows) + row]!;
      let best = -Infinity;
      for (let row = 0; row < rows; row++) {
        const numbers_of_row = new Int8Array(
          memory.buffer,
          block + rowsAt(rows) + row * stride,
          stride,
        );
        const row_scale = view.getFloat32(block + scales_at + 4 * row, true);
        const score = Math.fround(
          Math.fround(Math.fround(dot(numbers_of_row, numbers)) * row_scale) * scale,
        );
        best = Math.max(best, score);
        if (row + 1 < rows && chunkOf(row + 1) === chunkOf(row)) continue;
        end(at, chunkOf(row), best);
        best = -Infinity;
      }
    }
    view.setFloat64(hits, sum, true);
    view.setUint32(hits + 8, compared, true);
    return (to - hits - totals_bytes) / hit_bytes;
  };
}

function dot(row: Int8Array, query: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += row[i]! * query[i]!;
  return sum;
}
