/** Reads a multipart body part by part, straight to disk: memory does not grow with its size, and nothing stays behind when it fails. */
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { badRequest, HttpError, type Files, type Received } from "../../core/sdk";
import { uploadName } from "./names";

export interface FilePart {
  readonly name: string;
  /** What the part says it is, or null. */
  readonly declared_type: string | null;
}
export interface ReceiveOptions {
  /** The name of the part. */
  readonly part: string;
  readonly bytes_max: number;
  /** Called when the header of the part has come, before its bytes are read: throws to refuse it. */
  readonly admit: (file: FilePart) => Promise<void>;
}

/** What a body may hold beside the file; more is ignored or refused. */
const limits = { fields: 50, parts: 100, fieldSize: 64 * 1024, headerPairs: 50, headerSize: 16 * 1024 };

/**
 * The one file of this body, under its temporary name. The caller releases it.
 * @throws HttpError 400 on a body that is not what it should be, 413, 507, and what `admit` throws.
 */
export async function receiveFile(request: Request, files: Files, { part, bytes_max, admit }: ReceiveOptions): Promise<FilePart & { readonly received: Received }> {
  if (!request.body) throw badRequest("The request needs a multipart body.", "");
  const parser = createParser(request, part);
  const stop = new AbortController();
  let arriving: Promise<FilePart & { readonly received: Received }> | undefined;
  let open: BusboyFileStream | undefined;
  let failure: unknown;
  /** The first reason counts; whatever is still being read ends. */
  const fail = (reason: unknown) => {
    if (failure !== undefined) return;
    failure = reason;
    stop.abort(reason);
    open?.destroy(reason instanceof Error ? reason : undefined);
  };

  const receive = async (stream: BusboyFileStream, file_name: string | undefined, media_type: string) => {
    const file: FilePart = { name: uploadName(file_name, part), declared_type: media_type || null };
    await admit(file);
    return { ...file, received: await files.receive(stream, { bytes_max }) };
  };
  parser.on("file", (field, stream, file_name, _encoding, media_type) => {
    stream.on("error", () => undefined);
    if (field !== part) return void stream.resume();
    if (arriving) return fail(badRequest(`The body has more than one part \`${part}\`: send one file a request.`, `/${part}`));
    open = stream;
    arriving = receive(stream, file_name, media_type);
    arriving.catch(fail);
  });

  try {
    await pipeline(Readable.fromWeb(request.body as NodeReadableStream), parser, { signal: AbortSignal.any([request.signal, stop.signal]) })
      .catch((error: unknown) => fail(malformed(error)));
    const file = await arriving;
    if (failure !== undefined) throw failure;
    if (!file) throw badRequest(`The body has no part \`${part}\`.`, `/${part}`);
    return file;
  } catch (error) {
    await arriving?.then(({ received }) => received.release(), () => undefined);
    throw failure ?? error;
  }
}

function createParser(request: Request, part: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": request.headers.get("content-type") ?? "" } as BusboyHeaders,
      limits, preservePath: true, isPartAFile: (field, _type, file_name) => field === part || file_name !== undefined,
    });
  } catch (error) {
    throw malformed(error);
  }
}

const malformed = (error: unknown): HttpError =>
  badRequest(`The multipart body could not be read: ${error instanceof Error ? error.message : String(error)}.`, "", "malformed_multipart");
