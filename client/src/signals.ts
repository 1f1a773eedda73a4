/** Waiting and aborting: time limits derived from a signal, and pauses that can be aborted. */

/** The reason of the signal, as `throwIfAborted` throws it. */
export const reasonOf = (signal: AbortSignal): unknown =>
  signal.reason ?? new DOMException("This operation was aborted", "AbortError");

/** Waits; rejects at once with the reason when aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal));
    const stop = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal!));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that follows another one, or fires after a time limit. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly follow: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** It fired because of the time limit. */
  isOver = false;

  constructor(
    private readonly parent: AbortSignal | undefined,
    private readonly ms: number,
  ) {
    this.follow = () => this.controller.abort(reasonOf(parent!));
    if (parent?.aborted) this.follow();
    else parent?.addEventListener("abort", this.follow, { once: true });
    this.restart();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Restarts the time limit. */
  restart(): void {
    clearTimeout(this.timer);
    if (!Number.isFinite(this.ms)) return;
    this.timer = setTimeout(() => {
      this.isOver = true;
      this.controller.abort(new DOMException("It took too long", "TimeoutError"));
    }, this.ms);
  }

  /** From now on it only follows the other signal. */
  stopClock(): void {
    clearTimeout(this.timer);
  }

  end(): void {
    this.stopClock();
    this.parent?.removeEventListener("abort", this.follow);
  }
}
