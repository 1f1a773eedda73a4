/**
 * Fetches a recording from an address that a user gave: only public hosts, pinned to what was
 * checked, redirects one by one.
 */
import {
  checkHost,
  fetchPinned,
  HttpError,
  readTarget,
  UnfitUrl,
  version,
  type AddressRule,
  type Files,
  type Lookup,
  type Received,
  type Target,
} from "../../core/sdk";
import { TranscriptionFailure } from "./contract";

export interface FetchingParts {
  readonly lookup: Lookup;
  readonly allows: AddressRule;
  readonly files: Files;
  readonly bytes_max: number;
  readonly signal: AbortSignal;
}

const redirects_max = 5;
/** Until the answer begins, and between two pieces of it. */
const silence_ms = 30_000;

/**
 * The file; the caller releases it. @throws TranscriptionFailure, or HttpError 507 when the storage
 * is full.
 */
export async function fetchRecording(url: string, parts: FetchingParts): Promise<Received> {
  const silence = new AbortController(),
    signal = AbortSignal.any([parts.signal, silence.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silence_ms);
  };
  try {
    heard();
    const response = await answerAt(url, parts, signal);
    if (!response.body)
      throw new TranscriptionFailure("unreachable", "The address answered with nothing.");
    return await parts.files.receive(watched(response.body, heard), { bytes_max: parts.bytes_max });
  } catch (error) {
    parts.signal.throwIfAborted();
    throw explained(error, silence.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

async function answerAt(
  url: string,
  { lookup, allows }: FetchingParts,
  signal: AbortSignal,
): Promise<Response> {
  let target = readTarget(url);
  for (let redirects = 0; ; redirects++) {
    const response = await fetchPinned(target, await addressesOf(target, lookup, allows), {
      method: "GET",
      headers: {
        "user-agent": `Dossier/${version}`,
        accept: "audio/*, video/*, text/vtt, */*;q=0.5",
      },
      signal,
    });
    if (response.status === 200) return response;
    await response.body?.cancel().catch(() => undefined);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null)
      throw statusFailure(response.status);
    if (redirects === redirects_max)
      throw new TranscriptionFailure(
        "unreachable",
        `The address redirects more than ${redirects_max} times.`,
      );
    target = readTarget(new URL(location, target.url).href.replace(/#.*$/, ""));
  }
}

async function addressesOf(
  target: Target,
  lookup: Lookup,
  allows: AddressRule,
): Promise<readonly string[]> {
  const checked = await checkHost(target, lookup, allows);
  if (checked.kind === "allowed") return checked.addresses;
  if (checked.kind === "refused")
    throw new TranscriptionFailure(
      "refused_address",
      `The host ${target.host} has an address that is not public; nothing was fetched from it.`,
    );
  if (checked.kind === "absent")
    throw new TranscriptionFailure("unreachable", `The host ${target.host} does not exist.`);
  throw new TranscriptionFailure(
    "unreachable",
    `The host ${target.host} could not be looked up: ${checked.reason}.`,
    true,
  );
}

const statusFailure = (status: number): TranscriptionFailure =>
  new TranscriptionFailure(
    "unreachable",
    `The address answered with status ${status}.`,
    status === 408 || status === 429 || status >= 500,
  );

async function* watched(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    heard();
    yield chunk;
  }
}

function explained(error: unknown, silent: boolean): unknown {
  if (silent)
    return new TranscriptionFailure(
      "unreachable",
      `The address sent nothing for ${silence_ms / 1_000} s.`,
      true,
    );
  if (error instanceof UnfitUrl) return new TranscriptionFailure("refused_address", error.message);
  if (error instanceof HttpError && error.status === 413)
    return new TranscriptionFailure("too_large", error.message);
  if (error instanceof TranscriptionFailure || error instanceof HttpError) return error;
  return new TranscriptionFailure(
    "unreachable",
    "The address could not be reached, or its answer broke off.",
    true,
  );
}
