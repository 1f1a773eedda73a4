/**
 * A transcriber behind HTTP: any endpoint that understands OpenAI's `/audio/transcriptions`. The
 * file goes out as it is read from disk.
 */
import { newUuid, readHead, spread } from "../../../core/sdk";
import {
  TranscriptionFailure,
  type Recording,
  type Transcriber,
  type TranscriptionWatch,
} from "../contract";
import { written_bytes_max } from "../hearing";
import { fileNameOf } from "../media";
import { failureOf, Passing, refusesFormat } from "./refusals";

export interface EndpointParts {
  readonly base_url: string;
  readonly model: string;
  readonly api_key: string | undefined;
  /** Before the second attempt, and so on; milliseconds. */
  readonly pauses_ms?: readonly number[];
}

/** What is asked for, the best first; a server that does not know one is asked for the next. */
const formats = ["verbose_json", "vtt", "json", "text"] as const;
const retry_after_ms_max = 60_000;

export function createEndpointTranscriber({
  base_url,
  model,
  api_key,
  pauses_ms = [1_000, 4_000, 16_000],
}: EndpointParts): Transcriber {
  /** The first of the formats that was not refused yet. */
  let known = 0;

  async function transcribe(recording: Recording, { signal }: TranscriptionWatch): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await inAnyFormat(recording, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Passing)) throw error;
        const pause_ms = pauses_ms[attempt];
        if (pause_ms === undefined)
          throw new TranscriptionFailure("transcriber_unavailable", error.message);
        await sleep(
          Math.max(spread(pause_ms, 0.2), Math.min(error.retry_after_ms ?? 0, retry_after_ms_max)),
          signal,
        );
      }
    }
  }

  async function inAnyFormat(recording: Recording, signal: AbortSignal): Promise<string> {
    for (let at = known; ; at++) {
      const response = await send(recording, formats[at]!, signal);
      if (response.ok) {
        known = at;
        return textOf(response);
      }
      const said = new TextDecoder().decode(await readHead(response, 4_096, 2_000));
      if (at + 1 === formats.length || !refusesFormat(response.status, said))
        throw failureOf(response, said);
    }
  }

  async function send(
    recording: Recording,
    response_format: string,
    signal: AbortSignal,
  ): Promise<Response> {
    const { boundary, head, tail } = framing(recording, {
      model,
      response_format,
      ...(recording.language !== null && { language: recording.language }),
    });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield head;
      yield* Bun.file(recording.path).stream() as unknown as AsyncIterable<Uint8Array>;
      yield tail;
    }
    const headers = {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(head.length + recording.size_bytes + tail.length),
      accept: "application/json, text/plain, text/vtt",
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
    };
    try {
      // No proxy of the environment, no redirect, and no limit on how long the server thinks but
      // the run's own.
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
      throw new Passing(
        "The transcription service can't be reached at the moment. Please try again later.",
        { cause: error },
      );
    }
  }

  return { name: "openai", rank: 10, transcribe };
}

function framing(
  { media_type }: Recording,
  fields: Readonly<Record<string, string>>,
): { readonly boundary: string; readonly head: Uint8Array; readonly tail: Uint8Array } {
  const boundary = `dossier-${newUuid()}`,
    bytes = (text: string) => new TextEncoder().encode(text);
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${fileNameOf(media_type)}"\r\ncontent-type: ${media_type}\r\n\r\n`;
  return { boundary, head: bytes(parts.join("") + file), tail: bytes(`\r\n--${boundary}--\r\n`) };
}

/** The answer, as long as a transcript can be. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > written_bytes_max)
        throw new TranscriptionFailure(
          "transcriber_failed",
          `The transcription service sent more than ${written_bytes_max / 2 ** 20} MiB, which is no transcript.`,
        );
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof TranscriptionFailure
      ? error
      : new Passing(
          "The transcription service broke off in the middle of its answer. Please try again " +
            "later.",
          { cause: error },
        );
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  if (text.trim() === "")
    throw new TranscriptionFailure(
      "transcriber_failed",
      "The transcription service answered with nothing.",
    );
  return text;
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms),
    wake = () => resolve();
  signal.addEventListener("abort", wake, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", wake);
  signal.throwIfAborted();
}
