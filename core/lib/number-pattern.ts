/**
 * Regular expressions for numbers within limits, in the common subset of ECMAScript, Python and Go.
 */

/** Whole numbers from `least` to `most`, neither negative, without leading zeros. */
export function wholeNumbers(least: number, most: number): string {
  const found: string[] = [];
  // Lengths that are covered completely, such as 10 to 999: one expression for all of these.
  const whole: number[] = [];
  for (let digits = String(least).length; digits <= String(most).length; digits++) {
    const smallest = digits === 1 ? 0 : 10 ** (digits - 1);
    const largest = 10 ** digits - 1;
    const low = Math.max(least, smallest);
    const high = Math.min(most, largest);
    if (digits > 1 && low === smallest && high === largest) whole.push(digits);
    else if (low <= high) found.push(...ofOneLength(String(low), String(high)));
  }
  if (whole.length > 0) {
    const fewest = whole[0]! - 1;
    const longest = whole.at(-1)! - 1;
    found.push(`[1-9]${fewest === longest ? anyDigits(fewest) : `[0-9]{${fewest},${longest}}`}`);
  }
  return oneOf(found);
}

/** The same including negative numbers. */
export function integers(least: number, most: number): string {
  if (least >= 0) return wholeNumbers(least, most);
  const negative = `-${wholeNumbers(most < 0 ? -most : 1, -least)}`;
  return most < 0 ? negative : oneOf([wholeNumbers(0, most), negative]);
}

export const oneOf = (patterns: readonly string[]): string =>
  patterns.length === 1 ? patterns[0]! : `(?:${patterns.join("|")})`;

/** Both have the same number of digits. */
function ofOneLength(low: string, high: string): string[] {
  const rest = low.length - 1;
  if (/^0*$/.test(low) && /^9*$/.test(high)) return [anyDigits(low.length)];
  const first = Number(low[0]);
  const last = Number(high[0]);
  if (first === last)
    return rest === 0 ? [String(first)] : [first + oneOf(ofOneLength(low.slice(1), high.slice(1)))];
  const found: string[] = [];
  let from = first;
  let to = last;
  if (!/^0*$/.test(low.slice(1))) {
    found.push(first + oneOf(ofOneLength(low.slice(1), "9".repeat(rest))));
    from += 1;
  }
  const is_whole = /^9*$/.test(high.slice(1));
  if (!is_whole) to -= 1;
  if (from <= to) found.push((from === to ? String(from) : `[${from}-${to}]`) + anyDigits(rest));
  if (!is_whole) found.push(last + oneOf(ofOneLength("0".repeat(rest), high.slice(1))));
  return found;
}

const anyDigits = (count: number): string =>
  count === 0 ? "" : count === 1 ? "[0-9]" : `[0-9]{${count}}`;
