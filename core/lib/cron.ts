/**
 * The five fields of a cron expression, a regular expression for them that clients can check too,
 * and the next time of an expression.
 */
import { Cron } from "croner";

const names_of_months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const names_of_days = "SUN MON TUE WED THU FRI SAT".split(" ");

interface Field {
  readonly min: number;
  readonly max: number;
  /** Starting at `min`. */
  readonly names?: readonly string[];
}
const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: names_of_months },
  // Sunday is both 0 and 7.
  { min: 0, max: 7, names: names_of_days },
];

const anyOf = (...alternatives: readonly string[]): string => `(?:${alternatives.join("|")})`;

const steps = anyOf("60", "[1-5][0-9]", "[1-9]");
const minutes = anyOf("[1-5][0-9]", "0?[0-9]");
const hours = anyOf("2[0-3]", "1[0-9]", "0?[0-9]");
const days = anyOf("3[01]", "[12][0-9]", "0?[1-9]");
const months = anyOf("1[0-2]", "0?[1-9]", ...names_of_months);
const weekdays = anyOf("[0-7]", ...names_of_days);
const hour_steps = anyOf("2[0-4]", "1[0-9]", "[1-9]");
const day_steps = anyOf("3[01]", "[12][0-9]", "[1-9]");
const month_steps = anyOf("1[0-2]", "[1-9]");

const every = (step: string): string => String.raw`\*(?:/${step})?`;
/** A number or a range that begins with `first`, with or without a step. */
const rangeOf = (first: string, value: string, step: string): string =>
  `${first}(?:-${value}(?:/${step})?)?`;
/** A list whose first part is `first`. */
const list = (first: string, value: string, step: string): string =>
  `${first}(?:,${anyOf(every(step), rangeOf(value, value, step))})*`;
const listOf = (value: string, step: string): string =>
  list(anyOf(every(step), rangeOf(value, value, step)), value, step);

const early_days = anyOf("[12][0-9]", "0?[1-9]");
const any_day = listOf(days, day_steps);
const any_month = listOf(months, month_steps);
const long_months = anyOf(
  "1[02]",
  "0?[13578]",
  ...names_of_months.filter((name) => !["FEB", "APR", "JUN", "SEP", "NOV"].includes(name)),
);
const not_february = anyOf(
  "1[0-2]",
  "0?[13-9]",
  ...names_of_months.filter((name) => name !== "FEB"),
);
const between = " +";

/**
 * Days and months that occur together: there is no 30 February and no 31 April. With weekdays
 * given, either is enough.
 */
const dates = anyOf(
  // A day that every month has.
  [
    list(anyOf(every(day_steps), rangeOf(early_days, days, day_steps)), days, day_steps),
    any_month,
    String.raw`\*`,
  ].join(between),
  // Any day, in lists that begin with a month of 31 days.
  [
    any_day,
    list(anyOf(every(month_steps), rangeOf(long_months, months, month_steps)), months, month_steps),
    String.raw`\*`,
  ].join(between),
  // The 30th, in any month but February.
  [
    list(rangeOf("30", days, day_steps), days, day_steps),
    list(rangeOf(not_february, months, month_steps), months, month_steps),
    String.raw`\*`,
  ].join(between),
  [
    any_day,
    any_month,
    list(anyOf(String.raw`\*/[1-7]`, rangeOf(weekdays, weekdays, "[1-7]")), weekdays, "[1-7]"),
  ].join(between),
);

/** Accepted expressions that have a next time; names in lower case are accepted as well. */
export const cron_pattern =
  `^(?:@${anyOf("yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly")}|` +
  `${[listOf(minutes, steps), listOf(hours, hour_steps), dates].join(between)})$`;

/** Epoch ms; null when there is none. @throws Error on an invalid expression. */
export const nextTime = (expression: string, after_ms: number): number | null =>
  new Cron(withAscendingRanges(expression), { utcOffset: 0, paused: true })
    .nextRun(new Date(after_ms))
    ?.getTime() ?? null;

/**
 * Rewrites ranges that wrap around: `22-2` is from ten at night to two, `FRI-MON` a long weekend.
 * The parser only knows ascending ranges.
 */
export function withAscendingRanges(expression: string): string {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== fields.length) return expression;
  return parts
    .map((part, index) =>
      part
        .split(",")
        .map((range) => ascendingValues(range, fields[index]!))
        .join(","),
    )
    .join(" ");
}

function ascendingValues(range: string, field: Field): string {
  const match = /^(\w+)-(\w+)(?:\/(\d+))?$/.exec(range);
  if (!match) return range;
  const [from, to] = [match[1]!, match[2]!].map((word) => numberOf(word, field)) as [
    number,
    number,
  ];
  const step = Number(match[3] ?? 1);
  const { min, max } = field;
  if (!(from > to && from <= max && to >= min && step > 0)) return range;
  // 7 is another name of 0.
  const count = field.max === 7 ? 7 : max - min + 1;
  const values: number[] = [];
  for (let value = from; value <= to + count; value += step)
    values.push(min + ((value - min) % count));
  return values.join(",");
}

function numberOf(word: string, { min, names = [] }: Field): number {
  const at = names.indexOf(word.toUpperCase());
  return at < 0 ? Number(word) : min + at;
}
