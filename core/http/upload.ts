/**
 * Reads a multipart body part by part, straight to disk: memory does not grow with its size, and a
 * failure leaves nothing behind.
 */
import { Dicer } from "@fastify/busboy";
import { Readable } from "node:stream";
import type { Files, ReceivedFile } from "../store/files";
import { badRequest, HttpError, tooLarge } from "../base/errors";
import { originOf } from "../base/origin";
import { limitInWords } from "../lib/byte-sizes";
import { loop_turns } from "../lib/loop-turns";
import { noteBodyEnd } from "./body-ends";
import { checkedText, isBlank, name_length_max, trimmed } from "./fields";
import { gatheredBody, isReceived, pauseAfter } from "./gathered-body";
import { boundaryOf, dispositionOf } from "./multipart-headers";

/** A file in a multipart form. */
export interface FilePart {
  readonly name: string;
  /** The media type in the part's header, or null. */
  readonly declared_type: string | null;
}
/** Which part is received, and how large it may be. */
export interface ReceiveOptions {
  /** The name of the part. */
  readonly part: string;
  readonly bytes_max: number;
  /** Called when the part's header has been read, before its bytes: throws to refuse it. */
  readonly admit: (file: FilePart) => Promise<void>;
}
/** Which parts are received, and how many. */
export interface ReceiveManyOptions extends ReceiveOptions {
  readonly files_max: number;
  /** The limit for all files together. */
  readonly total_bytes_max: number;
}
/** A file that was received completely, with the name and type that its sender gave it. */
export type ReceivedPart = FilePart & { readonly received: ReceivedFile };
/** The headers of one part, by lower-case name. */
type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/** How much larger than its file a body may be: boundaries, headers, fields. */
const framing_bytes_max = 1024 * 1024;
const parts_max = 100;
/** Parsed at a time: it may contain a part in every few bytes. */
const parsed_bytes = 16 * 1024;
/** Parsed, hashed and written in a turn of the event loop: a fraction of a millisecond of work. */
const turn_bytes = 128 * 1024;
/** How many chunks may wait for turns in the middle: what their senders send meanwhile is kept. */
const waiting_chunks_max = 8;
const control = /\p{Cc}/u;
const header_limits = { maxHeaderPairs: 50, maxHeaderSize: 16 * 1024 };

/**
 * The minimum size of the file according to the request's Content-Length, bytes; 0 when it has
 * none. @throws HttpError 413 when that is too much.
 */
export function announcedBytes(request: Request, bytes_max: number): number {
  const length_bytes = Math.max(
    0,
    Number(request.headers.get("content-length") ?? 0) - framing_bytes_max,
  );
  if (length_bytes > bytes_max)
    throw tooLarge(`The file is larger than the limit of ${limitInWords(bytes_max)}.`);
  return length_bytes;
}

/**
 * Receives the only file of this body. The caller releases it. @throws HttpError 400 for a
 * malformed body, 413, 507, and what `admit` throws.
 */
export async function receiveFile(
  request: Request,
  files: Pick<Files, "receive">,
  options: ReceiveOptions,
): Promise<ReceivedPart> {
  const limits = { files_max: 1, total_bytes_max: options.bytes_max };
  const [file] = await receiveFiles(request, files, { ...options, ...limits });
  return file!;
}

/** Receives the body itself. The caller releases it. @throws HttpError 413 or 507 */
export async function receiveBody(
  request: Request,
  files: Pick<Files, "receive">,
  bytes_max: number,
): Promise<ReceivedFile> {
  const { body } = request;
  const received = await files.receive(body ? gatheredBody(body) : new Blob([]).stream(), {
    bytes_max,
  });
  noteBodyEnd(request);
  return received;
}

/**
 * Receives the files of this body, at least one, in order; all or none. The caller releases each.
 * @throws HttpError 400 for a malformed body, 413, 507, and what `admit` throws.
 */
export const receiveFiles = (
  request: Request,
  files: Pick<Files, "receive">,
  options: ReceiveManyOptions,
): Promise<ReceivedPart[]> => new MultipartUpload(files, options).receive(request);

class MultipartUpload {
  private readonly abort = new AbortController();
  private readonly files: Promise<ReceivedPart>[] = [];
  /** The part being read. */
  private current: Readable | undefined;
  /** The first failure wins. */
  private failure: unknown;

  constructor(
    private readonly store: Pick<Files, "receive">,
    private readonly options: ReceiveManyOptions,
  ) {}

