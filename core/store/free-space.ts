/** The free space of the disk, and how much of it is reserved for the database. */
import { statfsSync } from "node:fs";
import { storageFull } from "./storage-errors";

const reserve_bytes_max = 16 * 2 ** 20;
/** On a small disk the reserve is one twentieth of it. */
const share_of_disk = 20;

/** The space of one file system. */
export interface FreeSpace {
  readonly free_bytes: number;
  /** The size of the reserve on this disk. */
  readonly reserve_bytes: number;
}

/** For the file system that contains `path`. Unknown counts as unlimited. */
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
 * Leaves twice the reserve free for the database: without any space, not even a deletion works.
 * @throws HttpError 507
 */
export function requireFreeSpace(directory: string): void {
  if (isShort(freeSpaceOf(directory))) throw storageFull();
}
const isShort = ({ free_bytes, reserve_bytes }: FreeSpace): boolean =>
  free_bytes < 2 * reserve_bytes;

/** This many reserves are more than can be written between two checks. */
const plenty_reserves = 64;
const plenty_ms = 100;

/** The same for frequent calls: with plenty of space, the disk is checked only now and then. */
export class FreeSpaceWatch {
  private plenty_until_ms = -Infinity;

  constructor(
    private readonly directory: string,
    private readonly freeSpace: (path: string) => FreeSpace = freeSpaceOf,
  ) {}

  /** @throws HttpError 507 */
  require(): void {
    if (this.isShort()) throw storageFull();
  }

  /** Whether less than twice the reserve is free. */
  isShort(): boolean {
    const now_ms = performance.now();
    if (now_ms < this.plenty_until_ms) return false;
    const space = this.freeSpace(this.directory);
    if (space.free_bytes > plenty_reserves * space.reserve_bytes)
      this.plenty_until_ms = now_ms + plenty_ms;
    return isShort(space);
  }
}
