/**
 * The disk space of the database: keeps it from growing so far that its write-ahead log could not
 * be emptied any more, and tracks whether the disk is full.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "bun:sqlite";
import type { Log } from "../base/log";
import { FreeSpaceWatch, type FreeSpace } from "./free-space";
import { ReserveFile } from "./reserve-file";

/** The page size of the database, bytes. */
export const page_bytes = 4096;
/** How often a full disk is checked again, and how often the growth limit is adjusted. */
const check_every_ms = 1_000;
const limit_every_ms = 250;
/**
 * A large reserve is not written at once: the start is for requests, and a short-lived command
 * needs none. On a small disk, which fills soon, the reserve is small as well.
 */
const write_reserve_after_ms = 2_000;
const small_reserve_bytes = 8 * 2 ** 20;
/**
 * The log is moved into the database at this size; on a small disk earlier. With a much lower
 * limit, the same pages would be written again and again.
 */
const wal_bytes_max = 16 * 2 ** 20;
const wal_bytes_min = 2 ** 18;

/** In pages. */
export interface LogLimits {
  /** From here on a thread moves the log into the database. */
  readonly pages_max: number;
  /** From here on the next commit does it, and everybody waits for it. */
  readonly late_pages_max: number;
}
/** How much later: more than arrives while the thread works. Small disks have no space for it. */
const late_factor = 3;

/** The maximum length of the write-ahead log on a disk with this much free space. */
export function logLimits({ reserve_bytes }: FreeSpace): LogLimits {
  const bytes = Math.min(wal_bytes_max, Math.max(wal_bytes_min, reserve_bytes));
  const pages_max = Math.floor(bytes / page_bytes);
  return { pages_max, late_pages_max: bytes < wal_bytes_max ? pages_max : late_factor * pages_max };
}

/** What `DiskSpace` needs besides its connection. */
export interface DiskSpaceOptions {
  /** The path of the database. */
  readonly path: string;
  readonly log: Log;
  readonly freeSpace: (path: string) => FreeSpace;
}

/** The space on the disk of one database, as of its latest checks. */
export class DiskSpace {
  private readonly directory: string;
  private readonly free_space: FreeSpaceWatch;
  private readonly reserve: ReserveFile;
  private readonly write_reserve: ReturnType<typeof setTimeout>;
  private readonly wal_bytes_max: number;
  /** A write found no space, and the last check did not either. */
  private is_full: boolean;
  /**
   * The reserve was released and can't be restored yet: the remaining space is for deletions alone.
   */
  private is_reserve_in_use: boolean;
  private checked_at_ms = -Infinity;
  private growth_limited_at_ms = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly options: DiskSpaceOptions,
  ) {
    this.directory = dirname(options.path);
    this.free_space = new FreeSpaceWatch(this.directory, options.freeSpace);
    this.reserve = new ReserveFile(options);
    const { free_bytes, reserve_bytes } = this.free();
    this.wal_bytes_max = logLimits({ free_bytes, reserve_bytes }).pages_max * page_bytes;
    this.is_full = free_bytes < reserve_bytes;
    this.is_reserve_in_use = this.is_full && this.reserve.size_bytes === 0;
    this.write_reserve = setTimeout(
      () => void this.check(),
      reserve_bytes <= small_reserve_bytes ? 0 : write_reserve_after_ms,
    ).unref();
  }

  /** True from a write that found no space until as much as the reserve is free again. */
  get full(): boolean {
    if (this.is_full && performance.now() - this.checked_at_ms > check_every_ms) void this.check();
    return this.is_full;
  }
  /** The space left is for deletions: other writes are refused. */
  get reserve_in_use(): boolean {
    return this.full && this.is_reserve_in_use;
  }
  /** Free on the disk, without the reserve. */
  get free_bytes(): number {
    return this.free().free_bytes;
  }
  /** Writes that need much space are refused: see `requireFreeSpace`. */
  get short(): boolean {
    return this.full || this.free_space.isShort();
  }
  /** The log has exceeded its limit: because of a long read, or a single large change. */
  get log_is_long(): boolean {
    return sizeOf(`${this.options.path}-wal`) > 2 * this.wal_bytes_max;
  }

  /**
   * A write found no space. That alone does not make the disk full: one large change may exceed
   * what is left.
   */
  noteFull(): void {
    this.growth_limited_at_ms = -Infinity;
    const { free_bytes, reserve_bytes } = this.free();
    if (this.is_full || free_bytes >= reserve_bytes) return;
    this.is_full = true;
    this.checked_at_ms = performance.now();
    this.options.log.error(
      "the disk is full; requests that need space are refused until there is space again",
      {
        directory: this.directory,
      },
    );
  }

  /** Releases the reserve for a deletion, a part of it or all. False when there was none. */
  releaseReserve(amount: "part" | "all"): boolean {
    if (!this.reserve.release(amount)) return false;
    this.is_full = true;
    this.is_reserve_in_use = true;
    this.checked_at_ms = performance.now();
    this.growth_limited_at_ms = -Infinity;
    this.options.log.warn("the space reserved for deletions is in use", {
      directory: this.directory,
    });
    return true;
  }

  /** Restores the reserve as far as it fits, and checks whether the disk is still full. */
  async check(): Promise<void> {
    this.checked_at_ms = performance.now();
    await this.reserve.restore();
    if (!this.is_full) return;
    const { free_bytes, reserve_bytes } = this.free();
    const { size_bytes } = this.reserve;
    this.is_reserve_in_use = size_bytes === 0;
    this.is_full = size_bytes < reserve_bytes || free_bytes < reserve_bytes;
    if (!this.is_full) this.options.log.info("there is space on the disk again");
  }

  /**
   * Lets the database grow by half of the free space, so that the same pages fit twice: into the
   * log, and then into the file. Otherwise a large change fills the disk with a log that can't be
   * emptied. Call it between transactions only.
   */
  limitGrowth(): void {
    if (performance.now() - this.growth_limited_at_ms < limit_every_ms) return;
    this.growth_limited_at_ms = performance.now();
    const { free_bytes } = this.free();
    const { page_count } = this.database
      .query<{ page_count: number }, []>("pragma page_count")
      .get()!;
    const in_log_bytes = Math.max(0, page_count * page_bytes - sizeOf(this.options.path));
    const growth_pages = Math.floor(Math.max(0, free_bytes - in_log_bytes) / 2 / page_bytes);
    const pages_max = Math.min(0xfffffffe, page_count + growth_pages);
    this.database.run(`pragma max_page_count = ${pages_max}`);
  }

  /** Waits until a reserve that is being written is complete. */
  async stop(): Promise<void> {
    clearTimeout(this.write_reserve);
    await this.reserve.settled();
  }

  private free(): FreeSpace {
    return this.options.freeSpace(this.directory);
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