  async receive(request: Request): Promise<ReceivedPart[]> {
    const { body, headers, signal } = request;
    const { part, files_max, total_bytes_max } = this.options;
    const boundary = boundaryOf(headers.get("content-type"));
    if (boundary === undefined) throw malformed("its Content-Type has no boundary");
    if (!body) throw badRequest("The request needs a multipart body.", "");
    const parser = createParser(boundary, this.onPart, this.fail, parts_max + files_max - 1);
    const bytes_max = total_bytes_max + framing_bytes_max;
    try {
      const aborted = AbortSignal.any([signal, this.abort.signal]);
      const options = {
        bytes_max,
        signal: aborted,
        owns_chunks: isReceived(headers),
        onEnd: () => noteBodyEnd(request),
      };
      await parseBody(parser, body, options).catch(this.fail);
      const received = await Promise.all(this.files);
      if (this.failure !== undefined) throw this.failure;
      if (received.length === 0) throw badRequest(`The body has no part \`${part}\`.`, `/${part}`);
      return received;
    } catch (error) {
      for (const file of await Promise.allSettled(this.files))
        if (file.status === "fulfilled") await file.value.received.release();
      throw this.failure ?? error;
    }
  }

  private readonly onPart = (bytes: Readable, headers: Headers): void => {
    const { part, files_max } = this.options;
    const { name, file_name } = dispositionOf(headers["content-disposition"]?.[0]);
    if (name !== part) {
      bytes.resume();
      return;
    }
    if (this.files.length === files_max) return this.fail(tooManyFiles(part, files_max));
    this.current = bytes;
    const file = this.receivePart(bytes, file_name, headers["content-type"]?.[0]);
    this.files.push(file);
    file.catch(this.fail);
  };

  private async receivePart(
    bytes: Readable,
    file_name: string | undefined,
    media_type: string | undefined,
  ): Promise<ReceivedPart> {
    const { part, bytes_max, admit } = this.options;
    const file: FilePart = {
      name: uploadName(file_name, part),
      declared_type: media_type?.split(";")[0]!.trim() || null,
    };
    await admit(file);
    const received = await this.store.receive(bytes, { bytes_max, onCopied: freePiece });
    return { ...file, received };
  }

  /** Stops whatever is still being read. */
  private readonly fail = (reason: unknown): void => {
    if (this.failure !== undefined) return;
    this.failure = reason;
    this.abort.abort(reason);
    this.current?.destroy(reason instanceof Error ? reason : undefined);
  };
}

const tooManyFiles = (part: string, files_max: number): HttpError =>
  badRequest(
    files_max === 1
      ? `The body has more than one part \`${part}\`. Send one file per request.`
      : `The body has more than ${files_max} parts \`${part}\`, the limit per request.`,
    `/${part}`,
  );

function createParser(
  boundary: string,
  onPart: (bytes: Readable, headers: Headers) => void,
  fail: (reason: unknown) => void,
  parts_max: number,
): Dicer {
  let parts = 0;
  return new Dicer({ boundary, ...header_limits }).on("part", (bytes) => {
    // The body broke off; the parser reports it, too.
    bytes.on("error", () => undefined);
    if (++parts === parts_max + 1)
      fail(badRequest(`The multipart body has more than ${parts_max} parts.`, ""));
    if (parts > parts_max) return;
    bytes.on("header", (headers) => onPart(bytes, headers as Headers));
  });
}

/** The reader of a body, as far as it is needed here. */
interface BodyChunks {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array<ArrayBuffer> | undefined }>;
  cancel(): Promise<void>;
}
interface ParseOptions {
  readonly bytes_max: number;
  readonly signal: AbortSignal;
  /** Nobody else uses the chunks of the body. */
  readonly owns_chunks: boolean;
  /** The body has been read to its end, possibly after this returned. */
  readonly onEnd: () => void;
}
/**
 * Feeds the body to the parser chunk by chunk, as fast as the parts are read. @throws HttpError 400
 * or 413.
 */
async function parseBody(
  parser: Dicer,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: ParseOptions,
): Promise<void> {
  const { signal, onEnd } = options;
  const chunks = body.getReader();
  const input = new ParserInput(parser);
  const abort = () => {
    input.end("aborted");
    void chunks.cancel().catch(() => undefined);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    await parseChunks(chunks, input, options);
  } catch (error) {
    throw error instanceof HttpError ? error : malformed("it was cut off");
  } finally {
    // A signal composed of others, and what its listeners hold, is never freed while it has any.
    signal.removeEventListener("abort", abort);
    if (input.outcome === "parsed") void readEnd(chunks, onEnd);
    else void chunks.cancel().catch(() => undefined);
  }
  if (input.outcome !== "parsed") throw malformed("it ends before its last boundary");
}

