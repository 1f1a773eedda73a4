/** A connection of a worker thread to PostgreSQL, for reading: one read or snapshot at a time. */
import { Mutex } from "../mutex";
import { isUnreachable } from "../storage-errors";
import { Pool, type ReservedConnection, type PostgresOptions } from "./connections";

const begin = "begin isolation level repeatable read, read only";

/** Connects with the first read. */
export class PostgresReadSession {
  private readonly pool: Pool;
  private readonly turn = new Mutex();
  private snapshot: ReservedConnection | undefined;

  constructor(options: PostgresOptions) {
    this.pool = new Pool(options, 2, "search");
  }

  /** The rows of a hand-written statement with `?`; within the snapshot while there is one. */
  async all<R>(text: string, ...parameters: readonly unknown[]): Promise<R[]> {
    const { rows } = await (this.snapshot
      ? this.snapshot.run(text, parameters)
      : this.pool.read(text, parameters));
    return rows as R[];
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
    const release = await this.turn.lock();
    try {
      this.snapshot = await this.begin();
    } catch (error) {
      release();
      throw error;
    }
    return () => {
      const connection = this.snapshot!;
      this.snapshot = undefined;
      // A broken connection has no transaction any more.
      void connection
        .run("commit")
        .catch(() => undefined)
        .finally(() => {
          connection.release();
          release();
        });
    };
  }

  /** Waits for running statements. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  private async begin(retries = true): Promise<ReservedConnection> {
    let connection: ReservedConnection | undefined;
    try {
      connection = await this.pool.reserve();
      await connection.run(begin);
      return connection;
    } catch (error) {
      connection?.release();
      if (retries && isUnreachable(error)) return this.begin(false);
      throw error;
    }
  }
}
