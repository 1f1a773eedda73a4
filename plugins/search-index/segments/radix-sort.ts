/** Sorts pairs of numbers in linear time: a pack has too many postings for a comparison sort. */

interface Pairs {
  readonly keys: Uint32Array;
  readonly values: Uint32Array;
}
const key_bits = 32;
/** A few pairs are sorted by more and smaller digits, which need fewer counters. */
const digit_bits = 11;
const small_digit_bits = 8;
const few_pairs = 4_096;

/** Sorts the pairs by key; equal keys keep their order. Overwrites the arrays. */
export function radixSort(keys: Uint32Array, values: Uint32Array): Pairs {
  let from: Pairs = { keys, values };
  let to: Pairs = { keys: new Uint32Array(keys.length), values: new Uint32Array(keys.length) };
  const is_few = keys.length <= few_pairs;
  const bits = is_few ? small_digit_bits : digit_bits;
  for (let shift = 0; shift < key_bits; shift += bits) {
    sortByDigit(from, to, shift, 2 ** bits - 1);
    [from, to] = [to, from];
  }
  if (!is_few) release(to);
  return from;
}

/** Frees the memory at once, rather than at garbage collection. */
export function release({ keys, values }: Pairs): void {
  for (const { buffer } of [keys, values]) (buffer as ArrayBuffer).transfer(0);
}

function sortByDigit(from: Pairs, to: Pairs, shift: number, digit_mask: number): void {
  const starts = new Uint32Array(digit_mask + 2);
  const count = from.keys.length;
  for (let at = 0; at < count; at++) starts[((from.keys[at]! >>> shift) & digit_mask) + 1]!++;
  for (let digit = 1; digit <= digit_mask; digit++) starts[digit]! += starts[digit - 1]!;
  for (let at = 0; at < count; at++) {
    const key = from.keys[at]!;
    const place = starts[(key >>> shift) & digit_mask]!++;
    to.keys[place] = key;
    to.values[place] = from.values[at]!;
  }
}
