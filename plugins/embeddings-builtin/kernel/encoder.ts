/**
 * The encoder of a BERT model of width 384 with 12 heads, in steps of a millisecond or two, so that
 * the caller can yield between them. A layer is `project` for a few tokens at a time, `attend` for
 * each head, and `finish` for a few tokens at a time. Written in AssemblyScript, which
 * scripts/build.ts compiles twice: for relaxed and for plain SIMD. Both yield identical vectors.
 * The caller allocates memory, from `heapBase()` on.
 */
import { attend } from "./attention";
import { multiply, quantise, repack, unpackRow } from "./products";
import { half, Simd } from "./simd";

export { attend, repack };

const WIDTH: i32 = 384;
/** Inner width of the feed-forward layers. */
const WIDTH_INSIDE: i32 = 1536;
/** The most tokens of a step. */
const STEP_TOKENS_MAX: i32 = 32;
const ROW: i32 = WIDTH * 4;
/** Bytes of a word embedding row, by its bits: 4 (as matrices have) or 2. */
const WORD_BYTES_2: i32 = 98;

/** Used within a step. */
const added: usize = memory.data(STEP_TOKENS_MAX * WIDTH * 4, 16),
  inside: usize = memory.data(STEP_TOKENS_MAX * WIDTH_INSIDE * 4, 16);

/** The first free byte. */
export function heapBase(): usize {
  return __heap_base;
}

/** 384 numbers of 2 bits (-3, -1, 1, 3): one scale, then twelve blocks of 32. */
function unpackWord(from: usize, to: usize): void {
  const scale = half(load<u16>(from));
  from += 2;
  for (let block = 0; block < WIDTH; block += 32, to += 128)
    for (let j = 0; j < 8; j++, from++) {
      const four = <i32>load<u8>(from);
      for (let i = 0; i < 4; i++)
        store<f32>(to + (j + 8 * i) * 4, <f32>(((four >> (2 * i)) & 3) * 2 - 3) * scale);
    }
}

/** x = layer norm of (x + y); if `y` is 0: of x. */
function norm(x: usize, y: usize, weight: usize, bias: usize, tokens: i32): void {
  for (const end = x + tokens * ROW; x < end; x += ROW) {
    let sum = f32x4.splat(0);
    if (y !== 0) {
      for (let i = 0; i < ROW; i += 16) {
        const v = f32x4.add(v128.load(x + i), v128.load(y + i));
        v128.store(x + i, v);
        sum = f32x4.add(sum, v);
      }
      y += ROW;
    } else for (let i = 0; i < ROW; i += 16) sum = f32x4.add(sum, v128.load(x + i));
    const mean = f32x4.splat(Simd.sum(sum) / <f32>WIDTH);
    let squares = f32x4.splat(0);
    for (let i = 0; i < ROW; i += 16) {
      const d = f32x4.sub(v128.load(x + i), mean);
      squares = Simd.multiplyAdd(squares, d, d);
    }
    const factor = f32x4.splat(<f32>1 / Mathf.sqrt(Simd.sum(squares) / <f32>WIDTH + <f32>1e-12));
    for (let i = 0; i < ROW; i += 16) {
      const d = f32x4.mul(f32x4.sub(v128.load(x + i), mean), factor);
      v128.store(x + i, Simd.multiplyAdd(v128.load(bias + i), d, v128.load(weight + i)));
    }
  }
}

/**
 * The input of the first layer. `words`: the embedding rows of the tokens, quantised; `positions`:
 * as many rows of floats; `type`: one row; `weight` and `bias`: of the norm.
 */
export function embed(
  words: usize,
  word_bytes: i32,
  positions: usize,
  type: usize,
  weight: usize,
  bias: usize,
  x: usize,
  tokens: i32,
): void {
  for (let t = 0; t < tokens; t++) {
    const to = x + t * ROW,
      position = positions + t * ROW;
    if (word_bytes === WORD_BYTES_2) unpackWord(words + t * word_bytes, to);
    else unpackRow(words + t * word_bytes, WIDTH, to);
    for (let i = 0; i < ROW; i += 16)
      v128.store(
        to + i,
        f32x4.add(v128.load(to + i), f32x4.add(v128.load(position + i), v128.load(type + i))),
      );
  }
  norm(x, 0, weight, bias, tokens);
}

/** Addresses of a layer: weights, scales and bias of each matrix; weight and bias of both norms. */
class Layer {
  query: usize;
  query_scales: usize;
  query_bias: usize;
  key: usize;
  key_scales: usize;
  key_bias: usize;
  value: usize;
  value_scales: usize;
  value_bias: usize;
  taken: usize;
  taken_scales: usize;
  taken_bias: usize;
  up: usize;
  up_scales: usize;
  up_bias: usize;
  down: usize;
  down_scales: usize;
  down_bias: usize;
  first_weight: usize;
  first_bias: usize;
  second_weight: usize;
  second_bias: usize;
}

/** The queries, keys and values of x[tokens][384] in a layer. */
export function project(at: usize, x: usize, q: usize, k: usize, v: usize, tokens: i32): void {
  const l = changetype<Layer>(at);
  quantise(x, tokens, WIDTH);
  multiply(l.query, l.query_scales, l.query_bias, q, tokens, WIDTH, WIDTH);
  multiply(l.key, l.key_scales, l.key_bias, k, tokens, WIDTH, WIDTH);
  multiply(l.value, l.value_scales, l.value_bias, v, tokens, WIDTH, WIDTH);
}

/** The output of a layer for x[tokens][384], from the output of its attention. */
export function finish(at: usize, x: usize, attended: usize, tokens: i32): void {
  const l = changetype<Layer>(at);
  quantise(attended, tokens, WIDTH);
  multiply(l.taken, l.taken_scales, l.taken_bias, added, tokens, WIDTH, WIDTH);
  norm(x, added, l.first_weight, l.first_bias, tokens);
  quantise(x, tokens, WIDTH);
  multiply(l.up, l.up_scales, l.up_bias, inside, tokens, WIDTH_INSIDE, WIDTH);
  for (let i = inside; i < inside + tokens * WIDTH_INSIDE * 4; i += 16)
    v128.store(i, Simd.gelu(v128.load(i)));
  quantise(inside, tokens, WIDTH_INSIDE);
  multiply(l.down, l.down_scales, l.down_bias, added, tokens, WIDTH, WIDTH_INSIDE);
  norm(x, added, l.second_weight, l.second_bias, tokens);
}

/** Mean pooling: the mean of all tokens, to[384]. */
export function mean(x: usize, tokens: i32, to: usize): void {
  const factor = f32x4.splat(<f32>1 / <f32>tokens);
  for (let i = 0; i < ROW; i += 16) {
    let sum = f32x4.splat(0);
    for (let t = 0; t < tokens; t++) sum = f32x4.add(sum, v128.load(x + t * ROW + i));
    v128.store(to + i, f32x4.mul(sum, factor));
  }
}
