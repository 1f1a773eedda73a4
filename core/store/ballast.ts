/**
 * A file that only takes up room, so that there is some to give back when the disk is full:
 * deleting needs room too.
 */
import { rmSync, statfsSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorFields, type Log } from "../base/log";
import { storageFull } from "./codes";

const bytes_max = 16 * 2 ** 20;
/** Of a small disk it takes a twentieth. */
const share_of_disk = 20;
/**
 * It is written only where this many times its size is free, and documents leave twice its size
 * free.
 */
const margin = 3;
const look_again_ms = 1_000;
/** The most that the generator gives at once. */
const block_bytes = 65_536;

/** Room on the file system that holds `path`, bytes. Unknown room counts as endless. */
export function roomAt(path: string): {
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

/** Where the ballast of the database `path` lies. */
const ballastOf = (path: string): string => `${path}.ballast`;

/** Below this not even the files that SQLite keeps beside a database can be made. */
const least_bytes = 2 ** 20;

/**
 * Opens what belongs to the database `path`; on a full disk once more, with the room of the
 * ballast. @throws Error in words when it is still full.
 */
export function withRoom<R>(path: string, open: () => R): R {
  const directory = dirname(path);
  const isShort = () => roomAt(directory).free_bytes < least_bytes;
  try {
    return open();
  } catch (error) {
    if (!isShort()) throw error;
    rmSync(ballastOf(path), { force: true });
  }
  try {
    return open();
  } catch (error) {
    throw isShort()
      ? new Error(`the disk that holds ${directory} is full. Free some space on it and try again`, {
          cause: error,
        })
      : error;
  }
}

/**
 * What grows leaves room for the database: without any, not even a deletion works. @throws
 * HttpError 507
 */
export function requireRoom(directory: string): void {
  const { free_bytes, reserve_bytes } = roomAt(directory);
  if (free_bytes < 2 * reserve_bytes) throw storageFull();
}

export interface Ballast {
  /** The disk is full: gives the room back. */
  drop(): void;
  /** True from the time the disk was full until there is room for the ballast again. */
  full(): boolean;
  /** Writes the file where it is missing and fits. Never throws. */
  restore(): Promise<void>;
  /** Waits for a `restore` that is under way. */
  settled(): Promise<void>;
}

/** The file lies beside the database `path`. */
export function createBallast(path: string, log: Log): Ballast {
  const file = ballastOf(path);
  const { free_bytes, reserve_bytes } = roomAt(dirname(path));
  let dropped =
    free_bytes < reserve_bytes && statSync(file, { throwIfNoEntry: false }) === undefined;
  let restoring: Promise<void> | undefined;
  let looked_at_ms = -Infinity;

  async function write(): Promise<void> {
    const { free_bytes, reserve_bytes } = roomAt(dirname(path));
    const present = statSync(file, { throwIfNoEntry: false })?.size;
    if (present === undefined && free_bytes < margin * reserve_bytes) return;
    if (present === undefined) await fill(file, reserve_bytes);
    if (dropped) log.info("there is room on the disk again");
    dropped = false;
  }
  const restore = () =>
    (restoring ??= write()
      .catch((error: unknown) =>
        log.warn("no room could be set aside for a full disk", errorFields(error)),
      )
      .finally(() => {
        restoring = undefined;
      }));

  return {
    restore,
    settled: async () => restoring,
    drop() {
      if (dropped) return;
      dropped = true;
      rmSync(file, { force: true });
      log.error("the disk is full: uploads are refused until there is room again", {
        directory: dirname(path),
      });
    },
    full() {
      if (dropped && performance.now() - looked_at_ms > look_again_ms) {
        looked_at_ms = performance.now();
        void restore();
      }
      return dropped;
    },
  };
}

/** Real blocks, not a hole; complete when it has its name. */
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
