/**
 * Makes what was committed durable. SQLite itself would hold up everybody until the disk is done:
 * here the thread pool of the runtime waits for it, because any disk takes long now and then. Only
 * for memory that passes as one, handing it over would take longer than waiting.
 */
import { close, fdatasync, fdatasyncSync, openSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

const fdatasyncOf = promisify(fdatasync);
const closeOf = promisify(close);

/** Kinds of file system that are memory: tmpfs, ramfs. */
const memory_types: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

export class LogSync {
  #file: number | undefined;
  readonly #is_memory: boolean;

  /** `path` of the log, which is there for as long as the database is open. */
  constructor(private readonly path: string) {
    this.#is_memory = memory_types.has(statfsSync(dirname(path)).type);
  }

  /**
   * Everything that was committed before the call is on the disk after it. @throws Error when it
   * may not be, and then nobody will ever know.
   */
  async sync(): Promise<void> {
    this.#file ??= openSync(this.path, "r+");
    if (this.#is_memory) fdatasyncSync(this.#file);
    else await fdatasyncOf(this.#file);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeOf(file);
  }
}
