/**
 * A file that only occupies space on the disk. It is deleted when the disk is full, because even
 * deleting needs some space to work.
 */
import { rmSync, statfsSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorFields, type Log } from "../base/log";
import { storageFull } from "./storage-errors";

const bytes_max = 16 * 2 ** 20;
/** On a small disk the reserve is one twentieth of it. */
const share_of_disk = 20;
/**
 * The reserve is written only where this many times its size is free; what grows, such as uploads,
 * leaves twice its size free.
 */
const margin = 3;
const check_again_ms = 1_000;
/** The most that the random generator fills at once. */
const block_bytes = 65_536;
/** Below this not even the files that SQLite keeps beside a database can be made. */
const sqlite_bytes_min = 2 ** 20;

const reservePath = (database_path: string): string => `${database_path}.ballast`;

/**
 * What is free on the file system that holds `path`, and how large the reserve is there, bytes.
 * Unknown counts as endless.
 */
export function freeSpace(path: string): {
  readonly free_bytes: number;
  readonly reserve_bytes: number;
} {
  try {
    const { bavail, blocks, bsize } = statfsSync(path);
    return {
      free_bytes: bavail * bsize,
      reserve_bytes: Math.min(bytes_max, Math.floor((blocks * bsize) / share_of_disk)),
    };
  } catch {
    return { free_bytes: Infinity, reserve_bytes: 0 };
  }
}

/**
 * Opens files beside the database `path`; on a full disk a second time, after deleting the reserve.
 * @throws Error in plain words when the disk is still full.
 */
export function openUsingReserve<R>(path: string, open: () => R): R {
  const directory = dirname(path);
  const isFull = () => freeSpace(directory).free_bytes < sqlite_bytes_min;
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
      ? new Error(`the disk that holds ${directory} is full. Free some space on it and try again`, {
          cause: error,
        })
      : error;
  }
}

/**
 * What grows leaves space for the database: without any, not even a deletion works. @throws
 * HttpError 507
 */
export function requireFreeSpace(directory: string): void {
  const { free_bytes, reserve_bytes } = freeSpace(directory);
  if (free_bytes < 2 * reserve_bytes) throw storageFull();
}

/** The reserve of one database; the file lies beside it. */
export class ReserveFile {
  readonly #file: string;
  readonly #directory: string;
  /** The disk was full, and the file has not been written since. */
  #released: boolean;
  #restoring: Promise<void> | undefined;
  #checked_at_ms = -Infinity;

  constructor(
    database_path: string,
    private readonly log: Log,
  ) {
    this.#file = reservePath(database_path);
    this.#directory = dirname(database_path);
    const { free_bytes, reserve_bytes } = freeSpace(this.#directory);
    this.#released = free_bytes < reserve_bytes && this.#size() === undefined;
  }

  /** The disk is full: deletes the file. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    rmSync(this.#file, { force: true });
    this.log.error("the disk is full: uploads are refused until there is room again", {
      directory: this.#directory,
    });
  }

  /** True from the time the disk was full until the file fits again. */
  isDiskFull(): boolean {
    if (this.#released && performance.now() - this.#checked_at_ms > check_again_ms) {
      this.#checked_at_ms = performance.now();
      void this.restore();
    }
    return this.#released;
  }

  /** Writes the file where it is missing and fits. Never throws. */
  restore(): Promise<void> {
    return (this.#restoring ??= this.#write()
      .catch((error: unknown) =>
        this.log.warn("no room could be set aside for a full disk", errorFields(error)),
      )
      .finally(() => {
        this.#restoring = undefined;
      }));
  }

  /** Waits for a `restore` that is under way. */
  async settled(): Promise<void> {
    await this.#restoring;
  }

  async #write(): Promise<void> {
    if (this.#size() === undefined) {
      const { free_bytes, reserve_bytes } = freeSpace(this.#directory);
      if (free_bytes < margin * reserve_bytes) return;
      await fill(this.#file, reserve_bytes);
    }
    if (this.#released) this.log.info("there is room on the disk again");
    this.#released = false;
  }

  #size(): number | undefined {
    return statSync(this.#file, { throwIfNoEntry: false })?.size;
  }
}

/** Writes real blocks, not a hole, under a temporary name first. */
async function fill(path: string, size_bytes: number): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    const file = await open(unfinished, "w");
    try {
      // Random, so that a file system that compresses does not make it small.
      for (let left = size_bytes; left > 0; left -= block_bytes)
        await file.write(crypto.getRandomValues(new Uint8Array(Math.min(left, block_bytes))));
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
