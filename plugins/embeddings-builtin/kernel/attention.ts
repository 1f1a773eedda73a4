/** Attention within one text: softmax(q k' / sqrt(32)) v for each of the heads. AssemblyScript. */
import { Simd } from "./simd";

const WIDTH: i32 = 384;
const HEAD_WIDTH: i32 = 32;
const TOKENS_MAX: i32 = 512;
/** Bytes per token row. */
const ROW: i32 = WIDTH * 4;
/** 1 / sqrt(HEAD_WIDTH). */
const SCALE: f32 = 0.17677669529663687;

/** The keys of one head, component by component; the weights of two queries. */
const keys: usize = memory.data(HEAD_WIDTH * (TOKENS_MAX + 4) * 4, 16),
  first_weights: usize = memory.data((TOKENS_MAX + 4) * 4, 16),
  second_weights: usize = memory.data((TOKENS_MAX + 4) * 4, 16);

/** `padded`: number of tokens, rounded up to a multiple of four. A padded key is zero. */
function transposeKeys(k: usize, tokens: i32, padded: i32): void {
  for (let s = 0; s < padded; s++)
    for (let e = 0; e < HEAD_WIDTH; e++)
      store<f32>(keys + (e * padded + s) * 4, s < tokens ? load<f32>(k + s * ROW + e * 4) : <f32>0);
}

/** Computes the scores of every key for two queries, into their weights. */
function score(qa: usize, qb: usize, padded: i32): void {
  const stride = padded * 4;
  let s = 0;
  for (; s + 8 <= padded; s += 8) {
    let a = f32x4.splat(0),
      b = a,
      c = a,
      d = a,
      key = keys + s * 4;
    for (let e = 0; e < HEAD_WIDTH * 4; e += 4, key += stride) {
      const x = v128.load(key),
        y = v128.load(key, 16),
        u = v128.load32_splat(qa + e),
        w = v128.load32_splat(qb + e);
      a = Simd.multiplyAdd(a, x, u);
      b = Simd.multiplyAdd(b, y, u);
      c = Simd.multiplyAdd(c, x, w);
      d = Simd.multiplyAdd(d, y, w);
    }
    v128.store(first_weights + s * 4, a);
    v128.store(first_weights + s * 4, b, 16);
    v128.store(second_weights + s * 4, c);
    v128.store(second_weights + s * 4, d, 16);
  }
  if (s === padded) return;
  let a = f32x4.splat(0),
    c = a,
    key = keys + s * 4;
  for (let e = 0; e < HEAD_WIDTH * 4; e += 4, key += stride) {
    const x = v128.load(key);
    a = Simd.multiplyAdd(a, x, v128.load32_splat(qa + e));
    c = Simd.multiplyAdd(c, x, v128.load32_splat(qb + e));
  }
  v128.store(first_weights + s * 4, a);
  v128.store(second_weights + s * 4, c);
}

/** Replaces scores by the exponentials of the softmax. Returns 1 / their sum. */
function exponentials(weights: usize, tokens: i32, padded: i32): f32 {
  for (let s = tokens; s < padded; s++) store<f32>(weights + s * 4, -1e30);
  const end = weights + padded * 4;
  let most = f32x4.splat(-1e30);
  for (let w = weights; w < end; w += 16) most = f32x4.pmax(most, v128.load(w));
  const largest = f32x4.splat(Simd.max(most)),
    scale = f32x4.splat(SCALE);
  let sum = f32x4.splat(0);
  for (let w = weights; w < end; w += 16) {
    const e = Simd.exp(f32x4.mul(f32x4.sub(v128.load(w), largest), scale));
    v128.store(w, e);
    sum = f32x4.add(sum, e);
  }
  return <f32>1 / Simd.sum(sum);
}

/** The weighted mean of the values of one head. */
function weigh(weights: usize, factor: f32, v: usize, tokens: i32, to: usize): void {
  let c0 = f32x4.splat(0),
    c1 = c0,
    c2 = c0,
    c3 = c0,
    c4 = c0,
    c5 = c0,
    c6 = c0,
    c7 = c0;
  for (const end = weights + tokens * 4; weights < end; weights += 4, v += ROW) {
    const w = v128.load32_splat(weights);
    c0 = Simd.multiplyAdd(c0, w, v128.load(v));
    c1 = Simd.multiplyAdd(c1, w, v128.load(v, 16));
    c2 = Simd.multiplyAdd(c2, w, v128.load(v, 32));
    c3 = Simd.multiplyAdd(c3, w, v128.load(v, 48));
    c4 = Simd.multiplyAdd(c4, w, v128.load(v, 64));
    c5 = Simd.multiplyAdd(c5, w, v128.load(v, 80));
    c6 = Simd.multiplyAdd(c6, w, v128.load(v, 96));
    c7 = Simd.multiplyAdd(c7, w, v128.load(v, 112));
  }
  const f = f32x4.splat(factor);
  v128.store(to, f32x4.mul(c0, f));
  v128.store(to, f32x4.mul(c1, f), 16);
  v128.store(to, f32x4.mul(c2, f), 32);
  v128.store(to, f32x4.mul(c3, f), 48);
  v128.store(to, f32x4.mul(c4, f), 64);
  v128.store(to, f32x4.mul(c5, f), 80);
  v128.store(to, f32x4.mul(c6, f), 96);
  v128.store(to, f32x4.mul(c7, f), 112);
}

/**
 * One head of the attention of a text, with q, k and v [tokens][384]. Its output replaces its part
 * of q.
 */
export function attend(q: usize, k: usize, v: usize, tokens: i32, head: i32): void {
  const padded = (tokens + 3) & ~3,
    at = head * HEAD_WIDTH * 4;
  transposeKeys(k + at, tokens, padded);
  for (let t = 0; t < tokens; t += 2) {
    const a = q + t * ROW + at,
      b = q + min<i32>(t + 1, tokens - 1) * ROW + at;
    score(a, b, padded);
    weigh(first_weights, exponentials(first_weights, tokens, padded), v + at, tokens, a);
    weigh(second_weights, exponentials(second_weights, tokens, padded), v + at, tokens, b);
  }
}
