/**
 * Makes commits durable. SQLite itself would block the event loop until the disk is done: here the
 * runtime's thread pool waits for it, because any disk is slow now and then. Except on file systems
 * in memory, where passing it to a thread would take longer than waiting.
 */
import { close, fdatasync, fdatasyncSync, openSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Log } from "../base/log";
import { SyncMeter } from "./sync-meter";

const fdatasyncOf = promisify(fdatasync);
const closeOf = promisify(close);

/** Types of file systems in memory: tmpfs, ramfs. */
const memory_types: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** Syncs one write-ahead log. */
export class LogSync {
  private file: number | undefined;
  private readonly is_memory: boolean;
  readonly meter: SyncMeter;

  /** `path`: the log, which exists as long as the database is open. */
  constructor(
    private readonly path: string,
    log: Log,
  ) {
    this.meter = new SyncMeter(log);
    this.is_memory = memory_types.has(statfsSync(dirname(path)).type);
  }

  /**
   * Everything committed before the call is on the disk afterwards. @throws Error when it may not
   * be, which can never be found out later.
   */
  async sync(): Promise<void> {
    this.file ??= openSync(this.path, "r+");
    const begun_ms = performance.now();
    if (this.is_memory) fdatasyncSync(this.file);
    else await fdatasyncOf(this.file);
    this.meter.note(performance.now() - begun_ms);
  }

  async close(): Promise<void> {
    const file = this.file;
    this.file = undefined;
    if (file !== undefined) await closeOf(file);
  }
}
