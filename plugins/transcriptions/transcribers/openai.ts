/**
 * A transcriber over HTTP: any endpoint compatible with OpenAI's `/audio/transcriptions`. The file
 * is streamed from disk.
 */
import { retryAfterOfService } from "../../../core/lib/retry-after";
import { sleep } from "../../../core/lib/timeout";
import { jitter, newUuid, readHead } from "../../../core/sdk";
import {
  TranscriptionFailure,
  type Recording,
  type Transcriber,
  type TranscriptionWatch,
} from "../contract";
import { written_bytes_max } from "../reader";
import { fileNameOf } from "../media-types";

/** The endpoint and its model. */
export interface EndpointOptions {
  readonly base_url: string;
  readonly model: string;
  readonly api_key: string | undefined;
  /** Delays before the second attempt, the third and so on; milliseconds. */
  readonly pauses_ms?: readonly number[];
}

/** Tried in this order: if a server does not know one, the next is requested. */
const formats = ["verbose_json", "vtt", "json", "text"] as const;
const default_pauses_ms = [1_000, 4_000, 16_000];
const retry_after_ms_max = 60_000;

/** Tries again while the endpoint fails temporarily. */
export class EndpointTranscriber implements Transcriber {
  readonly name = "openai";
  readonly rank = 10;
  /** Index of the first format that has not been refused. */
  private format = 0;

  constructor(private readonly options: EndpointOptions) {}

  async transcribe(recording: Recording, { signal }: TranscriptionWatch): Promise<string> {
    const { pauses_ms = default_pauses_ms } = this.options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.inAnyFormat(recording, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof TemporaryFailure)) throw error;
        const pause_ms = pauses_ms[attempt];
        if (pause_ms === undefined)
          throw new TranscriptionFailure("transcriber_unavailable", error.message);
        const retry_after_ms = Math.min(error.retry_after_ms ?? 0, retry_after_ms_max);
        await sleep(Math.max(jitter(pause_ms, 0.2), retry_after_ms), signal);
      }
    }
  }

  private async inAnyFormat(recording: Recording, signal: AbortSignal): Promise<string> {
    for (let at = this.format; ; at++) {
      const response = await this.send(recording, formats[at]!, signal);
      if (response.ok) {
        this.format = at;
        return textOf(response);
      }
      const beginning = new TextDecoder().decode(await readHead(response, 4_096, 2_000));
      if (at + 1 === formats.length || !refusesFormat(response.status, beginning))
        throw failureOf(response, beginning);
    }
  }

  private async send(
    recording: Recording,
    response_format: string,
    signal: AbortSignal,
  ): Promise<Response> {
    const { base_url, model, api_key } = this.options;
    const { boundary, head, tail } = framing(recording, {
      model,
      response_format,
      ...(recording.language !== null && { language: recording.language }),
    });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield head;
      yield* Bun.file(recording.path).stream();
      yield tail;
    }
    const headers = {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(head.length + recording.size_bytes + tail.length),
      accept: "application/json, text/plain, text/vtt",
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
    };
    try {
      // No proxy from the environment, no redirects, and only the time limit of the run.
      return await fetch(`${base_url}/audio/transcriptions`, {
        method: "POST",
        headers,
        body: body(),
        redirect: "manual",
        proxy: false,
        timeout: false,
        signal,
      } as unknown as RequestInit);
    } catch (error) {
      signal.throwIfAborted();
      throw new TemporaryFailure(
        "The transcription service can't be reached at the moment. Try again later.",
        { cause: error },
      );
    }
  }
}

/** The parts of the multipart body before and after the file. */
function framing(
  { media_type }: Recording,
  fields: Readonly<Record<string, string>>,
): { readonly boundary: string; readonly head: Uint8Array; readonly tail: Uint8Array } {
  const boundary = `dossier-${newUuid()}`;
  const bytes = (text: string) => new TextEncoder().encode(text);
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file =
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; ` +
    `filename="${fileNameOf(media_type)}"\r\ncontent-type: ${media_type}\r\n\r\n`;
  return { boundary, head: bytes(parts.join("") + file), tail: bytes(`\r\n--${boundary}--\r\n`) };
}

/** The text of the response. @throws TranscriptionFailure when it is too long or empty. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > written_bytes_max)
        throw new TranscriptionFailure(
          "transcriber_failed",
          `The transcription service sent more than ${written_bytes_max / 2 ** 20} MiB, ` +
            "which is too much for a transcript.",
        );
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof TranscriptionFailure
      ? error
      : new TemporaryFailure(
          "The transcription service closed the connection in the middle of its response. " +
            "Try again later.",
          { cause: error },
        );
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  if (text.trim() === "")
    throw new TranscriptionFailure(
      "transcriber_failed",
      "The transcription service returned no text.",
    );
  return text;
}

/** Another attempt after a pause may succeed. */
class TemporaryFailure extends Error {
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
 * Whether the server may have refused the request only for its format: not if it names another
 * field. `beginning`: the beginning of the response.
 */
const refusesFormat = (status: number, beginning: string): boolean =>
  (status === 400 || status === 415 || status === 422) &&
  (/response_format|verbose_json/i.test(beginning) ||
    !/\b(?:file|audio|model|key)\b/i.test(beginning));

/** The failure for an error response. Leaves out the server's own text, which could be anything. */
function failureOf({ status, headers }: Response, beginning: string): Error {
  const later = { retry_after_ms: retryAfterOfService(headers) };
  if (status === 429 && /insufficient_quota/.test(beginning))
    return failed("The account at the transcription service has no credit left.");
  if (status === 429)
    return new TemporaryFailure(
      "The transcription service is too busy at the moment. Try again later.",
      later,
    );
  if (status === 408 || status === 409 || status === 425 || status >= 500)
    return new TemporaryFailure(
      `The transcription service failed (status ${status}). Try again later.`,
      later,
    );
  if (status === 413)
    return new TranscriptionFailure(
      "too_large",
      "The recording is larger than the transcription service accepts. Split it into " +
        "shorter parts.",
    );
  if (status === 401 || status === 403)
    return failed(
      "The transcription service rejects this server's key. An administrator must check " +
        "transcription.api_key (DOSSIER_TRANSCRIPTION_API_KEY).",
    );
  if (status === 404)
    return failed(
      "The transcription service does not know the address or the model. An administrator " +
        "must check transcription.base_url and transcription.model.",
    );
  if (status >= 300 && status < 400)
    return failed(
      "The transcription service redirects, and redirects are not followed. An " +
        "administrator must set transcription.base_url to the final address.",
    );
  return failed(
    `The transcription service rejects the recording (status ${status}). It may be ` +
      "damaged, or in a format that the service does not support.",
  );
}
const failed = (message: string) => new TranscriptionFailure("transcriber_failed", message);
