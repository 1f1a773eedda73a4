/**
 * The port to a place of original files shared by several processes: a bucket, or a directory on a
 * network volume. The caller of `remove` has made sure that nobody uses the file.
 */
import type { FilesCounts, ListedFile, StoredBytes, StoredFile } from "../files";

/** Stores files under their SHA-256. Methods may be called at the same time. */
export interface ObjectPlace {
  /** For people: `s3://bucket/prefix at host`. */
  readonly display_name: string;
  /** The time limit for one request. */
  readonly timeout_ms: number;
  /**
   * Stores the whole file at the path, or nothing; existing files are unharmed. @throws FilesFault
   */
  put(path: string, file: ListedFile): Promise<void>;
  /** Undefined when it does not exist. @throws FilesFault */
  size(sha256: string): Promise<number | undefined>;
  /** @throws FilesFault */
  open(sha256: string): Promise<StoredBytes | undefined>;
  /**
   * Does nothing when it does not exist. A request that failed is repeated only while
   * `mayRepeat()`. @throws FilesFault
   */
  remove(sha256: string, mayRepeat: () => boolean): Promise<void>;
  /** See `Files.list`. @throws FilesFault */
  list(): AsyncGenerator<StoredFile[]>;
  /** The path at which this machine can read the file, if any. */
  localPath(sha256: string): string | undefined;
  /** Writes, reads and deletes something. @throws FilesFault that says what is wrong */
  probe(): Promise<void>;
  /** One cheap request. @throws FilesFault */
  ping(): Promise<void>;
  counts(): Omit<FilesCounts, "cached_bytes">;
}

/**
 * The place does not respond (`FILES_UNREACHABLE`), or an administrator must act (`FILES_REFUSED`).
 * The message is a sentence for them; users get a 503.
 */
export class FilesFault extends Error {
  override readonly name = "FilesFault";
  constructor(
    readonly code: "FILES_UNREACHABLE" | "FILES_REFUSED",
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
