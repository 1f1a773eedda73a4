/** Remembers an answer that is slow to get. */

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
    if (last && now_ms() - last.at_ms < hold_ms) return last.answer;
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
