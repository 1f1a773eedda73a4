/**
 * A file that only occupies disk space. It is deleted when a deletion finds the disk full, because
 * even deleting needs some space.
 */
import { rmSync, statSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { errorFields, type Log } from "../base/log";
import { freeSpaceOf, type FreeSpace } from "./free-space";

/** The whole reserve is written when this many times the missing size is free. */
const margin = 1.25;
/** Released first; the rest only when more is needed. */
const part_bytes = 2 ** 20;
/** Longer than what any file system compresses at once. */
const block_bytes = 2 ** 20;
/** The most that the random generator fills at once. */
const random_bytes_max = 65_536;
/** Below this not even SQLite's auxiliary files can be created. */
const sqlite_bytes_min = 2 ** 20;

const reservePath = (database_path: string): string => `${database_path}.ballast`;

/**
 * Opens files beside the database `path`; on a full disk once more after deleting the reserve.
 * @throws Error in plain words when the disk is still full.
 */
export function openUsingReserve<R>(path: string, open: () => R): R {
  const directory = dirname(path);
  const isFull = () => freeSpaceOf(directory).free_bytes < sqlite_bytes_min;
  try {
    return open();
  } catch (error) {
    if (!isFull()) throw error;
    rmSync(reservePath(path), { force: true });
  }
  try {
    return open();
  } catch (error) {
    throw isFull()
      ? new Error(`the disk of ${directory} is full. Free some space on it and try again`, {
          cause: error,
        })
      : error;
  }
}

/** Where the reserve is, and how free space is measured. */
export interface ReserveFileOptions {
  readonly path: string;
  readonly log: Log;
  readonly freeSpace: (path: string) => FreeSpace;
}

/** The reserve of one database; the file is beside it. */
export class ReserveFile {
  private readonly file: string;
  private readonly directory: string;
  private restoring: Promise<void> | undefined;
  private released_bytes = 0;

  /** `path`: of the database. */
  constructor(private readonly options: ReserveFileOptions) {
    this.file = reservePath(options.path);
    this.directory = dirname(options.path);
    // An earlier run may have released it; the free space is not only for this server.
    if (this.size_bytes === 0) {
      const { free_bytes } = options.freeSpace(this.directory);
      if (Number.isFinite(free_bytes)) this.released_bytes = Math.floor(free_bytes / 2);
    }
  }

  /** Its current size; less than the whole reserve when that does not fit. */
  get size_bytes(): number {
    return statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Releases a part of it, or all. False when there was nothing. */
  release(amount: "part" | "all"): boolean {
    const { size_bytes } = this;
    if (size_bytes === 0) return false;
    const kept_bytes = amount === "part" ? Math.max(0, size_bytes - part_bytes) : 0;
    if (kept_bytes > 0) truncateSync(this.file, kept_bytes);
    else rmSync(this.file, { force: true });
    this.released_bytes += size_bytes - kept_bytes;
    return true;
  }

  /** Lets the file grow back to its size, as far as there is space. Never throws. */
  restore(): Promise<void> {
    return (this.restoring ??= this.grow()
      .catch((error: unknown) =>
        this.options.log.warn(
          "no space could be reserved for deletions on a full disk",
          errorFields(error),
        ),
      )
      .finally(() => {
        this.restoring = undefined;
      }));
  }

  /** Waits for a `restore` in progress. */
  async settled(): Promise<void> {
    await this.restoring;
  }

  private async grow(): Promise<void> {
    const { free_bytes, reserve_bytes } = this.options.freeSpace(this.directory);
    const missing_bytes = reserve_bytes - this.size_bytes;
    // With little free space, at least what was released is taken back.
    const more_bytes =
      free_bytes >= margin * missing_bytes
        ? missing_bytes
        : Math.min(missing_bytes, this.released_bytes, free_bytes);
    if (more_bytes <= 0) return;
    this.released_bytes = Math.max(0, this.released_bytes - more_bytes);
    // Real blocks, not a hole; and random, because a file system could compress them otherwise.
    const block = randomBytes(Math.min(block_bytes, more_bytes));
    await using file = await open(this.file, "a");
    for (let remaining_bytes = more_bytes; remaining_bytes > 0; remaining_bytes -= block.length)
      await file.write(block, 0, Math.min(remaining_bytes, block.length));
  }
}

function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += random_bytes_max)
    crypto.getRandomValues(bytes.subarray(at, at + random_bytes_max));
  return bytes;
}
