/** What other plugins may know about imports: how to add a kind of source. */
import {
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
   * Where it comes from: the next import recognises it by this. An address that is listed twice is
   * one item. An http or https address is fetched, unless the source reads its items itself.
   */
  readonly uri: string;
  /** What to call the document, when the item itself does not say. */
  readonly name?: string;
  /**
   * A subfolder of the run's folder, made when it is not there; ignored when that folder is a
   * subfolder itself.
   */
  readonly folder?: string;
  /** For `read`: where the source finds it. */
  readonly locator?: string;
  /**
   * Its entity tag: any text that changes whenever the content does, such as an ETag, a version or
   * a change time. While it is the one of the last run that brought the item, the item is neither
   * read nor fetched: it counts as unchanged. `overwrite` brings it all the same.
   */
  readonly etag?: string;
  /**
   * It was listed before, and is there no longer. What becomes of its document is a setting of the
   * import (`gone`). Nothing happens when this source has never brought it.
   */
  readonly gone?: boolean;
  /** It can't be imported: it fails at once, with this sentence. */
  readonly error?: string;
}

/** Whose import it is. */
export interface ImportOwner {
  readonly id: string;
  readonly email: string;
}

/** A file that was fetched; it lies on disk. */
export interface FetchedFile {
  /** Where it came from in the end, after redirects. */
  readonly url: string;
  readonly path: string;
  readonly size_bytes: number;
  /** What the server says it is, lower case and without parameters, or null. */
  readonly media_type: string | null;
  /** All of it, as UTF-8. */
  text(): Promise<string>;
  /** Deletes it. Files that were not released are deleted at the end of the listing. */
  release(): Promise<void>;
}
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
  /** The longest answer. Default: the largest file that can be uploaded. */
  readonly bytes_max?: number;
}
/** Read it once, or release it. What was not released is ended with the tools. */
export interface SourceAnswer {
  readonly status: number;
  readonly headers: Headers;
  /**
   * Unpacked. @throws SourceFailure when it is longer than `bytes_max` (default: that of the
   * request), breaks off or takes too long
   */
  bytes(bytes_max?: number): AsyncIterable<Uint8Array>;
  /** All of it, as UTF-8. @throws SourceFailure as above */
  text(bytes_max?: number): Promise<string>;
  /** The rest is not wanted. */
  release(): Promise<void>;
}
/**
 * What the server does for a source. Only public addresses are connected to, and those that the
 * operator allows; there are delays between requests to one host.
 */
export interface SourceTools {
  /** Whose import it is: the documents are theirs. */
  readonly owner: ImportOwner;
  /** Fires when the run is cancelled, at the time limit and at shutdown. */
  readonly signal: AbortSignal;
  /** Directory for temporary files. */
  readonly temporary: string;
  readonly upload_bytes_max: number;
  /** How long a fetch, or a request, may take. */
  readonly timeout_ms: number;
  /** @throws SourceFailure */
  fetch(url: string, options?: FetchOptions): Promise<FetchedFile>;
  /**
   * The file at this address, fetched when the run first asks for it and kept until the run ends.
   * One per run. @throws SourceFailure
   */
  fetchOnce(url: string): Promise<FetchedFile>;
  /**
   * One request to a service that the user has an account with: whatever its answer is, within the
   * time limit of a fetch. There is no robots.txt, no delay, and no redirect is followed, so that
   * no password goes elsewhere. @throws SourceFailure, also when the service wants to be asked
   * later (429, 503): then an item is read again later.
   */
  request(url: string, request?: SourceRequest): Promise<SourceAnswer>;
  /**
   * For protocols other than HTTP: the addresses of a host that may be connected to, none other.
   * @throws SourceFailure when there are none
   */
  resolve(host: string): Promise<readonly string[]>;
  /**
   * Runs `work` when these tools have done their work, at the end of the listing or after some
   * items: a connection that items share is closed there.
   */
  atEnd(work: () => Promise<void>): void;
  /**
   * For `items`, at its end: everything that there is has been listed, so what an earlier run
   * listed and this one did not is gone. Not to be called when a part could not be looked into.
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

/** What an item is made of. */
export interface ItemContent {
  readonly name: string;
  /** As declared, or null. */
  readonly media_type: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Called when the bytes have been read, or are not needed. */
  readonly release?: () => Promise<void>;
}

/**
 * A kind of source. `S` is what `schema` describes. Its functions are methods, so that a list may
 * hold sources of every kind.
 */
export interface ImportSource<S = unknown> {
  /** The value of `source.type`. */
  readonly type: string;
  /** What this kind of source is, in a sentence, for the API document. */
  readonly description: string;
  /**
   * The fields of `source` beside `type`. A field that is a `Secret()`, here or in an object in
   * here, such as a password, is taken in and given to the functions below as it is; it is kept
   * only sealed, for the run and for the runs of a schedule, and never shown: answers have
   * `{"set": true}` in its place.
   */
  readonly schema: TObject;
  /**
   * Whether this server takes it at all, as it is set up; default true. What it does not take is
   * not in the API document.
   */
  readonly offered?: boolean;
  /** Refuses at once what can't be imported. @throws HttpError 400 */
  check?(source: S, tools: Pick<SourceTools, "owner">): Promise<void>;
  /**
   * Lists the items. After a crash it is called again: items that are known already count once.
   * @throws SourceFailure when the source can't be read
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
export const ImportSources = slot<ImportSource>("imports.sources", {
  check: (value) => shapeOfSource(value) ?? misplacedSecret((value as ImportSource).schema),
  key: ({ type }) => `the source ${type}`,
});

/**
 * The addresses that a URL of a user may lead to, wherever it is given: public ones, and those of
 * `imports.allow_networks`.
 */
export const FetchPolicy = service<AddressPolicy>("imports.fetch_policy");

/**
 * A run has ended: emitted in the transaction that ends it. Not of one that was cancelled, nor of
 * files that a device has sent.
 */
export const ImportEnded = event(
  "import.ended",
  t.Object({
    owner_id: t.String(),
    import_id: t.String(),
    folder_id: t.String(),
    status: t.Union([
      t.Literal("completed"),
      t.Literal("completed_with_errors"),
      t.Literal("failed"),
    ]),
    /** Items. */
    succeeded: t.Integer(),
    failed: t.Integer(),
    /** Why the source could not be read, or not to its end; null when it was. */
    error: t.Union([t.String(), t.Null()]),
  }),
);

/**
 * A run has begun, has come further or has ended: how it is now. Of every run, cancelled ones and
 * files of a device too.
 */
export const ImportChanged = event(
  "import.changed",
  t.Object({
    owner_id: t.String(),
    import_id: t.String(),
    folder_id: t.String(),
    status: t.Union([
      t.Literal("pending"),
      t.Literal("running"),
      t.Literal("completed"),
      t.Literal("completed_with_errors"),
      t.Literal("failed"),
      t.Literal("cancelled"),
    ]),
    /** Items that are known so far, and how many of them have ended. */
    total: t.Integer(),
    succeeded: t.Integer(),
    failed: t.Integer(),
  }),
);
