/**
 * Products of a weight matrix with activations, which are quantised first. Weights have 7 bits and
 * one scale per row, activations 8 bits and one scale per block. AssemblyScript.
 */
import { half, Simd } from "./simd";

/** Activations that share a scale. */
const BLOCK: i32 = 128;
/** Added to each weight, so that none is negative: they are 1 to 127. */
const WEIGHT_OFFSET: i32 = 64;
const WEIGHT_MAX: f32 = 63.0;
const ACTIVATION_MAX: f32 = 127.0;
/** Bytes per activation: plain SIMD multiplies wider integers. */
const ACTIVATION_BYTES: i32 = ASC_FEATURE_RELAXED_SIMD ? 1 : 2;
const TOKENS_MAX: i32 = 32;
const WIDTH_MAX: i32 = 1536;
const BLOCKS_MAX: i32 = (TOKENS_MAX * WIDTH_MAX) / BLOCK;

/**
 * The activations of the tokens of a step; the scale of each block; the initial value of a block's
 * sums.
 */
const activations: usize = memory.data(TOKENS_MAX * WIDTH_MAX * ACTIVATION_BYTES, 16),
  scales: usize = memory.data(BLOCKS_MAX * 4, 16),
  beginnings: usize = memory.data(BLOCKS_MAX * 16, 16),
  row: usize = memory.data(WIDTH_MAX * 4, 16);

class Bytes {
  /**
   * The storage order of 16 weights or activations. Plain SIMD puts other products into a lane than
   * the relaxed instruction does; this order makes them the same, so that both kernels yield
   * bit-identical vectors.
   */
  @inline
  static ordered(x: v128): v128 {
    return ASC_FEATURE_RELAXED_SIMD
      ? x
      : v128.shuffle<i8>(x, x, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
  }

  @inline
  static narrow(a: v128, b: v128, c: v128, d: v128): v128 {
    return i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
  }

  /** Converts 16 integers to floats, times a scale. */
  @inline
  static scaleTo(to: usize, x: v128, scale: v128): void {
    const low = i16x8.extend_low_i8x16_s(x),
      high = i16x8.extend_high_i8x16_s(x);
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), scale));
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), scale), 16);
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), scale), 32);
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), scale), 48);
  }

  /** Rounds four floats, times a factor. */
  @inline
  static scaled(from: usize, factor: v128): v128 {
    return Simd.round(f32x4.mul(v128.load(from), factor));
  }

  /** As many weights as there are activations in 16 bytes. */
  @inline
  static weights(from: usize): v128 {
    return ASC_FEATURE_RELAXED_SIMD ? v128.load(from) : v128.load8x8_s(from);
  }

  /**
   * Accumulates products in four sums. The relaxed instruction is exact, and therefore the same on
   * every processor, because one side has 7 bits. `ones` is a parameter because the engine would
   * otherwise recreate the constant for each product, as it does for the instruction that also
   * adds.
   */
  @inline
  static dot(a: v128, weights: v128, sums: v128, ones: v128): v128 {
    return i32x4.add(
      sums,
      ASC_FEATURE_RELAXED_SIMD
        ? i32x4.dot_i16x8_s(i16x8.relaxed_dot_i8x16_i7x16_s(a, weights), ones)
        : i32x4.dot_i16x8_s(a, weights),
    );
  }
}

function largestOf(from: usize, width: i32): f32 {
  let most = f32x4.splat(0);
  for (let i = 0; i < width * 4; i += 16) most = f32x4.pmax(most, f32x4.abs(v128.load(from + i)));
  return Simd.max(most);
}

/**
 * Unpacks 32 weights: a scale in half precision; byte j has weight j in the low and weight j + 16
 * in the high bits.
 */
export function unpackRow(from: usize, width: i32, to: usize): void {
  for (let block = 0; block < width; block += 32, from += 18, to += 128) {
    const scale = f32x4.splat(half(load<u16>(from))),
      pairs = v128.load(from, 2),
      eight = i8x16.splat(8),
      low = i8x16.sub(v128.and(pairs, i8x16.splat(15)), eight),
      high = i8x16.sub(i8x16.shr_u(pairs, 4), eight);
    Bytes.scaleTo(to, low, scale);
    Bytes.scaleTo(to + 64, high, scale);
  }
}

/** Converts a matrix of 4-bit weights into one of 7-bit weights with a scale per row. */
export function repack(
  from: usize,
  rows: i32,
  width: i32,
  weights: usize,
  row_scales: usize,
): void {
  const offset = i8x16.splat(<i8>WEIGHT_OFFSET);
  for (let r = 0; r < rows; r++, from += (width / 32) * 18) {
    unpackRow(from, width, row);
    const largest = largestOf(row, width),
      factor = f32x4.splat(largest > 0 ? WEIGHT_MAX / largest : 0);
    store<f32>(row_scales + r * 4, largest / WEIGHT_MAX);
    for (let i: usize = row; i < row + width * 4; i += 64, weights += 16) {
      const sixteen = Bytes.narrow(
        Bytes.scaled(i, factor),
        Bytes.scaled(i + 16, factor),
        Bytes.scaled(i + 32, factor),
        Bytes.scaled(i + 48, factor),
      );
      v128.store(weights, Bytes.ordered(i8x16.add(sixteen, offset)));
    }
  }
}

