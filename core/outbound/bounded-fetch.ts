/**
 * Requests to addresses that the operator has set, for libraries that bring their own: nothing is
 * followed, no proxy of the environment is used, and neither time nor size is without a limit.
 */

/** The answer was larger than it may be. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
  readonly code = "AnswerTooLarge";
}

export interface FetchLimits {
  /** For all of the answer, milliseconds. */
  readonly timeout_ms: number;
  readonly bytes_max: number;
}

/** As `fetch`, with the whole body at hand. @throws AnswerTooLarge, and what `fetch` throws. */
export async function fetchBounded(
  url: string,
  init: RequestInit,
  { timeout_ms, bytes_max }: FetchLimits,
): Promise<Response> {
  const deadline = AbortSignal.timeout(timeout_ms);
  const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    proxy: false,
    signal,
  } as RequestInit);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > bytes_max)
      throw new AnswerTooLarge(`${new URL(url).host} answered with more than ${bytes_max} bytes`);
    parts.push(part);
  }
  const headers = new Headers(response.headers);
  // They were those of the bytes on the way.
  headers.delete("content-encoding");
  headers.delete("content-length");
  const has_body = ![101, 204, 205, 304].includes(response.status);
  return new Response(has_body ? Buffer.concat(parts) : null, { status: response.status, headers });
}
