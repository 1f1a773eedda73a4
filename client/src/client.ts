/** The client: every operation of the API by name, and helpers that combine several. */
import { ask, askStream, watch, type AskEvent, type AskOptions, type Asked } from "./ask.js";
import { DocumentBell, events, type DossierEvent, type EventsOptions } from "./events.js";
import { Operations } from "./operations.gen.js";
import type { Document } from "./schema.gen.js";
import { Transport, type CallOptions, type DossierOptions } from "./transport.js";
import {
  synced,
  upload,
  type SyncedOptions,
  type UploadOptions,
  type UploadSource,
} from "./upload.js";

/** The common part of every list response. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly next_page: number | null };
}

/**
 * ```ts
 * const dossier = new Dossier({ baseUrl: "http://127.0.0.1:4780", key });
 * const folder = await dossier.createFolder({ name: "Handbooks" });
 * ```
 * Every call throws a `DossierError`, or the reason of its signal.
 */
export class Dossier extends Operations {
  private readonly bell = new DocumentBell(this.transport);

  constructor(options: DossierOptions) {
    super(new Transport(options));
  }

  /**
   * Asks a question and waits for the complete answer; with `stream: true`, yields events while it
   * is generated. Aborting the signal cancels the answer on the server, and so does leaving the
   * loop.
   */
  ask(question: string, options: AskOptions & { readonly stream: true }): AsyncGenerator<AskEvent>;
  ask(question: string, options?: AskOptions & { readonly stream?: false }): Promise<Asked>;
  ask(
    question: string,
    { stream = false, ...options }: AskOptions & { readonly stream?: boolean } = {},
  ): Promise<Asked> | AsyncGenerator<AskEvent> {
    return stream
      ? askStream(this.transport, question, options)
      : ask(this.transport, question, options);
  }

  /** The events of a question that was already sent, from its beginning. */
  watchAnswer(
    sessionId: string,
    requestId: string,
    options: CallOptions = {},
  ): AsyncGenerator<AskEvent> {
    return watch(this.transport, { sessionId, requestId }, options);
  }

  /**
   * Uploads a file and waits until it is indexed. `onProgress` reports the bytes sent, then the
   * progress of indexing. Aborting the signal stops the upload or the waiting; what is already
   * uploaded stays.
   */
  upload(source: UploadSource, options: UploadOptions): Promise<Document> {
    return upload(this.transport, this.bell, source, options);
  }

  /** Waits until a document is indexed. Throws an `UploadError` when its text can't be read. */
  synced(documentId: string, options: SyncedOptions = {}): Promise<Document> {
    return synced(this.transport, this.bell, documentId, options);
  }

  /**
   * Changes of the caller's folders, documents, imports, transcriptions, chats and answers, from
   * now on or after an earlier event; a broken connection is reopened. `reset` means that events
   * were missed: reload your lists.
   */
  events(options: EventsOptions = {}): AsyncGenerator<DossierEvent, void, undefined> {
    return events(this.transport, options);
  }

  /**
   * Iterates over the records of a list, page by page: `dossier.each((page) =>
   * dossier.listDocuments({ folder_id, page }))`.
   */
  async *each<T>(list: (page: number) => Promise<Page<T>>): AsyncGenerator<T, void, undefined> {
    for (let page: number | null = 1; page !== null;) {
      const { data, pagination }: Page<T> = await list(page);
      yield* data;
      page = pagination.next_page;
    }
  }
}
