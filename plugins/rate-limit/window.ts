/**
 * Counts requests in windows of fixed length, aligned to the clock: exact, in memory, bounded. Pure
 * but for the clock it is given.
 */
import type { RateLimit } from "../../core/sdk";

export interface WindowOptions {
  /** Requests that one subject may make in one window. */
  readonly requests_max: number;
  readonly window_ms: number;
  /**
   * Subjects whose name starts with this are made up at will by whoever sends requests: only so
   * many are counted apart.
   */
  readonly unbounded_prefix: string;
  /** How many of those are counted apart in one window; the ones after them share one count. */
  readonly unbounded_max: number;
  readonly now_ms: () => number;
}

/**
 * A window starts at every multiple of `window_ms` since the epoch, for everyone at once: when it
 * ends, all counts are dropped.
 * A flood of invented subjects can therefore neither grow the memory nor push out the count of
 * anybody else.
 */
export function createWindows({
  requests_max,
  window_ms,
  unbounded_prefix,
  unbounded_max,
  now_ms,
}: WindowOptions) {
  let current = -1;
  const used = new Map<string, number>();
  let unbounded_count = 0;

  const startWindow = (window: number): void => {
    if (window === current) return;
    current = window;
    used.clear();
    unbounded_count = 0;
  };

  /** The name under which a subject is counted. */
  const counted = (subject: string): string =>
    used.has(subject) || !subject.startsWith(unbounded_prefix) || unbounded_count < unbounded_max
      ? subject
      : unbounded_prefix;

  const add = (name: string, count: number): void => {
    const before = used.get(name);
    if (before === undefined && name.startsWith(unbounded_prefix)) unbounded_count += 1;
    used.set(name, (before ?? 0) + count);
  };

  return {
    async take(subject: string, count: number): Promise<RateLimit> {
      startWindow(Math.floor(now_ms() / window_ms));
      const name = counted(subject);
      const before = used.get(name) ?? 0;
      const allowed = before + Math.max(1, count) <= requests_max;
      if (allowed && count > 0) add(name, count);
      return {
        limit: requests_max,
        remaining: requests_max - (used.get(name) ?? 0),
        reset_s: Math.ceil(((current + 1) * window_ms) / 1_000),
        allowed,
      };
    },
    /** How many counts are held now. */
    size: (): number => used.size,
  };
}
