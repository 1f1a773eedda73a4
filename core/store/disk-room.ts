/**
 * The room that the disk has for the database: keeps it from growing so far that its write-ahead
 * log could not be emptied any more, and knows when the disk is full.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "bun:sqlite";
import type { Log } from "../base/log";
import type { FreeSpace } from "./free-space";
import { ReserveFile } from "./reserve-file";

export const page_bytes = 4096;
/** How often a full disk is looked at again, and how often the limit of growth follows the disk. */
const check_again_ms = 1_000;
const limit_again_ms = 250;
/**
 * A large reserve is not written at once: the start is for requests, and a command that ends soon
 * needs none. On a small disk, which is soon full, it is small as well.
 */
const write_reserve_after_ms = 2_000;
const small_reserve_bytes = 8 * 2 ** 20;
/**
 * The log goes into the database when it holds this much; on a small disk earlier. Much less would
 * write the same pages again and again.
 */
const wal_bytes_max = 16 * 2 ** 20;
const wal_bytes_min = 2 ** 18;

/** In pages. */
export interface LogLimits {
  /** From here on a thread moves the log into the database. */
  readonly pages_max: number;
  /** From here on the next commit does, and everybody waits for it. */
  readonly late_pages_max: number;
}
/** How much late is: more than comes in while the thread works. Small disks have no room for it. */
const late_factor = 3;

/** How long the write-ahead log may get on a disk with this much free space. */
export function logLimits({ reserve_bytes }: FreeSpace): LogLimits {
  const bytes = Math.min(wal_bytes_max, Math.max(wal_bytes_min, reserve_bytes)),
    pages_max = Math.floor(bytes / page_bytes);
  return { pages_max, late_pages_max: bytes < wal_bytes_max ? pages_max : late_factor * pages_max };
}

export interface DiskRoomOptions {
  /** Of the database. */
  readonly path: string;
  readonly log: Log;
  readonly freeSpace: (path: string) => FreeSpace;
}

export class DiskRoom {
  readonly #directory: string;
  readonly #reserve: ReserveFile;
  readonly #write_reserve: ReturnType<typeof setTimeout>;
  readonly #wal_bytes_max: number;
  /** A write found no room, and there was none yet when last looked. */
  #full: boolean;
  /** The reserve was given up, and none of it fits yet: what it leaves is for deletions alone. */
  #reserve_in_use: boolean;
  #checked_at_ms = -Infinity;
  #limited_at_ms = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly options: DiskRoomOptions,
  ) {
    this.#directory = dirname(options.path);
    this.#reserve = new ReserveFile(options);
    const { free_bytes, reserve_bytes } = this.#free();
    this.#wal_bytes_max = logLimits({ free_bytes, reserve_bytes }).pages_max * page_bytes;
    this.#full = free_bytes < reserve_bytes;
    this.#reserve_in_use = this.#full && this.#reserve.size_bytes === 0;
    this.#write_reserve = setTimeout(
      () => void this.check(),
      reserve_bytes <= small_reserve_bytes ? 0 : write_reserve_after_ms,
    ).unref();
  }

  /** True from the time a write found no room until there is as much as the reserve again. */
  get full(): boolean {
    if (this.#full && performance.now() - this.#checked_at_ms > check_again_ms) void this.check();
    return this.#full;
  }
  get reserve_in_use(): boolean {
    return this.full && this.#reserve_in_use;
  }
  get free_bytes(): number {
    return this.#free().free_bytes;
  }
  /** What grows much is refused: see `requireFreeSpace`. */
  get short(): boolean {
    const { free_bytes, reserve_bytes } = this.#free();
    return this.full || free_bytes < 2 * reserve_bytes;
  }
  /** The log has outgrown its limit: somebody reads for long, or one change was large. */
  get log_is_long(): boolean {
    return sizeOf(`${this.options.path}-wal`) > 2 * this.#wal_bytes_max;
  }

  /**
   * A write found no room. That alone does not make the disk full: one large change may be too much
   * for what is left.
   */
  noteNoRoom(): void {
    this.#limited_at_ms = -Infinity;
    const { free_bytes, reserve_bytes } = this.#free();
    if (this.#full || free_bytes >= reserve_bytes) return;
    this.#full = true;
    this.#checked_at_ms = performance.now();
    this.options.log.error(
      "the disk is full: what needs space is refused until there is room again",
      {
        directory: this.#directory,
      },
    );
  }

  /** Gives the reserve up for a deletion, a part of it or all. False when there was none. */
  releaseReserve(amount: "part" | "all"): boolean {
    if (!this.#reserve.release(amount)) return false;
    this.#full = this.#reserve_in_use = true;
    this.#checked_at_ms = performance.now();
    this.#limited_at_ms = -Infinity;
    this.options.log.warn("the space that is kept for deletions is in use", {
      directory: this.#directory,
    });
    return true;
  }

  /** Writes what is missing of the reserve and fits, and looks whether the disk is still full. */
  async check(): Promise<void> {
    this.#checked_at_ms = performance.now();
    await this.#reserve.restore();
    if (!this.#full) return;
    const { free_bytes, reserve_bytes } = this.#free();
    const { size_bytes } = this.#reserve;
    this.#reserve_in_use = size_bytes === 0;
    this.#full = size_bytes < reserve_bytes || free_bytes < reserve_bytes;
    if (!this.#full) this.options.log.info("there is room on the disk again");
  }

  /**
   * Lets the database grow by half of what is free, so that the same pages fit twice: into the log,
   * and then into the file. Without this a large change fills the disk with a log that can't be
   * emptied. Between transactions only.
   */
  limitGrowth(): void {
    if (performance.now() - this.#limited_at_ms < limit_again_ms) return;
    this.#limited_at_ms = performance.now();
    const { free_bytes } = this.#free();
    const { page_count } = this.database
      .query<{ page_count: number }, []>("pragma page_count")
      .get()!;
    const in_log_bytes = Math.max(0, page_count * page_bytes - sizeOf(this.options.path));
    const room_pages = Math.floor(Math.max(0, free_bytes - in_log_bytes) / 2 / page_bytes);
    const pages_max = Math.min(0xfffffffe, page_count + room_pages);
    this.database.run(`pragma max_page_count = ${pages_max}`);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#write_reserve);
    await this.#reserve.settled();
  }

  #free(): FreeSpace {
    return this.options.freeSpace(this.#directory);
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
