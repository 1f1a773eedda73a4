/** Uploads with progress, of the transfer and of indexing. */
import { DossierError, errorOf } from "./errors.js";
import { DocumentListener, type DocumentBell } from "./events.js";
import type { Document, DocumentStatus, Indexing } from "./schema.gen.js";
import { pause, reasonOf } from "./signals.js";
import type { CallOptions, Streamed, Transport } from "./transport.js";

/** A `File` has a name; anything else needs one. */
export type UploadSource = Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array>;

export interface UploadOptions extends CallOptions {
  /** The id of the target folder. */
  readonly folder: string;
  /** The document's name, including the extension. Default: that of the `File`. */
  readonly name?: string;
  /** Replace the document of the same name. Default: refused with `name_taken`. */
  readonly overwrite?: boolean;
  /** `false`: do not wait until it is indexed. */
  readonly wait?: boolean;
  readonly onProgress?: (progress: UploadProgress) => void;
}

export type UploadProgress =
  | {
      readonly phase: "sending";
      readonly sentBytes: number;
      /** Null for a stream, whose length is unknown. */
      readonly totalBytes: number | null;
    }
  | ({ readonly phase: "indexing" } & DocumentProgress);

export interface DocumentProgress {
  readonly status: DocumentStatus;
  readonly stage: Indexing["stage"];
  /** From 0 to 1. */
  readonly progress: number;
  readonly document: Document;
}

/** The document could not be read: `code` and `message` are those of its `error`. */
export class UploadError extends DossierError {
  constructor(readonly document: Document) {
    const { message, code } = document.error ?? { message: "", code: "upload_failed" };
    super(message || `${document.name} could not be indexed.`, { code });
  }
}

/** @throws DossierError; UploadError when the text can't be read. */
export async function upload(
  transport: Transport,
  bell: DocumentBell,
  source: UploadSource,
  options: UploadOptions,
): Promise<Document> {
  const { folder, overwrite, wait = true, onProgress, name, ...call } = options;
  const file = fileOf(source, name);
  const query = { folder_id: folder, overwrite };
  const path = "/documents/file";
  const sent = (sentBytes: number): void =>
    onProgress?.({ phase: "sending", sentBytes, totalBytes: file.size });
  const limits = { ...call, timeout: call.timeout ?? Number.POSITIVE_INFINITY };
  const Request = browserRequest();
  const document =
    onProgress && Request && file.blob
      ? await sentByBrowser(transport, { Request, url: transport.urlOf({ path, query }) }, file, {
          ...call,
          sent,
        })
      : await transport.json<Document>(
          { method: "POST", path, query, body: multipart(file, sent) },
          limits,
        );
  if (!wait) return document;
  return synced(transport, bell, document.id, {
    ...call,
    ...(onProgress && { onProgress: (progress) => onProgress({ phase: "indexing", ...progress }) }),
  });
}

export interface SyncedOptions extends CallOptions {
  readonly onProgress?: (progress: DocumentProgress) => void;
}

/** A small file is indexed quickly; changes after that come through the stream of events. */
const first_delays_ms = [100, 150, 250];

/** Waits until a document is indexed. @throws UploadError when it can't be. */
export async function synced(
  transport: Transport,
  bell: DocumentBell,
  id: string,
  { onProgress, ...options }: SyncedOptions = {},
): Promise<Document> {
  const listener = new DocumentListener(bell, id);
  let reported = "";
  try {
    for (let round = 0; ; round++) {
      const document = await transport.json<Document>(
        { method: "GET", path: `/documents/${encodeURIComponent(id)}`, query: { content: false } },
        options,
      );
      const { status, indexing } = document;
      const now = `${status} ${indexing.stage} ${indexing.progress}`;
      if (now !== reported)
        onProgress?.({ status, stage: indexing.stage, progress: indexing.progress, document });
      reported = now;
      if (status === "synced") return document;
      if (status === "sync_failed") throw new UploadError(document);
      const first_ms = first_delays_ms[round];
      if (first_ms !== undefined) await pause(first_ms, options.signal);
      // Events report the end, but not the stages before it.
      else await listener.next(bell.isLive && !onProgress ? 15_000 : 1_000, options.signal);
    }
  } finally {
    listener.end();
  }
}

interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number | null;
  /** Null for a stream, which can be read only once. */
  readonly blob: Blob | null;
  readonly open: () => ReadableStream<Uint8Array>;
}

/** @throws TypeError without a name. */
function fileOf(source: UploadSource, file_name: string | undefined): UploadedFile {
  const name = file_name ?? (source as Partial<File>).name;
  if (!name) throw new TypeError('upload: a name is needed, such as { name: "report.pdf" }');
  if (source instanceof ReadableStream)
    return { name, type: "", size: null, blob: null, open: () => source };
  const blob = source instanceof Blob ? source : new Blob([new Uint8Array(source)]);
  return { name, type: blob.type, size: blob.size, blob, open: () => blob.stream() };
}

/** Encodes names as the WHATWG's form encoding does. */
const escaped = (name: string): string =>
  name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");

/** The form, generated while it is sent, so that the progress of the file can be reported. */
function multipart(file: UploadedFile, sent: (bytes: number) => void): Streamed {
  const boundary = `dossier-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const head = encoder.encode(
    `--${boundary}\r\n` +
      `content-disposition: form-data; name="file"; filename="${escaped(file.name)}"\r\n` +
      `content-type: ${file.type || "application/octet-stream"}\r\n\r\n`,
  );
  const foot = encoder.encode(`\r\n--${boundary}--\r\n`);
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield head;
    let bytes = 0;
    sent(0);
    const reader = file.open().getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        yield value;
        // The next chunk is requested when the previous one was taken.
        bytes += value.length;
        sent(bytes);
      }
    } finally {
      reader.releaseLock();
    }
    yield foot;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    isRepeatable: file.blob !== null,
    open: () => streamOf(parts()),
  };
}

function streamOf(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Only this reports upload progress in browsers, whose `fetch` does not accept streams everywhere.
 */
interface BrowserRequest extends EventTarget {
  readonly upload: EventTarget;
  readonly status: number;
  readonly responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
}
type BrowserRequestClass = new () => BrowserRequest;

const browserRequest = (): BrowserRequestClass | undefined =>
  (globalThis as { readonly XMLHttpRequest?: BrowserRequestClass }).XMLHttpRequest;

async function sentByBrowser(
  transport: Transport,
  { Request, url }: { readonly Request: BrowserRequestClass; readonly url: string },
  { blob, name, size }: UploadedFile,
  { signal, headers, sent }: CallOptions & { readonly sent: (bytes: number) => void },
): Promise<Document> {
  const form = new FormData();
  form.append("file", blob!, name);
  const request = new Request();
  const response = await new Promise<Response>((resolve, reject) => {
    const stop = (): void => request.abort();
    signal?.addEventListener("abort", stop, { once: true });
    request.open("POST", url);
    for (const [key, value] of Object.entries(transport.headersOf(headers)))
      request.setRequestHeader(key, value);
    request.upload.addEventListener("progress", (event) => {
      const { loaded } = event as Event & { readonly loaded: number };
      sent(Math.min(loaded, size!));
    });
    request.addEventListener("load", () => resolve(responseOf(request)));
    request.addEventListener("abort", () => reject(reasonOf(signal!)));
    request.addEventListener("error", () =>
      reject(new DossierError("The server could not be reached.", { code: "unreachable" })),
    );
    if (signal?.aborted) return reject(reasonOf(signal));
    request.send(form);
  });
  if (!response.ok) throw await errorOf(response);
  sent(size!);
  return (await response.json()) as Document;
}

function responseOf(request: BrowserRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/);
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(request.responseText, { status: request.status, headers });
}
