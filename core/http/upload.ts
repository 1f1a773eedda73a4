/**
 * Reads a multipart body part by part, straight to disk: memory does not grow with its size, and
 * nothing stays behind when it fails.
 */
import { Dicer } from "@fastify/busboy";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { Files, ReceivedFile } from "../store/files";
import { badRequest, HttpError, tooLarge } from "../base/errors";
import { checkedText, isBlank, name_length_max, trimmed } from "./fields";
import { boundaryOf, dispositionOf } from "./multipart-headers";

export interface FilePart {
  readonly name: string;
  /** What the part says it is, or null. */
  readonly declared_type: string | null;
}
export interface ReceiveOptions {
  /** The name of the part. */
  readonly part: string;
  readonly bytes_max: number;
  /**
   * Called when the header of the part has come, before its bytes are read: throws to refuse it.
   */
  readonly admit: (file: FilePart) => Promise<void>;
}
export interface ReceiveManyOptions extends ReceiveOptions {
  readonly files_max: number;
  /** Of all files together. */
  readonly total_bytes_max: number;
}
export type ReceivedPart = FilePart & { readonly received: ReceivedFile };
/** The headers of one part by lower-case name. */
type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/** What a body may be larger than its file by: boundaries, headers, fields. */
const framing_bytes_max = 1024 * 1024;
const parts_max = 100;
const control = /\p{Cc}/u;
const header_limits = { maxHeaderPairs: 50, maxHeaderSize: 16 * 1024 };

/**
 * How large the file is at least, as far as the request says it beforehand, bytes. @throws
 * HttpError 413 when that is too much.
 */
export function announcedBytes(request: Request, bytes_max: number): number {
  const length_bytes = Math.max(
    0,
    Number(request.headers.get("content-length") ?? 0) - framing_bytes_max,
  );
  if (length_bytes > bytes_max)
    throw tooLarge(
      `The file is larger than the limit of ${bytes_max} bytes ` +
        `(${Math.round(bytes_max / 2 ** 20)} MiB).`,
    );
  return length_bytes;
}

/**
 * The one file of this body, under its temporary name. The caller releases it.
 * @throws HttpError 400 on a body that is not what it should be, 413, 507, and what `admit` throws.
 */
export async function receiveFile(
  request: Request,
  files: Files,
  options: ReceiveOptions,
): Promise<ReceivedPart> {
  return (
    await receiveFiles(request, files, {
      ...options,
      files_max: 1,
      total_bytes_max: options.bytes_max,
    })
  )[0]!;
}

/**
 * The files of this body, at least one, in their order; none of them when one can't be received.
 * The caller releases each.
 * @throws HttpError 400 on a body that is not what it should be, 413, 507, and what `admit` throws.
 */
export async function receiveFiles(
  request: Request,
  files: Files,
  { part, bytes_max, admit, files_max, total_bytes_max }: ReceiveManyOptions,
): Promise<ReceivedPart[]> {
  const boundary = boundaryOf(request.headers.get("content-type"));
  if (boundary === undefined) throw malformed("its Content-Type names no boundary");
  if (!request.body) throw badRequest("The request needs a multipart body.", "");
  const stop = new AbortController();
  const arriving: Promise<ReceivedPart>[] = [];
  let open: Readable | undefined;
  let failure: unknown;
  /** The first reason counts; whatever is still being read ends. */
  const fail = (reason: unknown) => {
    if (failure !== undefined) return;
    failure = reason;
    stop.abort(reason);
    open?.destroy(reason instanceof Error ? reason : undefined);
  };

  const receive = async (
    bytes: Readable,
    file_name: string | undefined,
    media_type: string | undefined,
  ): Promise<ReceivedPart> => {
    const file: FilePart = {
      name: uploadName(file_name, part),
      declared_type: media_type?.split(";")[0]!.trim() || null,
    };
    await admit(file);
    return { ...file, received: await files.receive(bytes, { bytes_max }) };
  };
  const onPart = (bytes: Readable, headers: Headers) => {
    const { name, file_name } = dispositionOf(headers["content-disposition"]?.[0]);
    if (name !== part) return void bytes.resume();
    if (arriving.length === files_max) return fail(tooManyFiles(part, files_max));
    open = bytes;
    const file = receive(bytes, file_name, headers["content-type"]?.[0]);
    arriving.push(file);
    file.catch(fail);
  };

  try {
    const parser = createParser(boundary, onPart, fail, parts_max + files_max - 1);
    await feed(
      parser,
      request.body,
      total_bytes_max + framing_bytes_max,
      AbortSignal.any([request.signal, stop.signal]),
    ).catch(fail);
    const received = await Promise.all(arriving);
    if (failure !== undefined) throw failure;
    if (received.length === 0) throw badRequest(`The body has no part \`${part}\`.`, `/${part}`);
    return received;
  } catch (error) {
    for (const one of await Promise.allSettled(arriving))
      if (one.status === "fulfilled") await one.value.received.release();
    throw failure ?? error;
  }
}

