/** What other plugins may know about imports: how to add a kind of source. */
import {
  OneOf,
  event,
  misplacedSecret,
  service,
  shaped,
  slot,
  t,
  type AddressPolicy,
  type TObject,
} from "../../core/sdk";

/** One thing to import. */
export interface SourceItem {
  /**
   * Identifies the item in later imports. An address that is listed twice is one item. An http or
   * https address is fetched, unless the source reads its items itself.
   */
  readonly uri: string;
  /** A name for the document, when the item itself has none. */
  readonly name?: string;
  /**
   * A subfolder of the run's folder, created when it is missing; ignored when that folder is a
   * subfolder itself.
   */
  readonly folder?: string;
  /** For `read`: tells the source where to find it. */
  readonly locator?: string;
  /**
   * Its entity tag: any text that changes whenever the content does, such as an ETag, a version or
   * a modification time. If it equals that of the last run that imported the item, the item is
   * neither read nor fetched: it counts as unchanged. `overwrite` imports it nevertheless.
   */
  readonly etag?: string;
  /**
   * It was listed before and no longer exists. The import's setting `gone` decides what becomes of
   * its document. Does nothing when this source has never imported it.
   */
  readonly gone?: boolean;
  /** It can't be imported: it fails at once, with this sentence. */
  readonly error?: string;
}

/** The owner of the import. */
export interface ImportOwner {
  readonly id: string;
  readonly email: string;
}

/** A fetched file on the disk. */
export interface FetchedFile {
  /** The final address, after redirects. */
  readonly url: string;
  readonly path: string;
  readonly size_bytes: number;
  /** As declared by the server, lower case and without parameters, or null. */
  readonly media_type: string | null;
  /** All of it, as UTF-8. */
  text(): Promise<string>;
  /** Deletes it. Files that were not released are deleted at the end of the listing. */
  release(): Promise<void>;
}
/** Options of a download for a source. */
export interface FetchOptions {
  /** Default: the largest file that can be uploaded. */
  readonly bytes_max?: number;
  /** Whether the host's robots.txt is obeyed. Default true. */
  readonly robots?: boolean;
}
/** A request of a source to a service, such as a WebDAV server. */
export interface SourceRequest {
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The maximum size of the response. Default: the largest file that can be uploaded. */
  readonly bytes_max?: number;
}
/** Read it once, or release it. Unreleased responses are closed with the tools. */
export interface SourceAnswer {
  readonly status: number;
  readonly headers: Headers;
  /**
   * Decompressed. @throws SourceFailure when it is longer than `bytes_max` (default: that of the
   * request), breaks off or takes too long
   */
  bytes(bytes_max?: number): AsyncIterable<Uint8Array>;
  /** All of it, as UTF-8. @throws SourceFailure as above */
  text(bytes_max?: number): Promise<string>;
  /** Discards the rest. */
  release(): Promise<void>;
}
/**
 * The server's services for a source. It only connects to public addresses, and to those allowed by
 * the operator; there are delays between requests to one host.
 */
export interface SourceTools {
  /** The owner of the import and of its documents. */
  readonly owner: ImportOwner;
  /** Fires when the run is cancelled, at the time limit and at shutdown. */
  readonly signal: AbortSignal;
  /** Directory for temporary files. */
  readonly temporary: string;
  readonly upload_bytes_max: number;
  /** The time limit for a fetch or a request. */
  readonly timeout_ms: number;
  /** @throws SourceFailure */
  fetch(url: string, options?: FetchOptions): Promise<FetchedFile>;
  /**
   * The file at this address, fetched when the run first needs it and kept until the run ends. One
   * per run. @throws SourceFailure
   */
  fetchOnce(url: string): Promise<FetchedFile>;
  /**
   * One request to a service on which the user has an account: any response is returned, within the
   * time limit of a fetch. robots.txt and delays don't apply, and no redirect is followed, so that
   * no password goes elsewhere. @throws SourceFailure, also when the service asks to be contacted
   * later (429, 503): then an item is read again later.
   */
  request(url: string, request?: SourceRequest): Promise<SourceAnswer>;
  /**
   * For protocols other than HTTP: the addresses of a host to which connections are allowed.
   * @throws SourceFailure when there are none
   */
  resolve(host: string): Promise<readonly string[]>;
  /**
   * Runs `work` when these tools are closed, at the end of the listing or after some items: a
   * connection shared by items is closed there.
   */
  atEnd(work: () => Promise<void>): void;
  /**
   * Call it at the end of `items`: everything has been listed, so what an earlier run listed and
   * this one did not is gone. Don't call it when a part could not be read.
   */
  listingComplete(): void;
}
/**
 * Why a source or an item can't be read: a sentence for the person who started the import, and a
 * code for programs.
 */
