/** A time limit that moves while a file is read. */

export class Deadline {
  /** Aborts when the caller aborts, or when the time is over. */
  readonly signal: AbortSignal;
  /** The limit that was exceeded, milliseconds; null while none is. */
  missed_ms: number | null = null;
  private readonly over = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The limit as it was set, and when it ends on the monotonic clock. */
  private timeout_ms = 0;
  private ends_ms = 0;
  private paused_since_ms: number | null = null;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.over.signal]);
  }

  /** The time is over this many milliseconds from now. */
  set(timeout_ms: number): void {
    this.timeout_ms = timeout_ms;
    this.ends_ms = performance.now() + timeout_ms;
    this.start(timeout_ms, timeout_ms);
  }

  /** Until `resume`, a step with a limit of its own takes place: that much from now. */
  pauseFor(timeout_ms: number): void {
    this.paused_since_ms ??= performance.now();
    this.start(timeout_ms, timeout_ms);
  }

  resume(): void {
    if (this.paused_since_ms === null) return;
    this.ends_ms += performance.now() - this.paused_since_ms;
    this.paused_since_ms = null;
    this.start(Math.max(0, this.ends_ms - performance.now()), this.timeout_ms);
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  private start(in_ms: number, limit_ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.missed_ms = limit_ms;
      this.over.abort();
    }, in_ms);
  }
}
