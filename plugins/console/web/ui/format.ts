/** Numbers, sizes and times formatted for people, in the language of the browser. */
const locale = navigator.language;
const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const one_decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const day = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const date_time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const to_the_second = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

/** `1,200`, without fractions. */
export const formatNumber = (value: number): string => integer.format(value);

/** `1 row`, `1,200 rows`. `plural` is needed only where it is not the singular with an s. */
export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`;

const sizes = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** `482 KB`, in steps of 1024. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return step === 0
    ? counted(bytes, "byte")
    : `${(value < 10 ? one_decimal : integer).format(value)} ${sizes[step]}`;
}

/** `1:02:03`, or `2:03`. */
export function formatDuration(seconds: number): string {
  const parts = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    Math.floor(seconds % 60),
  ];
  const [hours, minutes, rest_seconds] = parts as [number, number, number];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(rest_seconds)}`
    : `${minutes}:${two(rest_seconds)}`;
}

/** How long something took, in seconds: `under a second`, `12 s`, `2:03 min`, `1:02:03 h`. */
export function formatElapsed(seconds: number): string {
  if (seconds < 60) return seconds < 1 ? "under a second" : `${Math.floor(seconds)} s`;
  return `${formatDuration(seconds)} ${seconds < 3600 ? "min" : "h"}`;
}

/** `Nov 21, 2026`. */
export const formatDate = (time: string): string => date.format(new Date(time));
/** `Nov 21`, if the year is evident. */
export const formatDay = (time: string): string => day.format(new Date(time));
/** `Nov 21, 2026, 9:14 AM`. */
export const formatDateTime = (time: string): string => date_time.format(new Date(time));
/** `Nov 21, 2026, 9:14:05 AM`, where the order of events matters. */
export const formatMoment = (time: string): string => to_the_second.format(new Date(time));
/** `42 %`, rounded down; `share` is from 0 to 1. */
export const formatPercent = (share: number): string => `${Math.floor(share * 100)} %`;

const units: readonly [limit_s: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [3600, "minute", 60],
  [86_400, "hour", 3600],
  [7 * 86_400, "day", 86_400],
  [30 * 86_400, "week", 7 * 86_400],
  [365 * 86_400, "month", 30 * 86_400],
  [Infinity, "year", 365 * 86_400],
];

/** `3 minutes ago`, `in 2 days`, `just now`. */
export function formatAgo(time: string, now_ms: number = Date.now()): string {
  const seconds = (Date.parse(time) - now_ms) / 1000;
  if (Math.abs(seconds) < 45) return "just now";
  const [, unit, length] = units.find(([limit]) => Math.abs(seconds) < limit)!;
  return relative.format(Math.round(seconds / length), unit);
}
