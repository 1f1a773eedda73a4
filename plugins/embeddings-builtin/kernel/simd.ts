/** Sums, quantisation and functions over four numbers at once. AssemblyScript, not TypeScript. */

/** Activations that share a scale. */
export const BLOCK: i32 = 128;
/** Added to each 7-bit weight, so that it is never negative. */
const WEIGHT_OFFSET: i32 = 64;
/** 1.5 * 2^23: adding it rounds to an integer, which is then in the low bits of the float. */
const ROUNDING: f32 = 12582912.0;
const ROUNDING_BITS: i32 = 0x4b400000;

export class Simd {
  @inline
  static sum(v: v128): f32 {
    return (
      f32x4.extract_lane(v, 0) +
      f32x4.extract_lane(v, 1) +
      f32x4.extract_lane(v, 2) +
      f32x4.extract_lane(v, 3)
    );
  }

  @inline
  static max(v: v128): f32 {
    return max<f32>(
      max<f32>(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
      max<f32>(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
    );
  }

  /** The horizontal sums of four vectors. */
  @inline
  static sums(a: v128, b: v128, c: v128, d: v128): v128 {
    const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7)),
      cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
    return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
  }

  /** acc + a * b, rounded twice: a fused operation would differ between processors. */
  @inline
  static multiplyAdd(acc: v128, a: v128, b: v128): v128 {
    return f32x4.add(acc, f32x4.mul(a, b));
  }

  /** Rounds to the nearest integers. */
  @inline
  static round(x: v128): v128 {
    return i32x4.sub(f32x4.add(x, f32x4.splat(ROUNDING)), i32x4.splat(ROUNDING_BITS));
  }

  /** e^x for x <= 0. */
  @inline
  static exp(x: v128): v128 {
    const y = f32x4.mul(f32x4.pmax(f32x4.splat(-87.0), x), f32x4.splat(1.44269504)),
      magic = f32x4.splat(ROUNDING),
      rounded = f32x4.add(y, magic),
      rest = f32x4.sub(y, f32x4.sub(rounded, magic)),
      power = i32x4.shl(i32x4.sub(rounded, i32x4.splat(ROUNDING_BITS - 127)), 23);
    let p = f32x4.splat(0.00133335581);
    p = Simd.multiplyAdd(f32x4.splat(0.0096181291), p, rest);
    p = Simd.multiplyAdd(f32x4.splat(0.0555041086), p, rest);
    p = Simd.multiplyAdd(f32x4.splat(0.240226507), p, rest);
    p = Simd.multiplyAdd(f32x4.splat(0.693147181), p, rest);
    p = Simd.multiplyAdd(f32x4.splat(1.0), p, rest);
    return f32x4.mul(p, power);
  }

  /** GELU: x * Phi(x), using the error function of Abramowitz and Stegun 7.1.26. */
  @inline
  static gelu(x: v128): v128 {
    const one = f32x4.splat(1.0),
      z = f32x4.mul(x, f32x4.splat(0.70710678)),
      a = f32x4.abs(z),
      t = f32x4.div(one, f32x4.add(one, f32x4.mul(a, f32x4.splat(0.3275911))));
    let p = f32x4.splat(1.061405429);
    p = Simd.multiplyAdd(f32x4.splat(-1.453152027), p, t);
    p = Simd.multiplyAdd(f32x4.splat(1.421413741), p, t);
    p = Simd.multiplyAdd(f32x4.splat(-0.284496736), p, t);
    p = Simd.multiplyAdd(f32x4.splat(0.254829592), p, t);
    p = f32x4.mul(p, t);
    const erf = f32x4.sub(one, f32x4.mul(p, Simd.exp(f32x4.neg(f32x4.mul(a, a))))),
      signed = v128.or(erf, v128.and(z, i32x4.splat(<i32>0x80000000)));
    return f32x4.mul(f32x4.mul(f32x4.splat(0.5), x), f32x4.add(one, signed));
  }
}

/** Converts IEEE 754 half precision. */
export function half(bits: u32): f32 {
  const exponent = (bits >> 10) & 31,
    fraction = bits & 1023,
    sign = (bits & 0x8000) << 16;
  if (exponent === 0) {
    const tiny = <f32>fraction * 5.9604644775390625e-8;
    return sign !== 0 ? -tiny : tiny;
  }
  const rest = exponent === 31 ? 0x7f800000 : (exponent + 112) << 23;
  return reinterpret<f32>(sign | rest | (fraction << 13));
}
