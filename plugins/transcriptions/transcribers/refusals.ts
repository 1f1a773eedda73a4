/**
 * What an answer of a transcription service means that is no transcript: what may be tried again,
 * and what the person is told.
 */
import { TranscriptionFailure } from "../contract";

/** It may go better after a pause. */
export class Passing extends Error {
  readonly retry_after_ms: number | undefined;
  constructor(
    message: string,
    {
      retry_after_ms,
      cause,
    }: { readonly retry_after_ms?: number | undefined; readonly cause?: unknown },
  ) {
    super(message, { cause });
    this.retry_after_ms = retry_after_ms;
  }
}

/**
 * A request that the server finds wrong may be wrong in the format alone; not when it speaks of
 * something else. `said`: the beginning of the answer.
 */
export const refusesFormat = (status: number, said: string): boolean =>
  (status === 400 || status === 415 || status === 422) &&
  (/response_format|verbose_json/i.test(said) || !/\b(?:file|audio|model|key)\b/i.test(said));

/** What the server wrote stays out of the sentence: it may hold anything. */
export function failureOf({ status, headers }: Response, said: string): Error {
  const later = { retry_after_ms: retryAfter(headers) };
  if (status === 429 && /insufficient_quota/.test(said))
    return failed("The account at the transcription service has no credit left.");
  if (status === 429)
    return new Passing(
      "The transcription service is too busy at the moment. Please try again later.",
      later,
    );
  if (status === 408 || status === 409 || status === 425 || status >= 500)
    return new Passing(
      `The transcription service failed (status ${status}). Please try again later.`,
      later,
    );
  if (status === 413)
    return new TranscriptionFailure(
      "too_large",
      "The recording is larger than the transcription service takes. Please send it in shorter " +
        "parts.",
    );
  if (status === 401 || status === 403)
    return failed(
      "The transcription service refuses this server's key: the administrator checks " +
        "transcription.api_key (DOSSIER_TRANSCRIPTION_API_KEY).",
    );
  if (status === 404)
    return failed(
      "The transcription service does not know the address or the model: the administrator " +
        "checks transcription.base_url and transcription.model.",
    );
  if (status >= 300 && status < 400)
    return failed(
      "The transcription service redirects, which is not followed: the administrator sets " +
        "transcription.base_url to where it is.",
    );
  return failed(
    `The transcription service refuses the recording (status ${status}): it may be damaged, or of a kind that the service does not read.`,
  );
}
const failed = (message: string) => new TranscriptionFailure("transcriber_failed", message);

/** Seconds, or a date measured against the server's own clock; milliseconds. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const wait_ms = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isFinite(wait_ms) ? Math.max(0, wait_ms) : undefined;
}
