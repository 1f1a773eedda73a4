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

const either = (...ways: readonly string[]): string => `(?:${ways.join("|")})`;

const steps = either("60", "[1-5][0-9]", "[1-9]");
const minutes = either("[1-5][0-9]", "0?[0-9]");
const hours = either("2[0-3]", "1[0-9]", "0?[0-9]");
const days = either("3[01]", "[12][0-9]", "0?[1-9]");
const months = either("1[0-2]", "0?[1-9]", ...names_of_months);
const weekdays = either("[0-7]", ...names_of_days);
const hour_steps = either("2[0-4]", "1[0-9]", "[1-9]");
const day_steps = either("3[01]", "[12][0-9]", "[1-9]");
const month_steps = either("1[0-2]", "[1-9]");

const every = (step: string): string => String.raw`\*(?:/${step})?`;
/** A number or a range that begins with `first`, with or without a step. */
const from = (first: string, value: string, step: string): string =>
  `${first}(?:-${value}(?:/${step})?)?`;
/** A list whose first part is `first`. */
const list = (first: string, value: string, step: string): string =>
  `${first}(?:,${either(every(step), from(value, value, step))})*`;
const listOf = (value: string, step: string): string =>
  list(either(every(step), from(value, value, step)), value, step);

const early_days = either("[12][0-9]", "0?[1-9]");
const any_day = listOf(days, day_steps);
const any_month = listOf(months, month_steps);
const long_months = either(
  "1[02]",
  "0?[13578]",
  ...names_of_months.filter((name) => !["FEB", "APR", "JUN", "SEP", "NOV"].includes(name)),
);
const not_february = either(
  "1[0-2]",
  "0?[13-9]",
  ...names_of_months.filter((name) => name !== "FEB"),
);
const between = " +";

/**
 * Days and months that occur together: there is no 30 February and no 31 April. With weekdays
 * given, either is enough.
 */
const dates = either(
  // A day that every month has.
  [
    list(either(every(day_steps), from(early_days, days, day_steps)), days, day_steps),
    any_month,
    String.raw`\*`,
  ].join(between),
  // Any day, in lists that begin with a month of 31 days.
  [
    any_day,
    list(either(every(month_steps), from(long_months, months, month_steps)), months, month_steps),
    String.raw`\*`,
  ].join(between),
  // The 30th, in any month but February.
  [
    list(from("30", days, day_steps), days, day_steps),
    list(from(not_february, months, month_steps), months, month_steps),
    String.raw`\*`,
  ].join(between),
  [
    any_day,
    any_month,
    list(either(String.raw`\*/[1-7]`, from(weekdays, weekdays, "[1-7]")), weekdays, "[1-7]"),
  ].join(between),
);

/** Accepted expressions that have a next time; names in lower case are accepted as well. */
export const cron_pattern =
  `^(?:@${either("yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly")}|` +
  `${[listOf(minutes, steps), listOf(hours, hour_steps), dates].join(between)})$`;

/** Epoch ms; null when there is none. @throws Error on an invalid expression. */
export const nextTime = (expression: string, after_ms: number): number | null =>
  new Cron(withoutTurns(expression), { utcOffset: 0, paused: true })
    .nextRun(new Date(after_ms))
    ?.getTime() ?? null;

/**
 * Rewrites ranges that wrap around: `22-2` is from ten at night to two, `FRI-MON` a long weekend.
 * The parser only knows ascending ranges.
 */
export function withoutTurns(expression: string): string {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== fields.length) return expression;
  return parts
    .map((part, index) =>
      part
        .split(",")
        .map((range) => unturned(range, fields[index]!))
        .join(","),
    )
    .join(" ");
}

function unturned(range: string, field: Field): string {
  const found = /^(\w+)-(\w+)(?:\/(\d+))?$/.exec(range);
  if (!found) return range;
  const [from, to] = [found[1]!, found[2]!].map((word) => numberOf(word, field)) as [
    number,
    number,
  ];
  const step = Number(found[3] ?? 1);
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
