/** The clocks: the only sources of time, so that a test can replace them. */
import { readFileSync } from "node:fs";
import { newUuid } from "./ids";

/** Time that has passed on this machine, sleep included, whatever its clock is set to. */
export interface Uptime {
  /** Times of another boot can't be compared. */
  readonly boot: string;
  readonly ms: number;
}
export interface Clock {
  /** Unix epoch, milliseconds. Somebody may set it ahead or back at any time. */
  now_ms(): number;
  uptime(): Uptime;
}
export const systemClock: Clock = {
  now_ms: () => Date.now(),
  uptime: () => {
    boot ??= bootOfLinux();
    return boot === null
      ? { boot: process_boot, ms: performance.now() }
      : { boot, ms: Number.parseFloat(readFileSync("/proc/uptime", "utf8")) * 1_000 };
  },
};

/** Null elsewhere: there a process knows only how long it runs itself. */
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

/** RFC 3339 in UTC: the format of every time in the API. */
export const rfc3339 = (at_ms: number): string => new Date(at_ms).toISOString();
/** The same for a time that may be absent. */
export const rfc3339OrNull = (at_ms: number | null): string | null =>
  at_ms === null ? null : rfc3339(at_ms);
