/**
 * A read-only connection for a worker thread. The main thread sends the spec, from which the worker
 * opens the connection.
 */
import { Database } from "bun:sqlite";
import { withFixedPlan } from "./fixed-plan";
import { Mutex } from "./mutex";
import type { PostgresOptions } from "./postgres/connections";

/** How to reach the database: plain data, so that it can be posted to a worker. */
export type ReadConnectionSpec = FileSpec | ({ readonly engine: "postgres" } & PostgresOptions);
/** The file of an embedded database. */
export interface FileSpec {
  readonly engine: "sqlite";
  readonly path: string;
}
/** A prepared `select`. */
export interface ReadStatement<Row, Params extends readonly unknown[]> {
  /** The first row, or null. */
  get(...params: Params): Row | null;
  /** Every row as an array of its columns. */
  values(...params: Params): unknown[][];
}

const busy_timeout_ms = 5_000;

/** A connection that sees committed data only, and never waits for a writer. */
export class ReadConnection {
  private readonly database: Database;
  private readonly turn = new Mutex();
  private readonly data_version: ReadStatement<unknown, []>;

  constructor(database: Database) {
    this.database = database;
    this.data_version = this.prepare("pragma data_version");
  }

  /** Stays prepared until the connection is closed. */
  prepare<Row, Params extends readonly (string | number)[]>(
    sql: string,
  ): ReadStatement<Row, Params> {
    return this.database.prepare(withFixedPlan(sql)) as unknown as ReadStatement<Row, Params>;
  }

  /** Changes when another connection has written anything. */
  version(): number {
    return this.data_version.values()[0]![0] as number;
  }

  /**
   * Until the returned function is called, everything is read in one snapshot. Snapshots of a
   * connection take turns; a nested one would wait for ever.
   */
  async beginSnapshot(): Promise<() => void> {
    const release = await this.turn.lock();
    try {
      this.database.run("begin");
    } catch (error) {
      release();
      throw error;
    }
    return () => {
      try {
        this.database.run("commit");
      } finally {
        release();
      }
    };
  }

  /** Statements prepared on it must not be used any more. */
  close(): void {
    this.database.close();
  }
}

/** @throws Error when the database does not exist or can't be read. */
export function openReadConnection({ path }: Pick<FileSpec, "path">): ReadConnection {
  const database = new Database(path, { readonly: true });
  database.run(`pragma busy_timeout = ${busy_timeout_ms}`);
  return new ReadConnection(database);
}
