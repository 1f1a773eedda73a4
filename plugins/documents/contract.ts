/** What other plugins may know about documents. */
import type { StoredText } from "../../core/lib/text-pieces";
import {
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
import type { HeadingSpan, PagePlace, PageSpan, TimeSpan } from "../extraction/contract";
import type { Prepared } from "../search-index/contract";

export interface DocumentName {
  readonly id: string;
  readonly name: string;
  /** The version that answers now; 0 before the first one is synced. */
  readonly current_version: number;
}

/** Offsets are code points of the text of that version, end exclusive. */
export interface OutlinedHeading extends PagePlace {
  /** Exactly what lies between `start` and `end`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
/** A document in one of the folders asked about, with the first of its main headings. */
export interface OutlinedDocument extends DocumentName {
  readonly folder_id: string;
  readonly language: string | null;
  readonly headings: readonly OutlinedHeading[];
}
/** `or_lines`: where a text names no headings, lines that read like one. */
export interface OverviewLimits {
  readonly documents: number;
  readonly headings: number;
  readonly or_lines?: boolean;
}
export interface Overview {
  readonly documents: readonly OutlinedDocument[];
  readonly count: number;
  readonly all_counted: boolean;
}

export type DocumentStatus = "syncing" | "synced" | "sync_failed";

/** Where ingested content comes from. */
export interface Origin {
  /**
   * `upload`: a file of the user's, to which the same-name rule applies. `import`: recognised later
   * by its folder and its `uri`.
   */
  readonly kind: "upload" | "import" | "transcription";
  readonly uri: string | null;
  readonly run_id: string;
}
/** Text that is ready: it is indexed as it is, and nothing is extracted. */
export interface ReadyText {
  readonly content: string;
  readonly media_type: string;
  /** UTF-16 indices into `content`. */
  readonly times: readonly TimeSpan[];
  /** UTF-16 indices into `content`. */
  readonly headings?: readonly HeadingSpan[];
}
/** A file, a text, or a text with the file that it was made from. */
export interface IngestRequest {
  readonly folder_id: string;
  /** Cut to what a name may be; never refused. */
  readonly name: string;
  readonly origin: Origin;
  /**
   * The original. It is in the file store, and stays there, until the transaction has ended:
   * `ReceivedFile.keep` before it, or a use in `FileUses`.
   */
  readonly file: Pick<ReceivedFile, "sha256" | "size_bytes"> | null;
  /** What the sender says the file is, or null. */
  readonly declared_type: string | null;
  /** With a file, too: then the file is kept as the original, and not read. */
  readonly text?: ReadyText;
  /**
   * For uploads: replace the newest document of that name. For imports: write what has not changed,
   * too.
   */
  readonly overwrite?: boolean;
  /** What `Documents.admit` gave for it, before the transaction. */
  readonly admitted: Admitted;
}

/** Something that is about to become a document, or the next version of one. */
export interface DocumentIntake {
  readonly owner_id: string;
  readonly folder_id: string;
  /** The subfolder of that folder that it goes into, by its name; null for none. */
  readonly subfolder: string | null;
  readonly name: string;
  /** As the sender declares it, or null: a hint. */
  readonly media_type: string | null;
  readonly size_bytes: number;
  /** `archive`: it comes with a folder of another server. */
  readonly origin: {
    readonly kind: "text" | "upload" | "import" | "transcription" | "archive";
    /** Where it lies, of imports and recordings on the web. */
    readonly uri: string | null;
    readonly run_id: string | null;
  };
  /** Where the bytes can be read on this machine while the hook runs; null where no file is. */
  readonly path: string | null;
  /** The bytes, from their beginning at each call. */
  bytes(): AsyncIterable<Uint8Array>;
}
/**
 * Asked before a document is taken in, wherever it comes from: an upload, a text, an item of an
 * import, a recording and its transcript, a folder of another server. Nothing of it is seen by
 * anybody, and what is refused leaves nothing behind. An upload is answered with the refusal; in an
 * import the item fails with it, a transcription or the import of an archive as a whole.
 */
export const BeforeDocumentIntake = beforeHook<DocumentIntake>("documents.before_intake");

/** What is to be admitted; `from` has its bytes. */
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
/** Says that nobody has refused: only `Documents.admit` gives it. */
export interface Admitted {
  readonly admitted: true;
}
export interface IngestResult {
  readonly document_id: string;
  /** `DocumentSettled` tells how this version, or one after it, ends. */
  readonly version: number;
  /** `unchanged`: it answers already, and nothing was written. */
  readonly outcome: "created" | "replaced" | "unchanged";
}
/** A document as it is taken to another server: the version that answers. Times are epoch ms. */
export interface DocumentCopy {
  readonly id: string;
  readonly name: string;
  readonly source_kind: "text" | "upload" | "import" | "transcription";
  readonly source_uri: string | null;
  readonly version: number;
  /** Of the original: a file, or the text where that is all there is. */
  readonly size_bytes: number;
  readonly sha256: string;
  readonly media_type: string;
  readonly in_files: boolean;
  /** The text came with the file, which is not read for it. */
  readonly text_ready: boolean;
  /** `synced` when a version answers. */
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
  /** Those asked about that hold it. */
  readonly folder_ids: readonly string[];
  /** UTF-16 indices into the text. */
  readonly pages: readonly PageSpan[];
  readonly headings: readonly HeadingSpan[];
  readonly times: readonly TimeSpan[];
}
export interface TextCopy {
  readonly units: number;
  readonly points: number;
  /** @throws TextGone */
  readonly readParts: () => AsyncGenerator<string>;
}
/** A document in a list of all that a user has. `created_at`: epoch ms. */
export interface OwnedDocument {
  readonly id: string;
  readonly name: string;
  readonly size_bytes: number;
  readonly status: DocumentStatus;
  readonly error_message: string | null;
  readonly created_at: number;
}
/** Where a document stands among those of a folder. */
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
  /**
   * The same for many; `pointer` names the field the ids came from. @throws HttpError 404 or 403.
   */
  requireAll(
    db: Db,
    owner_id: string,
    document_ids: readonly string[],
    pointer: string,
  ): Promise<void>;
  /** Names and versions by id; deleted documents are absent. */
  findNames(db: Db, document_ids: readonly string[]): Promise<Map<string, DocumentName>>;
  /**
   * Whether the text between `start` and `end` (code points) of the version that answers now is
   * still exactly `quote`. False when the document is gone.
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
   * Those of the quotes that the version that answers now has anywhere in its text; none when the
   * document is gone.
   */
  findQuotes(db: Db, document_id: string, quotes: readonly string[]): Promise<Set<string>>;
  /**
   * Where the code points `start` and `end` of this version's text are, with the pages and times of
   * the text, all as UTF-16 indices into it. Undefined when the version is gone.
   */
  findSpans(
    db: Db,
    place: {
      readonly document_id: string;
      readonly version: number;
      readonly start: number;
      readonly end: number;
    },
  ): Promise<
    | {
        readonly start: number;
        readonly end: number;
        readonly pages: readonly PageSpan[];
        readonly times: readonly TimeSpan[];
      }
    | undefined
  >;
  /** Labels by page, of the versions that answer. Documents without any are absent. */
  findPageLabels(db: Db, ids: readonly string[]): Promise<Map<string, ReadonlyMap<number, string>>>;
  /** The same for those that have a live link to one of the folders. */
  findLinked(
    db: Db,
    document_ids: readonly string[],
    folder_ids: readonly string[],
  ): Promise<Map<string, DocumentName>>;
  /**
   * Tells those that are synced and in the folder that is named with them, as of this moment.
   */
  findAnswering(
    db: Db,
    places: readonly DocumentInFolder[],
  ): Promise<(place: DocumentInFolder) => boolean>;
  /**
   * Takes the document out of the folder, restorably, inside the caller's transaction. Nothing
   * happens when it is not there, or another user's.
   */
  takeOut(tx: Db, owner_id: string, document_id: string, folder_id: string): Promise<void>;
  /** Some documents of these folders that answer, and how many there are, of very many some. */
  overview(db: Db, folder_ids: readonly string[], limits: OverviewLimits): Promise<Overview>;
  /**
   * Makes a document, or the next version of the one that is known, inside the caller's
   * transaction, and queues its indexing.
   * @throws HttpError 403, 404, 409 when an upload has the name, 507. The transaction must end
   * then: part of it may be written.
   */
  ingest(tx: Db, owner_id: string, request: IngestRequest): Promise<IngestResult>;
  /**
   * Asks those who fill `BeforeDocumentIntake`: outside a transaction, before `ingest` or
   * `insertCopy`. @throws HttpError of who refuses, 503 `check_failed` when that could not be found
   * out, the reason of the signal
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
   * What folders of the owner hold, whichever it is, after one of the owner's documents: the first
   * `limit`. @throws HttpError 404 or 403 on that document.
   */
  listOwned(
    db: Db,
    owner_id: string,
    page: { readonly after: string | null; readonly limit: number; readonly ascending: boolean },
  ): Promise<OwnedDocument[]>;
  /** Undefined when none of these folders has it any more. `text`: null until there is one. */
  findCopy(
    document_id: string,
    folder_ids: ReadonlySet<string>,
  ): Promise<{ readonly document: DocumentCopy; readonly text: TextCopy | null } | undefined>;
  /**
   * Writes a document into folders that are staged (`Folders.stage`) and charges no quota. The text
   * is stored, and `prepared` of it when it is `synced`; the original is as in `IngestRequest`.
   * `root_id`: the root of these folders.
   */
  insertCopy(
    tx: Db,
    owner_id: string,
    document: DocumentCopy,
    parts: {
      readonly root_id: string;
      readonly text: StoredText | null;
      readonly prepared: Prepared | null;
      readonly admitted: Admitted;
    },
  ): Promise<void>;
  /** Indexes the document again, whoever's it is; one that is gone stays as it is. */
  reindex(document_id: string): Promise<void>;
  /** Emits the events of copies that everybody finds now: created, and synced or failed. */
  announce(tx: Db, document_ids: readonly string[]): Promise<void>;
  /**
   * Deletes these originals where nothing uses them any more: once the surrounding transaction is
   * on disk, at once outside one.
   */
  removeFiles(sha256s: readonly string[]): void;
}
/** A folder whose documents are being read. */
export interface FolderAtWork {
  readonly folder_id: string;
  readonly owner_id: string;
  /** Documents that are not indexed yet. */
  readonly waiting: number;
  /** Documents that were read of late; null before there were two. */
  readonly per_minute: number | null;
}
export interface Intake {
  /** Those with the most to do first, fifty at most. */
  foldersAtWork(): Promise<FolderAtWork[]>;
}
export const Intake = service<Intake>("documents.intake");

export const Documents = service<Documents>("documents");

/** Those who keep something about documents. */
export interface DocumentUse {
  /**
   * Called inside a transaction that deletes documents for good; nobody finds them any more by
   * then. `false`: there is more than fits one transaction, call again in the next. So it may be
   * called several times for a document.
   */
  remove(tx: Db, document_ids: readonly string[]): Promise<boolean | void>;
  /**
   * Called inside the transaction that ends the indexing of a document. Must be quick: every
   * document passes here.
   */
  settled?(tx: Db, settled: PayloadOf<typeof DocumentSettled>): Promise<void>;
}
export const DocumentUses = slot<DocumentUse>("documents.uses", {
  check: shaped<DocumentUse>({ remove: "function", settled: "function?" }),
  otherwise: { settled: async () => undefined },
});

/** Asked before an original is deleted, by those who keep originals without a document. */
export interface FileUse {
  isUsed(db: Db, sha256: string): Promise<boolean>;
}
export const FileUses = slot<FileUse>("documents.file_uses", {
  check: shaped<FileUse>({ isUsed: "function" }),
  // What may be used is kept.
  otherwise: { isUsed: async () => true },
});

/** Indexing has ended, well or badly. */
export const DocumentSettled = event(
  "document.settled",
  t.Object({
    owner_id: t.String(),
    document_id: t.String(),
    version: t.Integer(),
    status: t.Union([t.Literal("synced"), t.Literal("sync_failed")]),
    /** Why it failed: the code and the sentence of the record. */
    error: t.Optional(t.Object({ code: t.String(), message: t.String() })),
  }),
);
