/**
 * Numbers in the ways that lists and sheets write them: letters, Roman, without the noise of binary
 * fractions, as dates.
 */

export const letters = (number: number): string =>
  number < 1 || number > 26 * 50
    ? String(number)
    : String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.floor((number - 1) / 26) + 1);

const roman_steps: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];
export function roman(number: number): string {
  if (number < 1 || number > 3999) return String(number);
  let rest = number;
  let text = "";
  for (const [value, sign] of roman_steps) for (; rest >= value; rest -= value) text += sign;
  return text;
}

/**
 * `0.30000000000000004` is `0.3`, `1E3` is `1000`: fifteen digits are what a sheet knows. Anything
 * else stays as it is.
 */
export function cleanNumber(raw: string): string {
  if (raw.length < 16 && !/e/i.test(raw)) return raw;
  const number = Number(raw);
  if (raw.trim() === "" || !Number.isFinite(number)) return raw;
  return Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)));
}

export type DateKind = "date" | "time" | "datetime" | "duration";
const day_ms = 86_400_000;
/**
 * The number of days since the beginning of 1900 (or 1904) as a date; null when it is none. The
 * first two months of 1900 are off by a day, as everywhere.
 */
export function dateOf(days: number, kind: DateKind, since_1904: boolean): string | null {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return null;
  if (kind === "duration") return durationOf(days);
  const since_1970_days = days - (since_1904 ? 24_107 : days < 60 ? 25_568 : 25_569);
  const iso = new Date(Math.round((since_1970_days * day_ms) / 1000) * 1000).toISOString();
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  const short_time = time.endsWith(":00") ? time.slice(0, 5) : time;
  if (kind === "time" && days < 1) return short_time;
  return kind === "date" || (kind === "datetime" && time === "00:00:00")
    ? date
    : `${date} ${short_time}`;
}
function durationOf(days: number): string {
  const seconds = Math.round(days * 86_400);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/**
 * What a number format of Excel makes of a number, as far as it changes what is said; null for an
 * ordinary number.
 */
export function formatKind(id: number, code: string | undefined): DateKind | "percent" | null {
  if (code === undefined) return built_in.get(id) ?? null;
  const [first] = code.split(";", 1) as [string];
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return "duration";
  const bare = first.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, "");
  if (/general/i.test(bare)) return null;
  if (bare.includes("%")) return "percent";
  const date = /[dy]/i.test(bare) || /mmm/i.test(bare) || (/m/i.test(bare) && !/[hs]/i.test(bare));
  const time = /[hs]/i.test(bare);
  return date ? (time ? "datetime" : "date") : time ? "time" : null;
}
const span = (
  from: number,
  to: number,
  kind: DateKind | "percent",
): [number, DateKind | "percent"][] =>
  Array.from({ length: to - from + 1 }, (_, at) => [from + at, kind]);
const built_in = new Map<number, DateKind | "percent">([
  ...span(9, 10, "percent"),
  ...span(14, 17, "date"),
  ...span(18, 21, "time"),
  [22, "datetime"],
  ...span(27, 31, "date"),
  ...span(32, 35, "time"),
  [36, "date"],
  [45, "time"],
  [46, "duration"],
  [47, "time"],
  ...span(50, 58, "date"),
]);
