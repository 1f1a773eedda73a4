/**
 * Makes what was committed durable: the write-ahead log is synced by the thread pool of the
 * runtime, and requests are answered meanwhile. SQLite itself would hold up everybody until the
 * disk is done.
 */
import { close, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

const fdatasyncOf = promisify(fdatasync);
const closeOf = promisify(close);

export class LogSync {
  #file: number | undefined;

  /** `path` of the log, which is there for as long as the database is open. */
  constructor(private readonly path: string) {}

  /**
   * Everything that was committed before the call is on the disk after it. @throws Error when it
   * may not be, and then nobody will ever know.
   */
  async sync(): Promise<void> {
    this.#file ??= openSync(this.path, "r+");
    await fdatasyncOf(this.#file);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeOf(file);
  }
}
