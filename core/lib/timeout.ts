/** Time limits, for work that observes a signal and for work that does not. */

/** What may end the time besides the timeout, and with which reason. */
export interface TimeLimitOptions {
  /** Ends the time as well, with its own reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long after `signal` has fired. Default: at once. */
  readonly grace_ms?: number;
  /** The reason when the time is over. Default: an `AbortError`. */
  readonly reason?: () => Error;
}

/**
 * Fires `signal` after `timeout_ms`, or when the other signal has fired. Call `clear` at the end.
 */
export class TimeLimit {
  private readonly controller = new AbortController();
  private readonly timers: ReturnType<typeof setTimeout>[] = [];
  private readonly outer: AbortSignal | undefined;
  private readonly onAbort: () => void;

  /** `timeout_ms` Infinity: only the other signal ends it. */
  constructor(timeout_ms: number, { signal, grace_ms = 0, reason }: TimeLimitOptions = {}) {
    this.outer = signal;
    this.onAbort = () => {
      const abort = (): void => this.controller.abort(signal!.reason);
      if (grace_ms === 0) abort();
      else this.timers.push(setTimeout(abort, grace_ms));
    };
    if (timeout_ms !== Infinity)
      this.timers.push(setTimeout(() => this.controller.abort(reason?.()), timeout_ms));
    if (signal?.aborted) this.onAbort();
    else signal?.addEventListener("abort", this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * The result of `work`. @throws what it throws, or the reason of `signal` once that has fired;
   * work that ignores the signal continues, and its result is discarded.
   */
  async race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(this.signal.reason);
    if (this.signal.aborted) onAbort();
    else this.signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Stops the timers and no longer listens to the other signal. */
  clear(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.outer?.removeEventListener("abort", this.onAbort);
  }
}

/**
 * The result of `work`, or @throws `late()` when it takes longer; it continues then, and its result
 * is discarded.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  timeout_ms: number,
  late: () => Error,
): Promise<T> {
  const limit = new TimeLimit(timeout_ms, { reason: late });
  try {
    return await limit.race(work);
  } finally {
    limit.clear();
  }
}

/** Whether `work` settles, either way, before the time is over. */
export async function settlesWithin(work: Promise<unknown>, timeout_ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), timeout_ms);
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after `ms`. @throws the reason of `signal` when it fires before that. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Milliseconds until then; 0 when it has passed. At most the wait intended originally: a longer one
 * means that the clock was set back, and nobody should wait for the same time again.
 */
export function leftUntil(at_ms: number, now_ms: number, longest_ms: number): number {
  const left_ms = at_ms - now_ms;
  return left_ms > longest_ms ? 0 : Math.max(0, left_ms);
}
