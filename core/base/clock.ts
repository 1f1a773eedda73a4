/** The only sources of time in the server, so that a test can replace them. */
import { readFileSync } from "node:fs";
import { newUuid } from "./ids";

/** Time elapsed on this machine, including sleep; changes of the clock don't affect it. */
export interface Uptime {
  /** Values from different boots can't be compared. */
  readonly boot: string;
  /** A whole number. */
  readonly ms: number;
}
/** The clock of the server. A test passes one that it sets itself. */
export interface Clock {
  /** Unix epoch, milliseconds. The clock may be set forward or back at any time. */
  now_ms(): number;
  /** Unlike `now_ms`, it never goes back while the machine runs. */
  uptime(): Uptime;
}
/** The clock of the machine. */
export const systemClock: Clock = {
  now_ms: () => Date.now(),
  uptime: () => {
    if (boot === undefined) boot = bootOfLinux();
    return boot === null
      ? { boot: process_boot, ms: Math.round(performance.now()) }
      : { boot, ms: uptimeOfLinux() };
  },
};

/** Null on systems without it: there a process only knows how long it has been running itself. */
let boot: string | null | undefined;
const process_boot = newUuid();
function bootOfLinux(): string | null {
  try {
    readFileSync("/proc/uptime");
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

/** Milliseconds, from the contents of `/proc/uptime`: seconds with two digits after the point. */
export const uptimeIn = (written: string): number =>
  // The product may have a fraction, which a column of whole numbers does not take.
  Math.round(Number.parseFloat(written) * 1_000);

/** The last reading, minus the age of the process then. */
let ahead_ms = 0;
function uptimeOfLinux(): number {
  try {
    const ms = uptimeIn(readFileSync("/proc/uptime", "utf8"));
    ahead_ms = ms - performance.now();
    return ms;
  } catch {
    // The process has too many files open. What the machine has slept meanwhile is missing.
    return Math.round(performance.now() + ahead_ms);
  }
}

const day_ms = 86_400_000;
/** The start of the year 10000, which RFC 3339 can't express. */
const end_ms = 253_402_300_800_000;
const two_digits = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, "0"));
/** The most recently formatted day, as text up to the `T`: most lists span only a few days. */
let last_day = Number.NaN;
let last_day_text = "";

/** RFC 3339 in UTC: the format of every time in the API. Fast, because lists format very many. */
export function rfc3339(at_ms: number): string {
  if (!Number.isInteger(at_ms) || at_ms < 0 || at_ms >= end_ms)
    return new Date(at_ms).toISOString();
  const day = Math.floor(at_ms / day_ms);
  if (day !== last_day) {
    last_day_text = new Date(at_ms).toISOString().slice(0, "2026-01-01T".length);
    last_day = day;
  }
  const of_day_ms = at_ms - day * day_ms;
  const seconds = Math.floor(of_day_ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const ms = of_day_ms % 1_000;
  return (
    `${last_day_text}${two_digits[Math.floor(minutes / 60)]}:${two_digits[minutes % 60]}:` +
    `${two_digits[seconds % 60]}.${Math.floor(ms / 100)}${two_digits[ms % 100]}Z`
  );
}
/** The same for an optional time. */
export const rfc3339OrNull = (at_ms: number | null): string | null =>
  at_ms === null ? null : rfc3339(at_ms);
