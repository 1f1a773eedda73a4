/**
 * A file that only occupies space on the disk. It is deleted when a deletion finds the disk full,
 * because even deleting needs some space to work.
 */
import { rmSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorFields, type Log } from "../base/log";
import { freeSpaceOf, type FreeSpace } from "./free-space";

/** The file is written where this many times its size is free. */
const margin = 1.25;
/** The most that the random generator fills at once. */
const block_bytes = 65_536;
/** Below this not even the files that SQLite keeps beside a database can be made. */
const sqlite_bytes_min = 2 ** 20;

const reservePath = (database_path: string): string => `${database_path}.ballast`;

/**
 * Opens files beside the database `path`; on a full disk a second time, after deleting the reserve.
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
      ? new Error(`the disk that holds ${directory} is full. Free some space on it and try again`, {
          cause: error,
        })
      : error;
  }
}

export interface ReserveFileOptions {
  readonly path: string;
  readonly log: Log;
  readonly freeSpace: (path: string) => FreeSpace;
}

/** The reserve of one database; the file lies beside it. */
export class ReserveFile {
  readonly #file: string;
  readonly #directory: string;
  #restoring: Promise<void> | undefined;

  /** `path`: of the database. */
  constructor(private readonly options: ReserveFileOptions) {
    this.#file = reservePath(options.path);
    this.#directory = dirname(options.path);
  }

  get exists(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false }) !== undefined;
  }

  /** Deletes the file. False when it was not there. */
  release(): boolean {
    const existed = this.exists;
    rmSync(this.#file, { force: true });
    return existed;
  }

  /** Writes the file where it is missing and fits. Never throws. */
  restore(): Promise<void> {
    return (this.#restoring ??= this.#write()
      .catch((error: unknown) =>
        this.options.log.warn("no room could be set aside for a full disk", errorFields(error)),
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
    if (this.exists) return;
    const { free_bytes, reserve_bytes } = this.options.freeSpace(this.#directory);
    if (free_bytes >= margin * reserve_bytes) await fill(this.#file, reserve_bytes);
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
