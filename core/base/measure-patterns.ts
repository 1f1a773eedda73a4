/** The notation of durations and sizes, for the API document and its clients. */
import { oneOf, wholeNumbers } from "../lib/number-pattern";
import type { StoredLimits } from "./settings";

const unit_ms = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const thousandths = "(?:\\.[0-9]{1,3})?";
/** Between zero and one: a thousandth of a second is a millisecond. */
const below_one = "0\\.(?:[1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9])";

/**
 * Durations, as a regular expression: whole milliseconds; other units with up to three decimals.
 */
export function duration({ least_ms = 0, most_ms }: StoredLimits = {}): string {
  const units = Object.entries(unit_ms).flatMap(([unit, ms], place) => {
    const numbers =
      most_ms === undefined
        ? numbersOfDigits([14, 11, 9, 8, 6][place]!, { least_ms, ms })
        : numbersUpTo(Math.floor(most_ms / ms), { least_ms, ms });
    return numbers.length === 0 ? [] : [`${oneOf(numbers)} ?${unit}`];
  });
  return `^${oneOf(units)}$`;
}

interface Unit {
  readonly least_ms: number;
  readonly ms: number;
}
function numbersOfDigits(digits: number, { least_ms, ms }: Unit): string[] {
  const fraction = ms > 1 ? thousandths : "";
  return least_ms === 0
    ? [`[0-9]{1,${digits}}${fraction}`]
    : [`[1-9][0-9]{0,${digits - 1}}${fraction}`, ...(ms > 1 ? [below_one] : [])];
}
function numbersUpTo(most: number, { least_ms, ms }: Unit): string[] {
  const least = least_ms === 0 ? 0 : 1;
  if (ms === 1) return [wholeNumbers(least, most)];
  return [
    ...(least < most ? [`${wholeNumbers(least, most - 1)}${thousandths}`] : []),
    ...(least <= most ? [wholeNumbers(most, most)] : []),
    ...(least > 0 && most >= 1 ? [below_one] : []),
  ];
}

/** Sizes; a bare number is bytes. */
export function size(): string {
  const fraction = "(?:\\.[0-9]{1,3})?";
  const units = ["K", "M", "G", "T"].map(
    (unit, place) => `[0-9]{1,${12 - 3 * place}}${fraction} ?${unit}i?B`,
  );
  return `^(?:[0-9]{1,15} ?B?|${units.join("|")})$`;
}
