/** What other plugins may use of documents. */
import type { StoredText } from "../../core/lib/text-pieces";
import {
  OneOf,
  beforeHook,
  event,
  service,
  shaped,
  slot,
  t,
  type Db,
  type PayloadOf,
  type ReceivedFile,
} from "../../core/sdk";
import type { HeadingSpan, PagePlace, PageSpan, TimeSpan, TimeSpans } from "../extraction/contract";
import type { Prepared } from "../search-index/contract";

export interface DocumentName {
  readonly id: string;
  readonly name: string;
  /** The version used by search, chats and downloads; 0 before the first one is synced. */
  readonly current_version: number;
}

/** Offsets are code points in the text of that version, end exclusive. */
export interface OutlinedHeading extends PagePlace {
  /** Exactly the text from `start` to `end`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
/** A document in one of the given folders, with the first of its main headings. */
export interface OutlinedDocument extends DocumentName {
  readonly folder_id: string;
  readonly language: string | null;
  readonly headings: readonly OutlinedHeading[];
}
/** `or_lines`: for a text without marked headings, use lines that look like one. */
export interface OverviewLimits {
  readonly documents: number;
  readonly headings: number;
  readonly or_lines?: boolean;
}
/** Some documents of a scope with their outlines, and how many there are. */
export interface Overview {
  readonly documents: readonly OutlinedDocument[];
  readonly count: number;
  readonly all_counted: boolean;
}

export type DocumentStatus = "syncing" | "synced" | "sync_failed";

/** Where ingested content comes from. */
export interface Origin {
  /**
   * `upload`: a file of the user's, subject to the same-name rule. `import`: recognised later by
   * its folder and its `uri`.
   */
  readonly kind: "upload" | "import" | "transcription";
  readonly uri: string | null;
  readonly run_id: string;
}
/** A text that is indexed as it is, without extraction. */
export interface ReadyText {
  readonly content: string;
  readonly media_type: string;
  /** UTF-16 indices into `content`. */
  readonly times: TimeSpans;
  /** UTF-16 indices into `content`. */
  readonly headings?: readonly HeadingSpan[];
}
/** A file, a text, or a text with the file that it was made from. */
export interface IngestRequest {
  readonly folder_id: string;
  /** Shortened to a valid name; never refused. */
  readonly name: string;
  readonly origin: Origin;
  /**
   * The original. It has to be in the file store until the transaction has ended: through
   * `ReceivedFile.keep` before it, or a use in `FileUses`.
   */
  readonly file: Pick<ReceivedFile, "sha256" | "size_bytes"> | null;
  /** The type declared by the sender, or null. */
  readonly declared_type: string | null;
  /** May be combined with a file, which is then kept as the original and not read. */
  readonly text?: ReadyText;
  /**
   * For uploads: replace the newest document of that name. For imports: write unchanged content,
   * too.
   */
  readonly overwrite?: boolean;
  /** The result of `Documents.admit`, called before the transaction. */
  readonly admitted: Admitted;
}

/** Content that is about to become a document, or the next version of one. */
export interface DocumentIntake {
  readonly owner_id: string;
  readonly folder_id: string;
  /** The name of the subfolder that it goes into; null for none. */
  readonly subfolder: string | null;
  readonly name: string;
  /** As declared by the sender, or null: a hint. */
  readonly media_type: string | null;
  readonly size_bytes: number;
  /** `archive`: it comes with a folder from another server. */
  readonly origin: {
    readonly kind: "text" | "upload" | "import" | "transcription" | "archive";
    /** The location of imports and recordings on the web. */
    readonly uri: string | null;
    readonly run_id: string | null;
  };
  /** Where this machine can read the bytes while the hook runs; null when there is no file. */
  readonly path: string | null;
  /** The bytes, from the beginning at each call. */
  bytes(): AsyncIterable<Uint8Array>;
}
/**
 * Called before a document is stored, wherever it comes from: an upload, a text, an item of an
 * import, a recording and its transcript, a folder from another server. Nobody sees anything of it
 * before, and a refused one leaves nothing behind. An upload is answered with the refusal; in an
 * import the item fails with it, a transcription or the import of an archive as a whole.
 */
export const BeforeDocumentIntake = beforeHook<DocumentIntake>("documents.before_intake");

/** The content to be admitted; `from` has its bytes. */
export interface NewIntake extends Omit<
  DocumentIntake,
  "bytes" | "path" | "size_bytes" | "subfolder"
> {
  readonly subfolder?: string | null;
  readonly from:
    | string
    | Uint8Array
    | Pick<ReceivedFile, "path" | "size_bytes">
    | Pick<DocumentIntake, "bytes" | "size_bytes">;
}
/** Proof that no hook has refused: only `Documents.admit` returns it. */
export interface Admitted {
  readonly admitted: true;
}
export interface IngestResult {
  readonly document_id: string;
  /** `DocumentSettled` reports the outcome of this version, or of a later one. */
  readonly version: number;
  /** `unchanged`: it is the current version already, and nothing was written. */
  readonly outcome: "created" | "replaced" | "unchanged";
}
/** A document as it is exported to another server, in its current version. Times are epoch ms. */
export interface DocumentCopy {
  readonly id: string;
  readonly name: string;
  readonly source_kind: "text" | "upload" | "import" | "transcription";
  readonly source_uri: string | null;
  readonly version: number;
  /** Of the original: a file, or the text when there is no file. */
  readonly size_bytes: number;
  readonly sha256: string;
  readonly media_type: string;
  readonly in_files: boolean;
  /** The text came with the file, which is not read for it. */
  readonly text_ready: boolean;
  /** `synced` when there is a current version. */
  readonly status: DocumentStatus;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly warnings: readonly {
    readonly code: string;
    readonly message: string;
    readonly page: number | null;
  }[];
  readonly page_count: number | null;
  readonly language: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly synced_at: number | null;
  /** The folders among those asked about that contain it. */
  readonly folder_ids: readonly string[];
  /** UTF-16 indices into the text. */
  readonly pages: readonly PageSpan[];
  readonly headings: readonly HeadingSpan[];
  readonly times: readonly TimeSpan[];
}
export type DocumentState = Pick<DocumentCopy, "version" | "status" | "error">;
/** A stored text, read in parts. `units` are UTF-16 units, `points` code points. */
export interface TextCopy {
  readonly units: number;
  readonly points: number;
  /** @throws TextGone */
  readonly readParts: () => AsyncGenerator<string>;
}
/** An entry of the list of all documents of a user. `created_at`: epoch ms. */
export interface OwnedDocument {
  readonly id: string;
  readonly name: string;
  readonly size_bytes: number;
  readonly status: DocumentStatus;
  readonly error_message: string | null;
  readonly created_at: number;
}
/** The position of a document in a folder's list. */
export interface DocumentPlace {
  readonly document_id: string;
  readonly document_created_at: number;
}
export interface DocumentInFolder {
  readonly document_id: string;
  readonly folder_id: string;
}
export interface Documents {
  /** The largest file that can be uploaded, bytes. */
  readonly upload_bytes_max: () => number;
  /** The document. @throws HttpError 404 when it does not exist, 403 when it is another user's. */
  require(db: Db, owner_id: string, document_id: string): Promise<DocumentName>;
  /** The same for several; `pointer` names the field with the ids. @throws HttpError 404 or 403. */
  requireAll(
    db: Db,
    owner_id: string,
    document_ids: readonly string[],
    pointer: string,
  ): Promise<void>;
  /** Names and versions by id; deleted documents are missing. */
  findNames(db: Db, document_ids: readonly string[]): Promise<Map<string, DocumentName>>;
  /** How far the newest versions of these documents are; deleted documents are missing. */
  findStates(db: Db, document_ids: readonly string[]): Promise<Map<string, DocumentState>>;
  /**
   * Whether the text of the current version from `start` to `end` (code points) is still exactly
   * `quote`. False when the document is gone.
   */
  hasQuoteAt(
    db: Db,
    passage: {
      readonly document_id: string;
      readonly start: number;
      readonly end: number;
      readonly quote: string;
    },
  ): Promise<boolean>;
  /**
   * The quotes among these that occur anywhere in the text of the current version; none when the
   * document is gone.
   */
  findQuotes(db: Db, document_id: string, quotes: readonly string[]): Promise<Set<string>>;
  /**
   * Converts the code points `start` and `end` of these places in this version's text, and returns
   * its pages, and the times of what is between them, all as UTF-16 indices. Undefined when the
   * version is gone.
   */
  findSpans(
    db: Db,
    version: { readonly document_id: string; readonly version: number },
    places: readonly { readonly start: number; readonly end: number }[],
  ): Promise<
    | {
        readonly start: number;
        readonly end: number;
        readonly pages: readonly PageSpan[];
        readonly times: readonly TimeSpan[];
      }[]
    | undefined
  >;
  /** Labels by page, for current versions. Documents without labels are missing. */
  findPageLabels(db: Db, ids: readonly string[]): Promise<Map<string, ReadonlyMap<number, string>>>;
  /** The same for documents with a live link to one of the folders. */
  findLinked(
    db: Db,
    document_ids: readonly string[],
    folder_ids: readonly string[],
  ): Promise<Map<string, DocumentName>>;
  /** Finds those that are synced and in the folder given with them, as of this moment. */
  findSyncedPlaces(
    db: Db,
    places: readonly DocumentInFolder[],
  ): Promise<(place: DocumentInFolder) => boolean>;
  /**
   * Removes the document from the folder, restorably, inside the caller's transaction. Does nothing
   * when it is not there, or belongs to another user.
   */
  takeOut(tx: Db, owner_id: string, document_id: string, folder_id: string): Promise<void>;
  /** Some searchable documents of these folders and their number; of very many, a sample. */
  overview(db: Db, folder_ids: readonly string[], limits: OverviewLimits): Promise<Overview>;
  /**
   * Creates a document, or the next version of a known one, inside the caller's transaction, and
   * enqueues its indexing. @throws HttpError 403, 404, 409 when an upload has the name, 507. The
   * transaction must be rolled back then: part of it may be written.
   */
  ingest(tx: Db, owner_id: string, request: IngestRequest): Promise<IngestResult>;
  /**
   * Runs the hooks in `BeforeDocumentIntake`: call it outside a transaction, before `ingest` or
   * `insertCopy`. @throws HttpError of the hook that refuses, 503 `check_failed` when one fails,
   * the reason of the signal
   */
  admit(intake: NewIntake, signal?: AbortSignal): Promise<Admitted>;
  /** Documents of a folder, oldest first, after one of them: the first `limit`. */
  listPlaces(
    db: Db,
    folder_id: string,
    after: DocumentPlace | null,
    limit: number,
  ): Promise<DocumentPlace[]>;
  /**
   * Documents in any folder of the owner, or in this one of them, after one of them: the first
   * `limit`. @throws HttpError 404 or 403 on that document.
   */
  listOwned(
    db: Db,
    owner_id: string,
    page: { readonly after: string | null; readonly limit: number; readonly ascending: boolean },
    folder_id?: string,
  ): Promise<OwnedDocument[]>;
  /** Undefined when it is in none of these folders any more. `text`: null until there is one. */
  findCopy(
    document_id: string,
    folder_ids: ReadonlySet<string>,
  ): Promise<{ readonly document: DocumentCopy; readonly text: TextCopy | null } | undefined>;
  /**
   * Writes a document into staged folders (`Folders.stage`) without charging quotas. Its text is
   * stored already, and so is `prepared` when it is `synced`; for the original see `IngestRequest`.
   * `root_id`: the root of these folders.
   */
  insertCopy(
    tx: Db,
    owner_id: string,
    document: DocumentCopy,
    options: {
      readonly root_id: string;
      readonly text: StoredText | null;
      readonly prepared: Prepared | null;
      readonly admitted: Admitted;
    },
  ): Promise<void>;
  /** Indexes the document again, whoever owns it; does nothing when it is gone. */
  reindex(document_id: string): Promise<void>;
  /** Emits the events of copies that have become visible: created, and synced or failed. */
  announce(tx: Db, document_ids: readonly string[]): Promise<void>;
  /**
   * Deletes these originals if nothing uses them any more: once the surrounding transaction is
   * committed, at once outside one.
   */
  removeFiles(sha256s: readonly string[]): void;
}
/** A folder with documents that are being indexed. */
export interface IndexingFolder {
  readonly folder_id: string;
  readonly owner_id: string;
  /** Documents that are not indexed yet. */
  readonly waiting: number;
  /** The rate of recently indexed documents; null before there were two. */
  readonly per_minute: number | null;
}
export interface Intake {
  /** Those with the most waiting documents first, at most fifty. */
  listIndexingFolders(): Promise<IndexingFolder[]>;
}
export const Intake = service<Intake>("documents.intake");

export const Documents = service<Documents>("documents");

/** A plugin that keeps data about documents. */
export interface DocumentUse {
  /**
   * Called inside a transaction that deletes documents for good, which are invisible by then.
   * `false`: there is more to delete than fits into one transaction; call it again in the next one.
   * So it may be called several times for a document.
   */
  remove(tx: Db, document_ids: readonly string[]): Promise<boolean | void>;
  /**
   * Called inside the transaction that ends the indexing of a document. Must be quick, because it
   * is called for every document.
   */
  settled?(tx: Db, settled: PayloadOf<typeof DocumentSettled>): Promise<void>;
}
/** Plugins that keep data about documents, and delete it with them. */
export const DocumentUses = slot<DocumentUse>("documents.uses", {
  check: shaped<DocumentUse>({ remove: "function", settled: "function?" }),
  otherwise: { settled: async () => undefined },
});

/** Called before an original is deleted, for plugins that keep originals without a document. */
export interface FileUse {
  isUsed(db: Db, sha256: string): Promise<boolean>;
}
/** Plugins that use originals: a file that one of them uses is kept. */
export const FileUses = slot<FileUse>("documents.file_uses", {
  check: shaped<FileUse>({ isUsed: "function" }),
  // Keep a file that may be in use.
  otherwise: { isUsed: async () => true },
});

/** Indexing has ended, successfully or not. */
export const DocumentSettled = event(
  "document.settled",
  t.Object({
    owner_id: t.String(),
    document_id: t.String(),
    version: t.Integer(),
    status: OneOf(["synced", "sync_failed"]),
    /** Why it failed: the code and the sentence of the record. */
    error: t.Optional(t.Object({ code: t.String(), message: t.String() })),
  }),
);
