/**
 * The port to the original files. A file is identified by its SHA-256, so that identical bytes are
 * stored once.
 */

/** Received bytes that are not kept yet. They must be released, whether kept or not. */
export interface ReceivedFile {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** Where the bytes can be read on this machine until `release`; changes with `keep`. */
  readonly path: string;
  /**
   * Stores the bytes permanently, and protects them from `remove` until `release`. Never call it
   * inside a transaction. @throws HttpError 507 or 503
   */
  keep(): Promise<void>;
  /**
   * Call it when the rows that use the bytes are committed, or never will be. Discards bytes that
   * were not kept. May be called repeatedly.
   */
  release(): Promise<void>;
}

/**
 * The bytes of a file, read on demand. A file on this machine is a `Blob`, which can be sent as it
 * is; a remote one comes piece by piece: `piecesOf` reads both.
 */
export type StoredBytes = Blob | RemoteBytes;
/** Remote bytes, from `start` on. */
export interface RemoteBytes {
  readonly size: number;
  slice(start: number, end?: number): RemoteBytes;
  /** @throws HttpError 503 when they can't be read at the moment */
  pieces(): AsyncGenerator<Uint8Array, void>;
}

const piece_bytes = 2 ** 18;

/** All bytes, in pieces of about 256 KiB. */
export async function* piecesOf(bytes: StoredBytes): AsyncGenerator<Uint8Array, void> {
  if (!(bytes instanceof Blob)) return yield* bytes.pieces();
  for (let at = 0; at < bytes.size; at += piece_bytes)
    yield await bytes.slice(at, at + piece_bytes).bytes();
}

/**
 * Whether these are the bytes that have given the file its name: reads all of them. `between` is
 * awaited after each piece.
 */
export async function isWhole(
  bytes: StoredBytes,
  sha256: string,
  between?: (piece_bytes: number) => Promise<void>,
): Promise<boolean> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of piecesOf(bytes)) {
    hash.update(piece);
    await between?.(piece.length);
  }
  return hash.digest("hex") === sha256;
}

/** A file in a listing. */
export interface ListedFile {
  readonly sha256: string;
  readonly size_bytes: number;
}

/** The same with the time when it was stored, epoch ms. */
export interface StoredFile extends ListedFile {
  readonly stored_at: number;
}

/** Counters since the start. */
export interface FilesCounts {
  /** By kind (`put`, `get` …) and success. */
  readonly requests: readonly {
    readonly operation: string;
    readonly outcome: "ok" | "failed";
    readonly count: number;
  }[];
  readonly sent_bytes: number;
  readonly received_bytes: number;
  /** Bytes of copies on this machine. */
  readonly cached_bytes: number;
}

/** Queries the database whether a row uses the file. */
export type StillUsed = (sha256: string) => Promise<boolean>;
/**
 * Returns the used ones among these files, in one query. `StillUsed` is called for each other one
 * before it is deleted.
 */
export type FindUsed = (sha256s: readonly string[]) => Promise<ReadonlySet<string>>;

/** How a file is received. */
export interface ReceiveFileOptions {
  readonly bytes_max: number;
  /** Called with each chunk when its bytes have been copied: it may be reused or freed. */
  readonly onCopied?: (chunk: Uint8Array) => void;
}

/**
 * The port itself: implemented by `FileStore` (a directory) and `SharedFiles` (shared by several
 * processes).
 */
export interface Files {
  /**
   * Reads to the end and hashes; memory does not grow with the size. @throws HttpError 413 above
   * the limit, 507 or 503 when the storage fails; nothing stays behind then.
   */
  receive(
    bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    options: ReceiveFileOptions,
  ): Promise<ReceivedFile>;
  /**
   * Call it before writing much, also to the database: the space that is left otherwise is reserved
   * for deletions. @throws HttpError 507
   */
  requireFreeSpace(): void;
  /**
   * The bytes; undefined when not stored. Read on demand: its `slice` reads only that range.
   * @throws HttpError 503 when the place of the files does not respond
   */
  open(sha256: string): Promise<StoredBytes | undefined>;
  /**
   * Calls `use` with a path where this machine can read the file, valid while `use` runs. For
   * readers and programs that take a path. @throws HttpError 503
   */
  withLocalFile<R>(sha256: string, use: (path: string) => Promise<R>): Promise<R>;
  /**
   * Deletes the unused ones among these files, at once or after a grace period. Call it after the
   * commit that dropped the last use. Bytes being uploaded again at the moment stay. Returns the
   * milliseconds until `deleteDue` has work, null when it has none.
   */
  remove(sha256s: readonly string[], stillUsed: StillUsed): Promise<number | null>;
  /**
   * Deletes files whose grace period is over. Returns the milliseconds until the next one is due,
   * null when none is.
   */
  deleteDue(stillUsed: StillUsed): Promise<number | null>;
  /** All files sorted by name, a few hundred at a time. */
  list(): AsyncIterable<readonly StoredFile[]>;
  /** The server is stopping: uploads in progress are refused with 503 and leave nothing behind. */
  abortUploads(): void;
  /**
   * After a crash: deletes unused files and leftovers of uploads, a few hundred at a time, with
   * pauses in between. Returns how many files were deleted. Remote files are not listed for this at
   * every start: `deleteDue` finds those of interrupted uploads. Files stored before `since_ms`
   * stay.
   */
  sweep(stillUsed: StillUsed, findUsed: FindUsed, since_ms?: number): Promise<number>;
  /** The location, for people: `s3://bucket/prefix at host`. Null: in the data directory. */
  readonly place: string | null;
  /**
   * Of these unused files, those that nothing will delete: no upload holds them, and they are not
   * scheduled for deletion.
   */
  findLeftOver(sha256s: readonly string[]): Promise<readonly string[]>;
  /** Stores, reads and deletes something. @throws Error that says what is wrong with the place */
  check(): Promise<void>;
  /** Why files can't be stored or read; null when all is well. Takes at most 2 s. */
  failure(): Promise<string | null>;
  /** Null for files in the data directory. */
  counts(): FilesCounts | null;
}
