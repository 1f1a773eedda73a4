/** The body of an HTTP response: decompressed, complete, and within the limit. */
import { Readable, type Transform } from "node:stream";
import { limitInWords } from "../../core/lib/byte-sizes";
import { messageOf } from "../../core/lib/error-message";
import { SourceFailure } from "./contract";

/** Limits of one response. */
export interface BodyLimits {
  /** For the compressed bytes; `Files.receive` limits the decompressed ones. */
  readonly bytes_max: number;
  readonly signal: AbortSignal;
}

const zlib = () => process.getBuiltinModule("node:zlib");
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib().createGunzip(),
  "x-gzip": () => zlib().createGunzip(),
  deflate: () => zlib().createInflate(),
  br: () => zlib().createBrotliDecompress(),
};

/** @throws SourceFailure when it breaks off or has an unknown encoding. */
export async function* bodyOf(
  response: Response,
  { bytes_max, signal }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const encoding = (response.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  const declared = response.headers.get("content-length");
  const length = declared !== null && /^\d+$/.test(declared) ? Number(declared) : null;
  if (length !== null && length > bytes_max) {
    await response.body?.cancel().catch(() => undefined);
    throw tooLarge(bytes_max);
  }
  const raw = limited(response, length, bytes_max, signal);
  if (encoding === "identity" || encoding === "") return yield* raw;
  const decoder = decoders[encoding];
  if (!decoder)
    throw new SourceFailure(
      `The response is encoded as ${encoding.slice(0, 40)}, which is not supported.`,
    );
  yield* decoded(raw, decoder());
}

async function* limited(
  response: Response,
  length: number | null,
  bytes_max: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  if (response.body) {
    for await (const chunk of response.body) {
      signal.throwIfAborted();
      bytes += chunk.byteLength;
      if (bytes > bytes_max) throw tooLarge(bytes_max);
      yield chunk;
    }
  }
  signal.throwIfAborted();
  if (length !== null && bytes < length)
    throw new SourceFailure(`The response was cut off after ${bytes} of ${length} bytes.`);
}

async function* decoded(
  raw: AsyncGenerator<Uint8Array>,
  decoder: Transform,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(raw);
  let failure: unknown;
  source.on("error", (error) => {
    failure = error;
    decoder.destroy(error);
  });
  source.pipe(decoder);
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw failure ?? new SourceFailure(`The response can't be decompressed (${messageOf(error)}).`);
  } finally {
    decoder.destroy();
    source.destroy();
  }
}

const tooLarge = (bytes_max: number): SourceFailure =>
  new SourceFailure(
    `The file is larger than the limit of ${limitInWords(bytes_max)}.`,
    "too_large",
  );
