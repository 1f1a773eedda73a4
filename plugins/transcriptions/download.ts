/**
 * Downloads a recording from a user's URL: only public hosts, with the connection pinned to the
 * checked address, following redirects one by one.
 */
import {
  checkHost,
  fetchPinned,
  HttpError,
  parseTarget,
  InvalidUrl,
  version,
  type AddressPolicy,
  type Context,
  type DnsLookup,
  type ReceivedFile,
  type Target,
} from "../../core/sdk";
import { TranscriptionFailure } from "./contract";

/** What a download needs besides `Context`. */
export interface DownloadContext extends Pick<Context, "files"> {
  readonly lookup: DnsLookup;
  /** The addresses that users' URLs may lead to. */
  readonly allows: AddressPolicy;
  readonly bytes_max: number;
  readonly signal: AbortSignal;
}

const redirects_max = 5;
/** Until the response begins, and between two chunks of it. */
const silence_ms = 30_000;

/**
 * The file, which the caller must release. @throws TranscriptionFailure, or HttpError 507 when the
 * storage is full.
 */
export async function downloadRecording(url: string, ctx: DownloadContext): Promise<ReceivedFile> {
  const silence = new AbortController();
  const signal = AbortSignal.any([ctx.signal, silence.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onData = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silence_ms);
  };
  try {
    onData();
    const response = await request(url, ctx, signal);
    if (!response.body)
      throw new TranscriptionFailure("unreachable", "The address answered with nothing.");
    return await ctx.files.receive(withProgress(response.body, onData), {
      bytes_max: ctx.bytes_max,
    });
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw toFailure(error, silence.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

/** The response at the end of the redirects. */
async function request(
  url: string,
  { lookup, allows }: DownloadContext,
  signal: AbortSignal,
): Promise<Response> {
  let target = parseTarget(url);
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
    target = parseTarget(new URL(location, target.url).href.replace(/#.*$/, ""));
  }
}

async function addressesOf(
  target: Target,
  lookup: DnsLookup,
  allows: AddressPolicy,
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

/** The same bytes; `onData` is called for each chunk. */
async function* withProgress(
  body: ReadableStream<Uint8Array>,
  onData: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    onData();
    yield chunk;
  }
}

function toFailure(error: unknown, silent: boolean): unknown {
  if (silent)
    return new TranscriptionFailure(
      "unreachable",
      `The address sent nothing for ${silence_ms / 1_000} s.`,
      true,
    );
  if (error instanceof InvalidUrl)
    return new TranscriptionFailure("refused_address", error.message);
  if (error instanceof HttpError && error.status === 413)
    return new TranscriptionFailure("too_large", error.message);
  if (error instanceof TranscriptionFailure || error instanceof HttpError) return error;
  return new TranscriptionFailure(
    "unreachable",
    "The address could not be reached, or its answer broke off.",
    true,
  );
}
