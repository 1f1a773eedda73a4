/**
 * The port to the original files: what the server asks of the place that keeps them. A file is
 * named by its SHA-256, so that the same bytes twice are one file.
 */

/** Bytes that arrived and are not kept yet. Every one must be released, kept or not. */
export interface ReceivedFile {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** Where this machine can read the bytes until `release`; another path after `keep`. */
  readonly path: string;
  /**
   * Stored for good when it returns, and safe from `remove` until `release`. Never inside a
   * transaction. @throws HttpError 507 or 503
   */
  keep(): Promise<void>;
  /**
   * The rows that use the bytes are committed, or never will be. Discards what was not kept.
   * Harmless when repeated.
   */
  release(): Promise<void>;
}

/**
 * The bytes of a file, read as they are needed. What lies on this machine is a `Blob`, which sends
 * itself; what lies elsewhere comes piece by piece: `piecesOf` reads both.
 */
export type StoredBytes = Blob | RemoteBytes;
/** Bytes of another machine, from `start` on. */
export interface RemoteBytes {
  readonly size: number;
  slice(start: number, end?: number): RemoteBytes;
  /** @throws HttpError 503 when they can't be read at the moment */
  pieces(): AsyncGenerator<Uint8Array, void>;
}

/** All of them, in pieces of about so many bytes. */
export async function* piecesOf(
  bytes: StoredBytes,
  piece_bytes = 2 ** 18,
): AsyncGenerator<Uint8Array, void> {
  if (!(bytes instanceof Blob)) return yield* bytes.pieces();
  for (let at = 0; at < bytes.size; at += piece_bytes)
    yield await bytes.slice(at, at + piece_bytes).bytes();
}

/** What a list of the files has of each. */
export interface ListedFile {
  readonly sha256: string;
  readonly size_bytes: number;
}

/** What the place of the files has done since the start. */
export interface FilesCounts {
  /** By kind (`put`, `get` …) and whether it went well. */
  readonly requests: readonly {
    readonly operation: string;
    readonly outcome: "ok" | "failed";
    readonly count: number;
  }[];
  readonly sent_bytes: number;
  readonly received_bytes: number;
  /** Of copies on this machine. */
  readonly cached_bytes: number;
}

/** Asks the database whether a row uses the file. */
export type StillUsed = (sha256: string) => Promise<boolean>;
/**
 * Those of these files that are used, asked in one go. `StillUsed` is asked about each of the rest
 * before it is deleted.
 */
export type FindUsed = (sha256s: readonly string[]) => Promise<ReadonlySet<string>>;

export interface Files {
  /**
   * Reads to the end, hashing; memory does not grow with the size. @throws HttpError 413 above the
   * limit, 507 or 503 when the storage fails; nothing stays behind then.
   */
  receive(
    bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    limits: { readonly bytes_max: number },
  ): Promise<ReceivedFile>;
  /**
   * Asked before much is written, to the database too: the space that is left then is for
   * deletions. @throws HttpError 507
   */
  requireFreeSpace(): void;
  /**
   * The bytes, undefined when not stored. Read as needed: its `slice` reads only that range.
   * @throws HttpError 503 when the place of the files does not answer
   */
  open(sha256: string): Promise<StoredBytes | undefined>;
  /**
   * Calls `use` with a path where this machine can read the file, for as long as `use` runs. For
   * readers and programs that take a path. @throws HttpError 503
   */
  withLocalFile<R>(sha256: string, use: (path: string) => Promise<R>): Promise<R>;
  /**
   * Deletes those that nobody uses, at once or after a grace period. Call it after the commit that
   * dropped the last use. Bytes being uploaded again at this moment stay. Answers in how many
   * milliseconds `deleteDue` has something to do, null when it has not.
   */
  remove(sha256s: readonly string[], stillUsed: StillUsed): Promise<number | null>;
  /**
   * Deletes those whose grace period is over. Answers in how many milliseconds the next one is due,
   * null when none waits.
   */
  deleteDue(stillUsed: StillUsed): Promise<number | null>;
  /** All files in the order of their names, some hundred at a time. */
  list(): AsyncIterable<readonly ListedFile[]>;
  /** The server stops: what is still arriving is refused with 503 and leaves nothing behind. */
  abortUploads(): void;
  /**
   * After a crash: deletes files that nobody uses and what uploads left behind, some hundred at a
   * time, with room for others in between. Returns how many files were deleted. Files elsewhere are
   * not listed for that at every start: `deleteDue` finds those of uploads that were cut off.
   */
  sweep(stillUsed: StillUsed, findUsed: FindUsed): Promise<number>;
  /** Where they lie, for people: `s3://bucket/prefix at host`. Null: in the data directory. */
  readonly place: string | null;
  /**
   * Of these, which nobody uses, those that are left over: no upload holds on to them, and they are
   * not to be deleted.
   */
  leftOver(sha256s: readonly string[]): Promise<readonly string[]>;
  /** Stores, reads and deletes something. @throws Error that says what is wrong with the place */
  check(): Promise<void>;
  /** Why files can't be stored or read; null when all is well. Takes 2 s at most. */
  failure(): Promise<string | null>;
  /** Null where they lie in the data directory. */
  counts(): FilesCounts | null;
}
