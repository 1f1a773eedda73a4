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
  /** The bytes, undefined when not stored. Read as needed: its `slice` reads only that range. */
  open(sha256: string): Promise<Blob | undefined>;
  /**
   * Calls `use` with a path where this machine can read the file, for as long as `use` runs. For
   * readers and programs that take a path.
   */
  withLocalFile<R>(sha256: string, use: (path: string) => Promise<R>): Promise<R>;
  /**
   * Deletes those that nobody uses. Call it after the commit that dropped the last use. Bytes being
   * uploaded again at this moment stay.
   */
  remove(sha256s: readonly string[], stillUsed: StillUsed): Promise<void>;
  /** The names of all files, some hundred at a time. */
  names(): AsyncIterable<readonly string[]>;
  /** The server stops: what is still arriving is refused with 503 and leaves nothing behind. */
  abortUploads(): void;
  /**
   * After a crash: deletes files that nobody uses and what uploads left behind, some hundred at a
   * time, with room for others in between. Returns how many files were deleted.
   */
  sweep(stillUsed: StillUsed, findUsed: FindUsed): Promise<number>;
}
