/** Shares and caches the results of slow requests. */
import { leftUntil, settlesWithin } from "./timeout";

/**
 * Runs `request` once at a time, shared by all waiting callers, and reuses its result for `ttl_ms`
 * if it `isReusable`. Failures are not cached.
 */
export function cached<T>(
  request: () => Promise<T>,
  ttl_ms: number,
  now_ms: () => number,
  isReusable: (value: T) => boolean = () => true,
): () => Promise<T> {
  let cached_result: { readonly at_ms: number; readonly value: T } | undefined;
  let running: Promise<T> | undefined;
  return async () => {
    if (cached_result && leftUntil(cached_result.at_ms + ttl_ms, now_ms(), ttl_ms) > 0)
      return cached_result.value;
    running ??= request()
      .then((value) => {
        cached_result = isReusable(value) ? { at_ms: now_ms(), value } : undefined;
        return value;
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
  request: () => Promise<T>,
  ttl_ms: number,
  now_ms: () => number,
): () => Promise<T | undefined> {
  let last_value: T | undefined;
  const refresh = cached(request, ttl_ms, now_ms);
  return async () => {
    const refreshed = refresh().then(
      (value) => {
        last_value = value;
      },
      () => undefined,
    );
    if (last_value === undefined) await settlesWithin(refreshed, wait_ms);
    return last_value;
  };
}
