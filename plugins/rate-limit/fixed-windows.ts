/** Counts requests in windows of fixed length, aligned to the clock: exact, in bounded memory. */
import type { RateLimit, RateLimiter } from "../../core/sdk";

export interface WindowLimits {
  /** Requests that one subject may make in one window. */
  readonly requests_max: number;
  readonly window_ms: number;
}
export interface WindowOptions {
  /** Asked at every request. */
  readonly limits: () => WindowLimits;
  /**
   * Subjects whose name starts with this are invented at will by whoever sends requests, such as
   * addresses: only so many are counted apart.
   */
  readonly unbounded_prefix: string;
  /** How many of those are counted apart in one window; the rest share one count. */
  readonly unbounded_max: number;
  readonly now_ms: () => number;
}

/**
 * A window starts at every multiple of `window_ms` since the epoch, for everyone at once: when it
 * ends, all counts are dropped. A flood of invented subjects can therefore neither grow the memory
 * nor push out the count of anybody else.
 *
 * Counts are held in memory, so each process allows the full number of requests. For several
 * processes another `RateLimiter` has to share the counts.
 */
export class FixedWindows implements RateLimiter {
  #current_window = -1;
  #window_ms = 0;
  readonly #used = new Map<string, number>();
  #unbounded_count = 0;

  constructor(private readonly options: WindowOptions) {}

  get window_ms(): number {
    return this.options.limits().window_ms;
  }

  async take(subject: string, count: number): Promise<RateLimit> {
    const { requests_max, window_ms } = this.options.limits();
    this.#startWindow(window_ms);
    const name = this.#countedAs(subject);
    const before = this.#used.get(name) ?? 0;
    const allowed = before + Math.max(1, count) <= requests_max;
    if (allowed && count > 0) this.#add(name, count);
    return {
      limit: requests_max,
      // Fewer may be allowed by now than were used.
      remaining: Math.max(0, requests_max - (this.#used.get(name) ?? 0)),
      reset_s: Math.ceil(((this.#current_window + 1) * window_ms) / 1_000),
      allowed,
    };
  }

  /** How many counts are held now. */
  get size(): number {
    return this.#used.size;
  }

  #startWindow(window_ms: number): void {
    const window = Math.floor(this.options.now_ms() / window_ms);
    if (window === this.#current_window && window_ms === this.#window_ms) return;
    this.#current_window = window;
    this.#window_ms = window_ms;
    this.#used.clear();
    this.#unbounded_count = 0;
  }

  #countedAs(subject: string): string {
    const { unbounded_prefix, unbounded_max } = this.options;
    return this.#used.has(subject) ||
      !subject.startsWith(unbounded_prefix) ||
      this.#unbounded_count < unbounded_max
      ? subject
      : unbounded_prefix;
  }

  #add(name: string, count: number): void {
    const before = this.#used.get(name);
    if (before === undefined && name.startsWith(this.options.unbounded_prefix))
      this.#unbounded_count += 1;
    this.#used.set(name, (before ?? 0) + count);
  }
}