/** Quantises the rows of x[tokens][width] for the following products. */
export function quantise(x: usize, tokens: i32, width: i32): void {
  let to = activations,
    scale = scales,
    beginning = beginnings;
  for (const end = x + tokens * width * 4; x < end; scale += 4, beginning += 16) {
    const largest = largestOf(x, BLOCK),
      factor = f32x4.splat(largest > 0 ? ACTIVATION_MAX / largest : 0);
    let sum = i32x4.splat(0);
    for (let i = 0; i < BLOCK; i += 16, x += 64, to += 16 * ACTIVATION_BYTES) {
      const a = Bytes.scaled(x, factor),
        b = Bytes.scaled(x + 16, factor),
        c = Bytes.scaled(x + 32, factor),
        d = Bytes.scaled(x + 48, factor);
      sum = i32x4.add(sum, i32x4.add(i32x4.add(a, b), i32x4.add(c, d)));
      const sixteen = Bytes.ordered(Bytes.narrow(a, b, c, d));
      if (ASC_FEATURE_RELAXED_SIMD) v128.store(to, sixteen);
      else {
        v128.store(to, i16x8.extend_low_i8x16_s(sixteen));
        v128.store(to, i16x8.extend_high_i8x16_s(sixteen), 16);
      }
    }
    store<f32>(scale, largest / ACTIVATION_MAX);
    // Subtracts the offset of the weights again.
    v128.store(beginning, i32x4.mul(sum, i32x4.splat(-WEIGHT_OFFSET)));
  }
}

/**
 * y[tokens][rows] = quantised activations * weights[rows][width]' + bias, in tiles of four rows by
 * two tokens, which fit into the registers.
 */
export function multiply(
  weights: usize,
  row_scales: usize,
  bias: usize,
  y: usize,
  tokens: i32,
  rows: i32,
  width: i32,
): void {
  v128.store(row, i16x8.splat(1));
  for (let r = 0; r < rows; r += 4)
    for (let t = 0; t < tokens; t += 2) {
      const u = min<i32>(t + 1, tokens - 1),
        at = r * 4;
      tile(weights + r * width, row_scales + at, bias + at, y + at, t, u, rows, width);
    }
}

/** Four rows of the weights by the tokens `t` and `u`. */
function tile(
  w: usize,
  row_scales: usize,
  bias: usize,
  y: usize,
  t: i32,
  u: i32,
  rows: i32,
  width: i32,
): void {
  const ones = v128.load(row),
    blocks = width / BLOCK,
    stride = width * ACTIVATION_BYTES;
  let a = activations + t * stride,
    b = activations + u * stride,
    at = t * blocks,
    bt = u * blocks;
  let f0 = f32x4.splat(0),
    f1 = f0,
    f2 = f0,
    f3 = f0,
    g0 = f0,
    g1 = f0,
    g2 = f0,
    g3 = f0;
  for (const last = at + blocks; at < last; at++, bt++) {
    let a0 = v128.load(beginnings + at * 16),
      b0 = v128.load(beginnings + bt * 16),
      a1 = a0,
      a2 = a0,
      a3 = a0,
      b1 = b0,
      b2 = b0,
      b3 = b0;
    for (const end = w + BLOCK; w < end; w += 16 / ACTIVATION_BYTES, a += 16, b += 16) {
      const va = v128.load(a),
        vb = v128.load(b);
      let x = Bytes.weights(w);
      a0 = Bytes.dot(va, x, a0, ones);
      b0 = Bytes.dot(vb, x, b0, ones);
      x = Bytes.weights(w + width);
      a1 = Bytes.dot(va, x, a1, ones);
      b1 = Bytes.dot(vb, x, b1, ones);
      x = Bytes.weights(w + 2 * width);
      a2 = Bytes.dot(va, x, a2, ones);
      b2 = Bytes.dot(vb, x, b2, ones);
      x = Bytes.weights(w + 3 * width);
      a3 = Bytes.dot(va, x, a3, ones);
      b3 = Bytes.dot(vb, x, b3, ones);
    }
    const sa = v128.load32_splat(scales + at * 4),
      sb = v128.load32_splat(scales + bt * 4);
    f0 = Simd.multiplyAdd(f0, f32x4.convert_i32x4_s(a0), sa);
    f1 = Simd.multiplyAdd(f1, f32x4.convert_i32x4_s(a1), sa);
    f2 = Simd.multiplyAdd(f2, f32x4.convert_i32x4_s(a2), sa);
    f3 = Simd.multiplyAdd(f3, f32x4.convert_i32x4_s(a3), sa);
    g0 = Simd.multiplyAdd(g0, f32x4.convert_i32x4_s(b0), sb);
    g1 = Simd.multiplyAdd(g1, f32x4.convert_i32x4_s(b1), sb);
    g2 = Simd.multiplyAdd(g2, f32x4.convert_i32x4_s(b2), sb);
    g3 = Simd.multiplyAdd(g3, f32x4.convert_i32x4_s(b3), sb);
  }
  const row_scale = v128.load(row_scales),
    row_bias = v128.load(bias),
    first = Simd.sums(f0, f1, f2, f3),
    second = Simd.sums(g0, g1, g2, g3);
  v128.store(y + t * rows * 4, Simd.multiplyAdd(row_bias, first, row_scale));
  v128.store(y + u * rows * 4, Simd.multiplyAdd(row_bias, second, row_scale));
}
