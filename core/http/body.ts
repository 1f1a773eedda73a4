/** Reads the body of a request within limits of size and time. */
import { HttpError, tooLarge } from "../base/errors";
import { limitInWords } from "../lib/byte-sizes";
import type { BodyTurn } from "./bodies";
import { gatheredBody, isReceived } from "./gathered-body";

/** For a JSON body whose route has no limit of its own, bytes. */
export const json_body_bytes_max = 64 * 1024;

/** The declared length of the body, or undefined. */
export function declaredLength(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}

/** By the declared length, if there is one: `request.body` makes the runtime create a stream. */
export function hasBody(request: Request): boolean {
  const bytes = declaredLength(request);
  return bytes === undefined ? request.body !== null : bytes > 0;
}

/** @throws HttpError 413 when the declared length is above the limit, before anything is read. */
export function checkLength(request: Request, bytes_max: number): void {
  if ((declaredLength(request) ?? 0) > bytes_max) throw bodyTooLarge(bytes_max);
}

const bodyTooLarge = (bytes_max: number) =>
  tooLarge(`The body is larger than the limit of ${limitInWords(bytes_max)}.`);

/** @throws HttpError 415 when the body has none of these media types, or is compressed. */
export function checkMediaType(
  request: Request,
  ...accepted: readonly ("application/json" | "application/zip" | "multipart/form-data")[]
): void {
  const media_type = mediaType(request);
  if (accepted.some((type) => type === media_type)) return checkCoding(request);
  const actual =
    media_type === "" ? "; the request has no Content-Type header" : `, not ${media_type}`;
  throw new HttpError(
    415,
    "unsupported_media_type",
    `The body must be ${accepted.join(" or ")}${actual}.`,
  );
}
/** @throws HttpError 415 */
function checkCoding(request: Request): void {
  const coding = request.headers.get("content-encoding");
  if (coding === null || /^(identity)?$/i.test(coding)) return;
  throw new HttpError(
    415,
    "unsupported_media_type",
    `The body must not be compressed; its Content-Encoding is ${coding}.`,
  );
}

/** In lower case, without parameters; empty when there is none. */
export const mediaType = (request: Request): string =>
  (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();

/**
 * How long a body may take: this, plus one second for each `bytes_per_s_min` that have arrived. A
 * slowly dripping body is cut off soon.
 */
const body_ms_max = 15_000;
const bytes_per_s_min = 256 * 1024;
const slowness_check_ms = 500;
/** A body that is declared to be no longer is left to the runtime, which takes less time for it. */
const small_bytes = 64 * 1024;

/**
 * The whole body, in memory of its own. @throws HttpError 413 above the limit, 408 when it takes
 * too long, 503 when it exceeds its turn and there is no memory for more.
 */
export async function readBytes(
  request: Request,
  bytes_max: number,
  turn: Pick<BodyTurn, "bytes" | "widen">,
): Promise<Uint8Array> {
  checkLength(request, bytes_max);
  const declared = declaredLength(request);
  if (declared !== undefined && declared <= small_bytes) return readSmall(request);
  if (!request.body) return new Uint8Array();
  const reader = gatheredBody(request.body).getReader();
  const collector = new ByteCollector(declared);
  const owns_chunks = isReceived(request.headers);
  let is_late = false;
  let begun_ms = performance.now();
  let is_waiting = false;
  const timer = setInterval(() => {
    if (is_waiting) begun_ms += slowness_check_ms;
    const allowed_ms = body_ms_max + (collector.length / bytes_per_s_min) * 1_000;
    if (performance.now() - begun_ms < allowed_ms) return;
    is_late = true;
    void reader.cancel();
  }, slowness_check_ms);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (is_late) throw bodyTimeout();
      if (done) return collector.bytes();
      if (collector.length + value.byteLength > bytes_max) throw bodyTooLarge(bytes_max);
      collector.add(value);
      // The garbage collector would let tens of megabytes gather.
      if (owns_chunks) (value.buffer as ArrayBuffer).transfer(0);
      if (collector.length > turn.bytes) {
        is_waiting = true;
        await turn.widen();
        is_waiting = false;
      }
    }
  } finally {
    clearInterval(timer);
  }
}

/** @throws HttpError 408 */
async function readSmall(request: Request): Promise<Uint8Array> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(bodyTimeout()), body_ms_max);
  try {
    return await Promise.race([request.bytes(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Collects chunks in one piece of memory, which is allocated at once when the length is known. */
class ByteCollector {
  length = 0;
  private memory: Uint8Array;

  constructor(declared: number | undefined) {
    this.memory = new Uint8Array(declared ?? 4_096);
  }

  add(chunk: Uint8Array): void {
    const length = this.length + chunk.byteLength;
    if (length > this.memory.byteLength) {
      const larger = new Uint8Array(Math.max(length, 2 * this.memory.byteLength));
      larger.set(this.memory.subarray(0, this.length));
      this.memory = larger;
    }
    this.memory.set(chunk, this.length);
    this.length = length;
  }

  bytes(): Uint8Array {
    return this.memory.subarray(0, this.length);
  }
}

const bodyTimeout = () =>
  new HttpError(
    408,
    "body_timeout",
    "The body arrived too slowly: most of it was still missing after " +
      `${body_ms_max / 1_000} s.`,
    { headers: { connection: "close" } },
  );
