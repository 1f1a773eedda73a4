/**
 * The port to the database: what the rest of the server asks of it, whatever engine is behind it.
 */
import type { Kysely } from "kysely";
import type { Channel } from "./channel";
import type { ReadConnectionSpec } from "./read-connection";
import type { SharedState } from "./shared-state";

/**
 * The database or an open transaction (a `Transaction` is a `Kysely`): a function that takes `Db`
 * works in both.
 */
export type Db<T = any> = Kysely<T>;

/**
 * Prepared statements on a connection of their own, for reads that every request makes. They never
 * wait for a transaction, and never see what is not committed.
 */
export interface PreparedReads {
  /** The first row; undefined when there is none. */
  get<R>(sql: string, ...params: readonly Parameter[]): Promise<R | undefined>;
  all<R>(sql: string, ...params: readonly Parameter[]): Promise<R[]>;
}
export type Parameter = string | number | bigint | null | Uint8Array;

export interface Space {
  /** Without its log. */
  readonly bytes: number;
  /** Of these, what deleted rows have left; new rows use it first. */
  readonly free_bytes: number;
  /** Whether the database gets smaller by itself. */
  readonly shrinks: boolean;
}

export interface TransactionOptions {
  /**
   * On a full disk it may take up the space that is kept for deletions: for what deletes, and for
   * what people need to get that far. It must not add more than a few rows.
   */
  readonly uses_reserve?: boolean;
}

export interface Store {
  /** The file; of a server its address, without the password. */
  readonly path: string;
  /** `SQLite 3.50.4`, `PostgreSQL 15.18`. */
  readonly engine: string;
  readonly db: Db<any>;
  readonly reads: PreparedReads;
  /** For `openReadConnection` in a worker thread. */
  readonly read_connection: ReadConnectionSpec;
  /**
   * All of `work` is kept, or none; everyone else waits meanwhile. Answers when it is on disk;
   * those that come together share one write. On a full disk it is tried a second time. @throws
   * Error inside another transaction, HttpError 507 or 503 when the storage fails.
   */
  readonly inTransaction: <R>(
    work: (tx: Db<any>) => Promise<R>,
    options?: TransactionOptions,
  ) => Promise<R>;
  /**
   * A transaction comes once this has settled: who commits meanwhile may wait for it a moment, so
   * that both share one write.
   */
  readonly expect: (coming: Promise<unknown>) => void;
  /** `inTransaction` with `uses_reserve`. */
  readonly inDeletion: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  /**
   * Runs once the surrounding transaction is on disk, at once outside one, never when it was rolled
   * back: then `undone` runs.
   */
  readonly afterCommit: (work: () => void, undone?: () => void) => void;
  /**
   * Runs `work` while no other process that serves the database runs its own; it waits for that.
   * For work at the start, outside transactions.
   */
  readonly exclusively: <R>(work: () => Promise<R>) => Promise<R>;
  /** To the other processes that serve the database; null where it is served by one alone. */
  readonly channel: Channel | null;
  /** What all processes that serve the database know alike, beside its tables. */
  readonly state: SharedState;
  /**
   * After text was deleted: takes it out of the write-ahead log within two seconds, and gives its
   * space back later. Returns at once.
   */
  readonly truncateWal: () => void;
  /** How large the database is, and how much of that is left over from what was deleted. */
  readonly space: () => Promise<Space>;
  /** Names of the tables and views, in their order, as `db` or a transaction sees them. */
  readonly tableNames: (db: Db<any>) => Promise<string[]>;
  /**
   * Writes a whole and consistent copy of the database into a new file. Null where the database has
   * its own ways for that.
   */
  readonly copyTo: ((path: string) => Promise<void>) | null;
  /** After tables changed: statements prepared before are prepared again. */
  readonly forgetStatements: () => void;
  /**
   * True from the time the disk was full until there is space again. What writes much waits or is
   * refused meanwhile.
   */
  readonly isDiskFull: () => boolean;
  /** What is free on the disk of the database. */
  readonly freeBytes: () => number;
  /** Why nothing, or nothing new, can be written; null when all is well. Takes 2 s at most. */
  readonly failure: () => Promise<string | null>;
  /** Waits for the open transaction, empties the log and closes the file. */
  readonly close: () => Promise<void>;
}
