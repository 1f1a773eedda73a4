/** A connection of a worker thread to PostgreSQL, for reading: one read or snapshot at a time. */
import type { ReservedSQL, SQL } from "bun";
import { Mutex } from "../mutex";
import { isUnreachable } from "../storage-errors";
import { openPool, run, type PostgresOptions } from "./connections";

const begin = "begin isolation level repeatable read, read only";

export class PostgresReadSession {
  readonly #pool: SQL;
  readonly #turn = new Mutex();
  #snapshot: ReservedSQL | undefined;

  constructor(options: PostgresOptions) {
    this.#pool = openPool(options, 2, "search");
  }

  /** The rows of a hand-written statement with `?`; within the snapshot while there is one. */
  async all<R>(text: string, ...parameters: readonly unknown[]): Promise<R[]> {
    if (this.#snapshot) return (await run(this.#snapshot, text, parameters)).rows as R[];
    try {
      return (await run(this.#pool, text, parameters)).rows as R[];
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return (await run(this.#pool, text, parameters)).rows as R[];
    }
  }

  /** Stays the same as long as nothing has been written. */
  async version(): Promise<string> {
    const [row] = await this.all<{ version: string }>(
      "select pg_current_snapshot()::text as version",
    );
    return row!.version;
  }

  /**
   * Until the returned function is called, everything is read in one snapshot. Snapshots take
   * turns; a nested one would wait for ever.
   */
  async beginSnapshot(): Promise<() => void> {
    const release = await this.#turn.lock();
    try {
      this.#snapshot = await this.#begin();
    } catch (error) {
      release();
      throw error;
    }
    return () => {
      const connection = this.#snapshot!;
      this.#snapshot = undefined;
      // A broken connection has no transaction any more.
      void connection
        .unsafe("commit")
        .catch(() => undefined)
        .finally(() => {
          connection.release();
          release();
        });
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #begin(again = true): Promise<ReservedSQL> {
    let connection: ReservedSQL | undefined;
    try {
      connection = await this.#pool.reserve();
      await run(connection, begin, []);
      return connection;
    } catch (error) {
      connection?.release();
      if (again && isUnreachable(error)) return this.#begin(false);
      throw error;
    }
  }
}
