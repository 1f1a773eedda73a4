/** A deadline that is extended while a file is read. */
import type { RunClock } from "../../../core/sdk";

/** A signal that fires later the more is read. */
export class Deadline {
  /** Aborts when the caller aborts, or at the deadline. */
  readonly signal: AbortSignal;
  /** The exceeded limit in milliseconds; null until then. */
  missed_ms: number | null = null;
  private readonly over = new AbortController();
  private forget = (): void => {};
  /** The limit that was set, and its end on the clock of the run. */
  private timeout_ms = 0;
  private ends_ms = 0;
  private paused_since_ms: number | null = null;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.over.signal]);
  }

  /** Sets the deadline to this many milliseconds from now. */
  set(timeout_ms: number, clock: RunClock): void {
    this.timeout_ms = timeout_ms;
    this.ends_ms = clock.now_ms() + timeout_ms;
    this.start(timeout_ms, timeout_ms, clock);
  }

  /** Until `resume`, a step with a limit of its own runs: this much from now. */
  pauseFor(timeout_ms: number, clock: RunClock): void {
    this.paused_since_ms ??= clock.now_ms();
    this.start(timeout_ms, timeout_ms, clock);
  }

  /** Continues after a pause, which does not count. */
  resume(clock: RunClock): void {
    if (this.paused_since_ms === null) return;
    this.ends_ms += clock.now_ms() - this.paused_since_ms;
    this.paused_since_ms = null;
    this.start(Math.max(0, this.ends_ms - clock.now_ms()), this.timeout_ms, clock);
  }

  /** Stops the timer, at the end. */
  clear(): void {
    this.forget();
  }

  private start(in_ms: number, limit_ms: number, clock: RunClock): void {
    this.forget();
    this.forget = clock.after(in_ms, () => {
      this.missed_ms = limit_ms;
      this.over.abort();
    });
  }
}
