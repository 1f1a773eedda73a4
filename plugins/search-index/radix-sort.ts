/** Sorts pairs of numbers in linear time: the postings of a pack are too many to compare. */

interface Pairs {
  readonly keys: Uint32Array;
  readonly values: Uint32Array;
}
const digit_bits = 11,
  /** Three digits of eleven bits are a key. */
  digits = 3,
  digit_mask = 2 ** digit_bits - 1;

/** The pairs in the order of their keys; equal keys keep their order. The arrays are used up. */
export function radixSort(keys: Uint32Array, values: Uint32Array): Pairs {
  let from: Pairs = { keys, values },
    to: Pairs = { keys: new Uint32Array(keys.length), values: new Uint32Array(keys.length) };
  for (let digit = 0; digit < digits; digit++) {
    sortByDigit(from, to, digit * digit_bits);
    [from, to] = [to, from];
  }
  release(to);
  return from;
}

/** Gives the memory back at once, and not when it is collected. */
export function release({ keys, values }: Pairs): void {
  for (const { buffer } of [keys, values]) (buffer as ArrayBuffer).transfer(0);
}

function sortByDigit(from: Pairs, to: Pairs, shift: number): void {
  const starts = new Uint32Array(digit_mask + 2),
    count = from.keys.length;
  for (let at = 0; at < count; at++) starts[((from.keys[at]! >>> shift) & digit_mask) + 1]!++;
  for (let digit = 1; digit <= digit_mask; digit++) starts[digit]! += starts[digit - 1]!;
  for (let at = 0; at < count; at++) {
    const key = from.keys[at]!,
      place = starts[(key >>> shift) & digit_mask]!++;
    to.keys[place] = key;
    to.values[place] = from.values[at]!;
  }
}
