/**
 * The port to a place of original files that several processes share: a bucket, or a directory of a
 * network volume. Whoever asks it to delete has made sure that nobody uses the file.
 */
import type { FilesCounts, ListedFile, StoredBytes } from "../files";

export interface ObjectPlace {
  /** For people: `s3://bucket/prefix at host`. */
  readonly words: string;
  /** The longest that one request may take. */
  readonly timeout_ms: number;
  /** All of the file at the path, or nothing; harmless when it is there. @throws FilesFault */
  put(path: string, file: ListedFile): Promise<void>;
  /** Undefined when it is not there. @throws FilesFault */
  size(sha256: string): Promise<number | undefined>;
  /** @throws FilesFault */
  open(sha256: string): Promise<StoredBytes | undefined>;
  /** Nothing happens when it is not there. @throws FilesFault */
  remove(sha256: string): Promise<void>;
  /** As `Files.list`. @throws FilesFault */
  list(): AsyncGenerator<ListedFile[]>;
  /** Where this machine can read the file by its path, if it can. */
  localPath(sha256: string): string | undefined;
  /** Writes, reads and deletes something. @throws FilesFault that says what is wrong */
  probe(): Promise<void>;
  /** One cheap question. @throws FilesFault */
  ping(): Promise<void>;
  counts(): Omit<FilesCounts, "cached_bytes">;
}

/**
 * The place does not answer (`FILES_UNREACHABLE`), or an administrator must do something
 * (`FILES_REFUSED`). The message is a sentence for them; users get a 503.
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
