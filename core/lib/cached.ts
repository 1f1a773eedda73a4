/** Remembers an answer that is slow to get. */
import { leftUntil, settlesWithin } from "./timeout";

/**
 * Runs `ask` once at a time, for everybody who waits, and reuses its answer for `hold_ms`. Failures
 * are not kept.
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

/** What is slow to get is waited for so long, and no longer. */
const wait_ms = 300;

/**
 * The same for what nobody should wait for: answers what is known while it is asked again;
 * undefined while it is asked for the first time, and when that fails.
 */
export function cachedAtOnce<T>(
  ask: () => Promise<T>,
  hold_ms: number,
  now_ms: () => number,
): () => Promise<T | undefined> {
  let last: T | undefined;
  const newest = cached(ask, hold_ms, now_ms);
  return async () => {
    const asked = newest().then(
      (answer) => {
        last = answer;
      },
      () => undefined,
    );
    if (last === undefined) await settlesWithin(asked, wait_ms);
    return last;
  };
}
