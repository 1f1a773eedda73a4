/**
 * Requests to addresses set by the operator, for libraries that accept a `fetch`: no redirects are
 * followed, no proxy of the environment is used, and both time and size are limited.
 */

/** The response exceeded the size limit. */
class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
  readonly code = "AnswerTooLarge";
}

/** The limits of one request. */
export interface FetchLimits {
  /** For the whole response, milliseconds. */
  readonly timeout_ms: number;
  readonly bytes_max: number;
}

/** Like `fetch`, with the whole body read. @throws AnswerTooLarge, and what `fetch` throws. */
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
      throw new AnswerTooLarge(`${new URL(url).host} sent more than ${bytes_max} bytes`);
    parts.push(part);
  }
  const headers = new Headers(response.headers);
  // The body is decoded already.
  headers.delete("content-encoding");
  headers.delete("content-length");
  const has_body = ![101, 204, 205, 304].includes(response.status);
  return new Response(has_body ? Buffer.concat(parts) : null, { status: response.status, headers });
}
