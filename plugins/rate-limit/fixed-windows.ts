/** Counts requests in fixed windows aligned to the clock: exact, in bounded memory. */
import type { Context, RateLimit, RateLimiter } from "../../core/sdk";
import { Subjects, type SubjectBounds } from "./subjects";

/** How many requests a window allows. */
export interface WindowLimits {
  /** Requests per subject and window. */
  readonly requests_max: number;
  readonly window_ms: number;
}
/** What the limiter needs besides `Context`. */
export interface FixedWindowsContext extends SubjectBounds, Pick<Context, "now_ms"> {
  /** Evaluated at every request. */
  readonly limits: () => WindowLimits;
}

/**
 * A window starts at every multiple of `window_ms` since the epoch, for all subjects at once; when
 * it ends, all counts are dropped. A flood of invented subjects can therefore neither exhaust
 * memory nor evict anybody else's count.
 *
 * Counts are held in memory; `LeasedWindows` is the version for several processes.
 */
export class FixedWindows implements RateLimiter {
  private current_window = -1;
  private current_window_ms = 0;
  private readonly used = new Map<string, number>();
  private readonly subjects: Subjects;

  constructor(private readonly ctx: FixedWindowsContext) {
    this.subjects = new Subjects(ctx, (name) => this.used.has(name));
  }

  get window_ms(): number {
    return this.ctx.limits().window_ms;
  }

  async take(subject: string, count: number): Promise<RateLimit> {
    const { requests_max, window_ms } = this.ctx.limits();
    this.startWindow(window_ms);
    const name = this.subjects.countedAs(subject);
    const before = this.used.get(name) ?? 0;
    const allowed = before + Math.max(1, count) <= requests_max;
    if (allowed && count > 0) this.add(name, count);
    return {
      limit: requests_max,
      // The limit may have been lowered below what was used.
      remaining: Math.max(0, requests_max - (this.used.get(name) ?? 0)),
      reset_s: Math.ceil(((this.current_window + 1) * window_ms) / 1_000),
      allowed,
    };
  }

  /** The number of counts held. */
  get size(): number {
    return this.used.size;
  }

  private startWindow(window_ms: number): void {
    const window = Math.floor(this.ctx.now_ms() / window_ms);
    if (window === this.current_window && window_ms === this.current_window_ms) return;
    this.current_window = window;
    this.current_window_ms = window_ms;
    this.used.clear();
    this.subjects.clear();
  }

  private add(name: string, count: number): void {
    const before = this.used.get(name);
    if (before === undefined) this.subjects.add(name);
    this.used.set(name, (before ?? 0) + count);
  }
}
