/** Cron expressions of import schedules: what the document allows is taken, and comes. */
import { expect, test } from "bun:test";
import { cron_pattern, nextTime } from "../../core/lib/cron";
import { checkCron } from "../../plugins/imports/cron";
import { randomNumbers } from "../helpers/random";

const documented = new RegExp(cron_pattern, "u");
const now = Date.parse("2026-11-23T12:00:00Z");
const isTaken = (expression: string): boolean => {
  try {
    checkCron(expression, now);
    return true;
  } catch {
    return false;
  }
};

const rows: [why: string, expression: string, documented: boolean, taken: boolean][] = [
  ["each day at six", "0 6 * * *", true, true],
  ["a shorthand", "@daily", true, true],
  ["names", "0 6 * JAN-MAR MON,WED", true, true],
  ["lower-case names", "0 6 * jan-mar mon,wed", false, true],
  ["every fifth minute of office hours", "*/5 9-17 * * 1-5", true, true],
  ["a range across midnight", "0 22-2 * * *", true, true],
  ["a range across the end of the week", "0 6 * * FRI-MON", true, true],
  ["Sunday as seven", "0 6 * * 7", true, true],
  ["the last day of the year", "0 6 31 12 *", true, true],
  ["a leap day", "0 6 29 2 *", true, true],
  ["the 30th of a short month", "0 6 30 4 *", true, true],
  ["a date that never comes", "0 6 30 2 *", false, false],
  ["other dates that never come", "0 6 31 4,6 *", false, false],
  ["a date that never comes, or Mondays", "0 6 30 2 1", true, true],
  ["the last day of each month", "0 6 L * *", false, true],
  ["six fields", "0 0 6 * * *", false, false],
  ["a minute out of range", "60 * * * *", false, false],
  ["a step of zero", "*/0 * * * *", false, false],
  ["no expression", "often", false, false],
];
test.each(rows)("%s: %s", (_why, expression, is_documented, is_taken) => {
  expect([documented.test(expression), isTaken(expression)]).toEqual([is_documented, is_taken]);
});

test("a range across the end equals its two parts", () => {
  const at = (expression: string) =>
    new Date(nextTime(expression, now)!).toISOString().slice(5, 16);
  // 23 November 2026 is a Monday.
  expect(at("0 6 * * FRI-MON")).toBe("11-27T06:00");
  expect(at("0 22-2 * * *")).toBe("11-23T22:00");
  expect(at("0 0 28-3/2 * *")).toBe("11-28T00:00");
  expect(nextTime("0 0 28-3/2 * *", Date.parse("2026-11-30T12:00:00Z"))).toBe(
    Date.parse("2026-12-01T00:00:00Z"),
  );
});

test("every documented expression is accepted", () => {
  const random = randomNumbers(7);
  const choose = (items: readonly string[]): string => items[Math.floor(random() * items.length)]!;
  const number = (min: number, max: number): string =>
    String(min + Math.floor(random() * (max - min + 1)));
  const field = (min: number, max: number, step_max: number, names: readonly string[] = []) => {
    const value = () => (names.length > 0 && random() < 0.3 ? choose(names) : number(min, max));
    const step = () => (random() < 0.5 ? "" : `/${number(1, step_max)}`);
    const part = () => choose([`*${step()}`, value(), value(), `${value()}-${value()}${step()}`]);
    return Array.from({ length: 1 + Math.floor(random() * 3) }, part).join(",");
  };
  const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
  const days = "SUN MON TUE WED THU FRI SAT".split(" ");
  let allowed = 0;
  for (let n = 0; n < 3_000; n++) {
    const expression = [
      field(0, 59, 60),
      field(0, 23, 24),
      choose([field(1, 31, 31), number(28, 31)]),
      choose([field(1, 12, 12, months), number(1, 12)]),
      choose(["*", field(0, 7, 7, days)]),
    ].join(" ");
    if (!documented.test(expression)) continue;
    allowed++;
    if (!isTaken(expression)) throw new Error(expression);
  }
  expect(allowed).toBeGreaterThan(1_500);
});
