/** How much room the disk has, and how much of it stays free for the database. */
import { statfsSync } from "node:fs";
import { storageFull } from "./storage-errors";

const reserve_bytes_max = 16 * 2 ** 20;
/** On a small disk the reserve is one twentieth of it. */
const share_of_disk = 20;

export interface FreeSpace {
  readonly free_bytes: number;
  /** The size of the reserve on this disk. */
  readonly reserve_bytes: number;
}

/** Of the file system that holds `path`. Unknown counts as endless. */
export function freeSpaceOf(path: string): FreeSpace {
  try {
    const { bavail, blocks, bsize } = statfsSync(path);
    return {
      free_bytes: bavail * bsize,
      reserve_bytes: Math.min(reserve_bytes_max, Math.floor((blocks * bsize) / share_of_disk)),
    };
  } catch {
    return { free_bytes: Infinity, reserve_bytes: reserve_bytes_max };
  }
}

/**
 * What grows leaves twice the reserve free for the database: without any space, not even a deletion
 * works. @throws HttpError 507
 */
export function requireFreeSpace(directory: string): void {
  const { free_bytes, reserve_bytes } = freeSpaceOf(directory);
  if (free_bytes < 2 * reserve_bytes) throw storageFull();
}
