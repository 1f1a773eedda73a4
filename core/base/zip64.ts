/** What every reader of ZIP archives needs for those above 4 GiB. */

/**
 * The numbers of an entry: those that do not fit in four bytes stand in its extra field instead, in
 * this order.
 */
export function wideNumbers(extra: Buffer, numbers: readonly number[]): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let from = at + 4;
    return numbers.map((number) => {
      if (number !== 0xffffffff || from + 8 > extra.length) return number;
      from += 8;
      return Number(extra.readBigUInt64LE(from - 8));
    });
  }
  return [...numbers];
}