export class SourceFailure extends Error {
  override readonly name: string = "SourceFailure";
  constructor(
    message: string,
    readonly code = "unreadable",
  ) {
    super(message);
  }
}

/** The content of an item. */
export interface ItemContent {
  readonly name: string;
  /** As declared, or null. */
  readonly media_type: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Called when the bytes have been read, or are not needed. */
  readonly release?: () => Promise<void>;
}

/**
 * A kind of source. `S` is the type described by `schema`. Its functions are methods, so that a
 * list may contain sources of every kind.
 */
export interface ImportSource<S = unknown> {
  /** The value of `source.type`. */
  readonly type: string;
  /** A sentence about this kind of source, for the API document. */
  readonly description: string;
  /**
   * The fields of `source` besides `type`. A field that is a `Secret()`, here or in a nested
   * object, such as a password, is passed unchanged to the functions below; it is stored only
   * sealed, for the run and for the runs of a schedule, and never shown: responses have `{"set":
   * true}` in its place.
   */
  readonly schema: TObject;
  /**
   * Whether this server accepts it, as configured; default true. If not, it is not in the API
   * document.
   */
  readonly offered?: boolean;
  /** Rejects at once what can't be imported. @throws HttpError 400 */
  check?(source: S, tools: Pick<SourceTools, "owner">): Promise<void>;
  /**
   * Lists the items. Called again after a crash: known items are counted once. @throws
   * SourceFailure when the source can't be read
   */
  items(source: S, tools: SourceTools): AsyncIterable<SourceItem>;
  /** Reads an item; without it, items are fetched from their address. @throws SourceFailure */
  read?(
    item: Pick<SourceItem, "uri" | "name" | "locator">,
    source: S,
    tools: SourceTools,
  ): Promise<ItemContent>;
}
const shapeOfSource = shaped<ImportSource>({
  type: "text",
  description: "text",
  schema: "object",
  check: "function?",
  items: "function",
  read: "function?",
});
/** The kinds of sources that can be imported. */
export const ImportSources = slot<ImportSource>("imports.sources", {
  check: (value) => shapeOfSource(value) ?? misplacedSecret((value as ImportSource).schema),
  key: ({ type }) => `the source ${type}`,
});

/**
 * The address policy for user-supplied URLs, wherever they are given: public addresses, and those
 * of `imports.allow_networks`.
 */
export const FetchPolicy = service<AddressPolicy>("imports.fetch_policy");

/**
 * A run has ended: emitted in the transaction that ends it. Not for cancelled runs, nor for files
 * sent from a device.
 */
export const ImportEnded = event(
  "import.ended",
  t.Object({
    owner_id: t.String(),
    import_id: t.String(),
    folder_id: t.String(),
    status: OneOf(["completed", "completed_with_errors", "failed"]),
    /** Items. */
    succeeded: t.Integer(),
    failed: t.Integer(),
    /** Why the source could not be read, or not completely; null when it was. */
    error: t.Union([t.String(), t.Null()]),
  }),
);

/**
 * A run has started, progressed or ended: its current state. For every run, including cancelled
 * ones and files from a device.
 */
export const ImportChanged = event(
  "import.changed",
  t.Object({
    owner_id: t.String(),
    import_id: t.String(),
    folder_id: t.String(),
    status: OneOf([
      "pending",
      "running",
      "completed",
      "completed_with_errors",
      "failed",
      "cancelled",
    ]),
    /** Items known so far, and how many of them have ended. */
    total: t.Integer(),
    succeeded: t.Integer(),
    failed: t.Integer(),
  }),
);
