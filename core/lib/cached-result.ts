/** Caches the result of a slow request. */
import { leftUntil, settlesWithin } from "./timeout";

/**
 * Runs `ask` once at a time, shared by all waiting callers, and reuses its result for `hold_ms`.
 * Failures are not cached.
 */
export function cached<T>(
  ask: () => Promise<T>,
  hold_ms: number,
  now_ms: () => number,
): () => Promise<T> {
  let last: { readonly at_ms: number; readonly answer: T } | undefined;
  let running: Promise<T> | undefined;
  return async () => {
    if (last && leftUntil(last.at_ms + hold_ms, now_ms(), hold_ms) > 0) return last.answer;
    running ??= ask()
      .then((answer) => {
        last = { at_ms: now_ms(), answer };
        return answer;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}

/** The longest wait for a slow result. */
const wait_ms = 300;

/**
 * For callers that should not wait: returns the cached result while a new one is requested;
 * undefined during the first request, and when that fails.
 */
export function cachedAtOnce<T>(
  ask: () => Promise<T>,
  hold_ms: number,
  now_ms: () => number,
): () => Promise<T | undefined> {
  let last: T | undefined;
  const newest = cached(ask, hold_ms, now_ms);
  return async () => {
    const refreshed = newest().then(
      (answer) => {
        last = answer;
      },
      () => undefined,
    );
    if (last === undefined) await settlesWithin(refreshed, wait_ms);
    return last;
  };
}
