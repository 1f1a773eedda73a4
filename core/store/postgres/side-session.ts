/**
 * A connection to PostgreSQL outside the order of writes, for derived data that can be recreated:
 * it may take minutes, and nobody waits for it.
 */
import { Pool, type PostgresOptions } from "./connections";

/** The rows of a hand-written statement with `?`. */
export type RunAside = <R>(text: string, ...parameters: readonly unknown[]) => Promise<R[]>;

/** One connection without a time limit for statements. Close it by `await using`. */
export class PostgresSideSession implements AsyncDisposable {
  private readonly pool: Pool;

  /** What it writes need not survive a crash of the server: it is recreated then. */
  constructor(options: PostgresOptions, name: string) {
    this.pool = new Pool({ ...options, statement_ms_max: 0 }, 1, name, {
      synchronous_commit: "off",
    });
  }

  /** Runs a statement outside a transaction. */
  readonly all: RunAside = async <R>(text: string, ...parameters: readonly unknown[]) =>
    (await this.pool.run(text, parameters)).rows as R[];

  /** Commits all of `work`, or nothing. @throws what `work` throws, or the error of the database */
  async inTransaction<R>(work: (all: RunAside) => Promise<R>): Promise<R> {
    const connection = await this.pool.reserve();
    const all: RunAside = async <Row>(text: string, ...parameters: readonly unknown[]) =>
      (await connection.run(text, parameters)).rows as Row[];
    try {
      await all("begin");
      const result = await work(all);
      await all("commit");
      return result;
    } catch (error) {
      await all("rollback").catch(() => undefined);
      throw error;
    } finally {
      connection.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.close();
  }
}
