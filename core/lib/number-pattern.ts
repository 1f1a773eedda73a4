/**
 * Regular expressions for numbers within limits, in the common subset of ECMAScript, Python and Go.
 */

/** Whole numbers from `least` to `most`, neither negative, without leading zeros. */
export function wholeNumbers(least: number, most: number): string {
  const patterns: string[] = [];
  // Lengths that are covered completely, such as 10 to 999: one expression for all of these.
  const complete_lengths: number[] = [];
  for (let digits = String(least).length; digits <= String(most).length; digits++) {
    const smallest = digits === 1 ? 0 : 10 ** (digits - 1);
    const largest = 10 ** digits - 1;
    const low = Math.max(least, smallest);
    const high = Math.min(most, largest);
    if (digits > 1 && low === smallest && high === largest) complete_lengths.push(digits);
    else if (low <= high) patterns.push(...ofOneLength(String(low), String(high)));
  }
  if (complete_lengths.length > 0) {
    const fewest = complete_lengths[0]! - 1;
    const longest = complete_lengths.at(-1)! - 1;
    patterns.push(`[1-9]${fewest === longest ? anyDigits(fewest) : `[0-9]{${fewest},${longest}}`}`);
  }
  return oneOf(patterns);
}

/** The same including negative numbers. */
export function integers(least: number, most: number): string {
  if (least >= 0) return wholeNumbers(least, most);
  const negative = `-${wholeNumbers(most < 0 ? -most : 1, -least)}`;
  return most < 0 ? negative : oneOf([wholeNumbers(0, most), negative]);
}

/** Matches any of these regular expressions. There must be at least one. */
export const oneOf = (patterns: readonly string[]): string =>
  patterns.length === 1 ? patterns[0]! : `(?:${patterns.join("|")})`;

/** Both have the same number of digits. */
function ofOneLength(low: string, high: string): string[] {
  const digits_left = low.length - 1;
  if (/^0*$/.test(low) && /^9*$/.test(high)) return [anyDigits(low.length)];
  const first = Number(low[0]);
  const last = Number(high[0]);
  if (first === last)
    return digits_left === 0
      ? [String(first)]
      : [first + oneOf(ofOneLength(low.slice(1), high.slice(1)))];
  const patterns: string[] = [];
  let from = first;
  let to = last;
  if (!/^0*$/.test(low.slice(1))) {
    patterns.push(first + oneOf(ofOneLength(low.slice(1), "9".repeat(digits_left))));
    from += 1;
  }
  const is_whole = /^9*$/.test(high.slice(1));
  if (!is_whole) to -= 1;
  if (from <= to)
    patterns.push((from === to ? String(from) : `[${from}-${to}]`) + anyDigits(digits_left));
  if (!is_whole) patterns.push(last + oneOf(ofOneLength("0".repeat(digits_left), high.slice(1))));
  return patterns;
}

const anyDigits = (count: number): string =>
  count === 0 ? "" : count === 1 ? "[0-9]" : `[0-9]{${count}}`;