/** Ends when the body or the parser does. @throws HttpError 413, and when the body is cut off */
async function parseChunks(
  chunks: BodyChunks,
  input: ParserInput,
  { bytes_max, owns_chunks }: ParseOptions,
): Promise<void> {
  const subject = originOf().subject ?? "";
  let read_bytes = 0;
  for (;;) {
    // However many bodies somebody sends, the requests of others are handled in between. A chunk
    // that is not read yet keeps its sender from sending more.
    await loop_turns.enter(subject);
    const { value: chunk } = await chunks.read();
    if (!chunk) return input.finish();
    const { byteLength } = chunk;
    read_bytes += byteLength;
    if (read_bytes > bytes_max)
      throw tooLarge(`The body is larger than the limit of ${limitInWords(bytes_max)}.`);
    for (let at = 0; at < byteLength && !input.outcome; at += parsed_bytes) {
      if (at > 0 && at % turn_bytes === 0) await nextTurn(subject);
      // A copy, so that the chunk, which may be large, is freed as soon as it has been parsed. So
      // is the copy: the garbage collector would let tens of megabytes gather.
      await input.write(Buffer.from(chunk.subarray(at, at + parsed_bytes)));
    }
    if (owns_chunks) chunk.buffer.transfer(0);
    if (input.outcome) return;
    await pauseAfter(byteLength);
  }
}

/** Writes to a parser, which may end before the body does. */
class ParserInput {
  /** How it has ended. */
  outcome: "parsed" | "failed" | "aborted" | undefined;
  private wake = (): void => undefined;

  constructor(private readonly parser: Dicer) {
    parser.once("finish", () => this.end("parsed")).on("error", () => this.end("failed"));
  }

  /** The first outcome counts. */
  end(outcome: NonNullable<ParserInput["outcome"]>): void {
    this.outcome ??= outcome;
    this.wake();
  }

  /** Resolves when the reader of the part has caught up. */
  write(piece: Buffer): Promise<void> {
    // After the last boundary the parser never calls back.
    return this.untilDone((done) => this.parser.write(piece, done));
  }

  /** Nothing follows. */
  async finish(): Promise<void> {
    if (!this.outcome) await this.untilDone(() => this.parser.end());
  }

  /**
   * Resolves when `begin` calls back or the parser has ended. (A race with one long-lived promise
   * would keep every chunk in memory.)
   */
  private untilDone(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      begin(resolve);
      if (this.outcome) resolve();
    });
  }
}

/** After the last boundary the body should end: whatever follows is not read. */
async function readEnd(chunks: BodyChunks, onEnd: () => void): Promise<void> {
  try {
    const { done } = await chunks.read();
    if (done) onEnd();
    else await chunks.cancel();
  } catch {
    // The client has gone.
  }
}

let waiting_chunks = 0;
/** A chunk continues at once when there are too many. */
async function nextTurn(subject: string): Promise<void> {
  if (waiting_chunks === waiting_chunks_max) return;
  waiting_chunks++;
  await loop_turns.enter(subject);
  waiting_chunks--;
}

/** A chunk of a part that fills its buffer is the only use of that copy of `parseBody`. */
function freePiece({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === parsed_bytes && buffer.byteLength === parsed_bytes)
    (buffer as ArrayBuffer).transfer(0);
}

const malformed = (reason: string): HttpError =>
  badRequest(`The multipart body could not be read: ${reason}.`, "", "malformed_multipart");

/** The only characters that browsers escape in a part's file name. */
const escaped: Readonly<Record<string, string>> = { "%22": '"', "%0d": "\r", "%0a": "\n" };

/**
 * The name of an uploaded file: the last segment of the part's path. @throws HttpError 400 when it
 * is missing or can't be stored.
 */
function uploadName(file_name: string | undefined, part: string): string {
  const pointer = `/${part}`;
  const decoded = (file_name ?? "").replaceAll(
    /%22|%0d|%0a/gi,
    (escape) => escaped[escape.toLowerCase()]!,
  );
  const segment = decoded.split(/[/\\]/).at(-1)!;
  if (isBlank(segment))
    throw badRequest(
      `The part \`${part}\` needs a file name: filename="…" in its Content-Disposition.`,
      pointer,
    );
  if (control.test(segment))
    throw badRequest(
      "The file name must not contain control characters such as line breaks or tabs.",
      pointer,
    );
  return checkedText(trimmed(segment), pointer, name_length_max);
}
