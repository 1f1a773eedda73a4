/**
 * Calls that fail are made again, within the time there is; a provider that keeps failing is left
 * alone for a while.
 */
import { spread } from "../../core/sdk";
import { ProviderFailure } from "./failure";

const attempts_max = 3,
  backoff_ms = 250,
  jitter = 0.4;
const failures_max = 5,
  rest_ms = 30_000;

/**
 * Resolves to what `work` does, or rejects with its last failure. The pause is the provider's own
 * wish when it has one that `left_ms` allows.
 */
export async function withRetries<R>(
  work: () => Promise<R>,
  { signal, left_ms }: { readonly signal: AbortSignal; readonly left_ms: () => number },
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderFailure) || !error.options.again || attempt === attempts_max)
        throw error;
      const pause_ms = Math.max(
        spread(backoff_ms * 2 ** (attempt - 1), jitter),
        error.options.retry_after_ms ?? 0,
      );
      if (pause_ms >= left_ms()) throw error;
      await pause(pause_ms, signal);
    }
  }
}

/** @throws the signal's reason when it fires first. */
async function pause(pause_ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, pause_ms),
    stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/**
 * After five failures in a row nobody is sent to the provider for 30 s; then one question at a time
 * tries again.
 */
export function createBreaker(now_ms: () => number) {
  let failures = 0,
    rest_until = 0,
    trying = false;
  return async function guarded<R>(work: () => Promise<R>): Promise<R> {
    const resting = failures >= failures_max;
    if (resting && (now_ms() < rest_until || trying))
      throw new ProviderFailure(
        "unavailable",
        "the provider failed several times in a row and is left alone for a while",
        { again: false },
      );
    trying = resting;
    try {
      const result = await work();
      failures = 0;
      return result;
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      // A provider that answers is there, whatever it says.
      failures = error.kind === "unavailable" || error.kind === "busy" ? failures + 1 : 0;
      rest_until = now_ms() + rest_ms;
      throw error;
    } finally {
      if (resting) trying = false;
    }
  };
}
