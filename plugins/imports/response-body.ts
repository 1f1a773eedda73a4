/** The bytes of an answer: unpacked, whole, and never more than what is wanted. */
import { Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { SourceFailure } from "./contract";

export interface BodyLimits {
  /** As it comes; unpacked, whoever writes it counts. */
  readonly bytes_max: number;
  readonly signal: AbortSignal;
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** @throws SourceFailure when it breaks off or is packed in a way that can't be read. */
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
  const raw = counted(response, length, bytes_max, signal);
  if (encoding === "identity" || encoding === "") return yield* raw;
  const unpacker = unpackers[encoding];
  if (!unpacker)
    throw new SourceFailure(
      `The answer is packed as ${encoding.slice(0, 40)}, which was not asked for ` +
        "and can't be read.",
    );
  yield* unpacked(raw, unpacker());
}

async function* counted(
  response: Response,
  length: number | null,
  bytes_max: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  if (response.body) {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      bytes += chunk.byteLength;
      if (bytes > bytes_max) throw tooLarge(bytes_max);
      yield chunk;
    }
  }
  signal.throwIfAborted();
  if (length !== null && bytes < length)
    throw new SourceFailure(`The answer broke off after ${bytes} of ${length} bytes.`);
}

async function* unpacked(
  raw: AsyncGenerator<Uint8Array>,
  unpacker: Transform,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(raw);
  let failure: unknown;
  source.on("error", (error) => {
    failure = error;
    unpacker.destroy(error);
  });
  source.pipe(unpacker);
  try {
    yield* unpacker as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw (
      failure ??
      new SourceFailure(
        `The answer can't be unpacked (${error instanceof Error ? error.message : String(error)}).`,
      )
    );
  } finally {
    unpacker.destroy();
    source.destroy();
  }
}

const tooLarge = (bytes_max: number): SourceFailure =>
  new SourceFailure(
    `The file is larger than ${bytes_max} bytes, the most that is accepted.`,
    "too_large",
  );
