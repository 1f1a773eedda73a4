/**
 * Makes what was committed durable. SQLite itself would hold up everybody until the disk is done:
 * here the thread pool of the runtime waits for a disk that takes long. For one that is quick,
 * handing it over would take longer than waiting.
 */
import { close, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { promisify } from "node:util";

const fdatasyncOf = promisify(fdatasync);
const closeOf = promisify(close);

/** A sync that took longer was slow, and so may be the next ones. */
const slow_ms_min = 2;
const slow_for = 50;

export class LogSync {
  #file: number | undefined;
  /** So many more are handed over. */
  #slow = 0;

  /** `path` of the log, which is there for as long as the database is open. */
  constructor(private readonly path: string) {}

  /**
   * Everything that was committed before the call is on the disk after it. @throws Error when it
   * may not be, and then nobody will ever know.
   */
  async sync(): Promise<void> {
    this.#file ??= openSync(this.path, "r+");
    const started_ms = performance.now();
    if (this.#slow > 0) await fdatasyncOf(this.#file);
    else fdatasyncSync(this.#file);
    this.#slow =
      performance.now() - started_ms > slow_ms_min ? slow_for : Math.max(0, this.#slow - 1);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeOf(file);
  }
}
