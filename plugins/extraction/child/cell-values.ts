/** Runs in the child: numbers and dates of spreadsheet cells, as they read. */

/** What the number format of a cell makes of its number. */
type DateFormat = "date" | "time" | "datetime" | "duration";
export type CellFormat = DateFormat | "percent";

/** The number as its cell shows it; `format` is null for an ordinary number. */
export function formatCell(raw: string, format: CellFormat | null, since_1904: boolean): string {
  const number = Number(raw);
  if (format === "percent")
    return Number.isFinite(number) ? `${cleanNumber(String(number * 100))}%` : raw;
  return (format === null ? null : formatDate(number, format, since_1904)) ?? cleanNumber(raw);
}

/**
 * `0.30000000000000004` is `0.3` and `1E3` is `1000`: spreadsheets have fifteen digits. Anything
 * that is no number stays as it is.
 */
export function cleanNumber(raw: string): string {
  if (raw.length < 16 && !/e/i.test(raw)) return raw;
  const number = Number(raw);
  if (raw.trim() === "" || !Number.isFinite(number)) return raw;
  return Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)));
}

const day_ms = 86_400_000;
/** The last day of the year 9999. */
const days_max = 2_958_466;
/** From the beginning of 1904, of 1900, and of 1900 before its wrong leap day, to 1970. */
const [days_1904, days_1900, days_early_1900] = [24_107, 25_569, 25_568];

/**
 * A number of days since the beginning of 1900 (or 1904) as a date; null when it is none. As in
 * every spreadsheet, the first two months of 1900 are off by a day.
 */
function formatDate(days: number, format: DateFormat, since_1904: boolean): string | null {
  if (!Number.isFinite(days) || days < 0 || days > days_max) return null;
  if (format === "duration") return formatDuration(days);
  const since_1970 = days - (since_1904 ? days_1904 : days < 60 ? days_early_1900 : days_1900);
  const iso = new Date(Math.round((since_1970 * day_ms) / 1000) * 1000).toISOString();
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  const short_time = time.endsWith(":00") ? time.slice(0, 5) : time;
  if (format === "time" && days < 1) return short_time;
  return format === "date" || (format === "datetime" && time === "00:00:00")
    ? date
    : `${date} ${short_time}`;
}

function formatDuration(days: number): string {
  const seconds = Math.round(days * 86_400);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/**
 * What a number format of Excel, by its id and its code, makes of a number; null for an ordinary
 * number. Built-in formats have no code.
 */
export function cellFormat(id: number, code: string | undefined): CellFormat | null {
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

const range = (from: number, to: number, format: CellFormat): [number, CellFormat][] =>
  Array.from({ length: to - from + 1 }, (_, at) => [from + at, format]);
const built_in = new Map<number, CellFormat>([
  ...range(9, 10, "percent"),
  ...range(14, 17, "date"),
  ...range(18, 21, "time"),
  [22, "datetime"],
  ...range(27, 31, "date"),
  ...range(32, 35, "time"),
  [36, "date"],
  [45, "time"],
  [46, "duration"],
  [47, "time"],
  ...range(50, 58, "date"),
]);