const tooManyFiles = (part: string, files_max: number): HttpError =>
  badRequest(
    files_max === 1
      ? `The body has more than one part \`${part}\`: send one file a request.`
      : `The body has more than ${files_max} parts \`${part}\`, ` +
          "the most that one request may bring.",
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
    // Cut off: the parser says so, too.
    bytes.on("error", () => undefined);
    if (++parts > parts_max)
      return fail(badRequest(`The multipart body has more than ${parts_max} parts.`, ""));
    bytes.on("header", (headers) => onPart(bytes, headers as Headers));
  });
}

/**
 * Gives the parser the body chunk by chunk, as fast as the parts are read. @throws HttpError 400 or
 * 413.
 */
async function feed(
  parser: Dicer,
  body: ReadableStream<Uint8Array>,
  bytes_max: number,
  signal: AbortSignal,
): Promise<void> {
  // Through a Node stream, because its chunks are small: those of the body itself are whatever the
  // socket had.
  const source = Readable.fromWeb(body as NodeReadableStream);
  let over: "parsed" | "broken" | "stopped" | undefined;
  let wake = () => {};
  const end = (how: typeof over) => () => {
    over ??= how;
    wake();
  };
  parser.once("finish", end("parsed")).on("error", end("broken"));
  signal.addEventListener(
    "abort",
    () => {
      end("stopped")();
      source.destroy();
    },
    { once: true },
  );
  /**
   * Until the step calls back or the whole is over. (A race with one long promise would keep every
   * chunk in memory.)
   */
  const step = (begin: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      begin(resolve);
      if (over) resolve();
    });
  try {
    let read_bytes = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      read_bytes += chunk.byteLength;
      if (read_bytes > bytes_max)
        throw tooLarge(`The body is larger than ${bytes_max} bytes, the most that is accepted.`);
      // The parser calls back when it wants more: when whoever reads the part has caught up. Behind
      // the last boundary it wants nothing.
      await step((wanted) => parser.write(chunk, wanted));
      if (over) break;
    }
    if (!over) await step(() => parser.end());
  } catch (error) {
    throw error instanceof HttpError ? error : malformed("it broke off");
  } finally {
    source.destroy();
  }
  if (over !== "parsed") throw malformed("it ends before its last boundary");
}

const malformed = (why: string): HttpError =>
  badRequest(`The multipart body could not be read: ${why}.`, "", "malformed_multipart");

/** What browsers escape in the file name of a part, and nothing else. */
const escaped: Readonly<Record<string, string>> = { "%22": '"', "%0d": "\r", "%0a": "\n" };

/**
 * The name of an uploaded file: the last segment of what the part says. @throws HttpError 400 when
 * there is none, or one that can't be kept.
 */
export function uploadName(file_name: string | undefined, part: string): string {
  const pointer = `/${part}`;
  const given = (file_name ?? "").replaceAll(
    /%22|%0d|%0a/gi,
    (escape) => escaped[escape.toLowerCase()]!,
  );
  const segment = given.split(/[/\\]/).at(-1)!;
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
