/** The port to the database, whichever engine is behind it. */
import type { Kysely } from "kysely";
import type { Channel } from "./channel";
import type { ReadConnectionSpec } from "./read-connection";
import type { SharedState } from "./shared-state";

/**
 * The database or an open transaction (a `Transaction` is a `Kysely`): a function that takes `Db`
 * works with both.
 */
export type Db<T = any> = Kysely<T>;

/**
 * Prepared statements on a separate connection, for reads made by every request. They never wait
 * for a transaction, and never see uncommitted data.
 */
export interface PreparedReads {
  /** The first row; undefined when there is none. */
  get<R>(sql: string, ...params: readonly Parameter[]): Promise<R | undefined>;
  /** Every row. */
  all<R>(sql: string, ...params: readonly Parameter[]): Promise<R[]>;
}
/** A value for a `?` in a statement. */
export type Parameter = string | number | bigint | null | Uint8Array;

/** The size of the database. */
export interface Space {
  /** Without its log. */
  readonly bytes: number;
  /** The part of it left by deleted rows, which new rows use first. */
  readonly free_bytes: number;
  /** Whether the database shrinks by itself. */
  readonly shrinks: boolean;
}

/** How a transaction is committed. */
export interface TransactionOptions {
  /**
   * On a full disk it may use the space reserved for deletions: for deletions, and for what people
   * need to get that far. It must not add more than a few rows.
   */
  readonly uses_reserve?: boolean;
  /**
   * False: resolves at the commit, without waiting for the disk, which some engines do anyway. It
   * survives the end of the process; a failure of the machine may undo it as long as no later
   * transaction is on disk. Default: true.
   */
  readonly waits_for_disk?: boolean;
}

/** The port itself: implemented by `SqliteStore` and `PostgresStore`. */
export interface Store {
  /** The path of the file; of a server its address, without the password. */
  readonly path: string;
  /** `SQLite 3.50.4`, `PostgreSQL 15.18`. */
  readonly engine: string;
  readonly db: Db<any>;
  readonly reads: PreparedReads;
  /** Call when a request arrives: its reads see what every process had committed before. */
  readonly noteRequest: () => void;
  /** For `openReadConnection` in a worker thread. */
  readonly read_connection: ReadConnectionSpec;
  /**
   * Commits all of `work`, or nothing; other writes wait meanwhile. Resolves when it is on disk;
   * transactions that arrive together share one write. On a full disk it is retried once. @throws
   * Error inside another transaction, HttpError 507 or 503 when the storage fails.
   */
  readonly inTransaction: <R>(
    work: (tx: Db<any>) => Promise<R>,
    options?: TransactionOptions,
  ) => Promise<R>;
  /**
   * Announces a transaction that will arrive once this has settled: another commit may wait for it
   * a moment, so that both share one write.
   */
  readonly expect: (coming: Promise<unknown>) => void;
  /** `inTransaction` with `uses_reserve`. */
  readonly inDeletion: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  /**
   * Calls `work` once the surrounding transaction is on disk, at once outside one; `undone` after a
   * rollback.
   */
  readonly afterCommit: (work: () => void, undone?: () => void) => void;
  /**
   * Runs `work` while no other process on the database runs its own, after waiting for that. For
   * work at the start, outside transactions.
   */
  readonly exclusively: <R>(work: () => Promise<R>) => Promise<R>;
  /** To the other processes on the database; null when there are none. */
  readonly channel: Channel | null;
  /** State shared by all processes on the database, besides its tables. */
  readonly state: SharedState;
  /**
   * Call after deleting text: removes it from the write-ahead log within two seconds, and returns
   * its space later. Returns at once.
   */
  readonly truncateWal: () => void;
  /** The size of the database, and how much of it is free after deletions. */
  readonly space: () => Promise<Space>;
  /** Sorted names of the tables and views that `db` or a transaction sees. */
  readonly tableNames: (db: Db<any>) => Promise<string[]>;
  /**
   * Writes a complete and consistent copy of the database into a new file. Null where the database
   * has its own tools for that.
   */
  readonly copyTo: ((path: string) => Promise<void>) | null;
  /** Call after tables have changed: prepares earlier statements again. */
  readonly forgetStatements: () => void;
  /**
   * True from the time the disk was full until there is space again. Large writes wait or are
   * refused meanwhile.
   */
  readonly isDiskFull: () => boolean;
  /** The free space on the disk of the database. */
  readonly freeBytes: () => number;
  /** Why nothing, or nothing new, can be written; null when all is well. Takes at most 2 s. */
  readonly failure: () => Promise<string | null>;
  /** A sentence while commits take long, according to those of the last minute; otherwise null. */
  readonly slowness: () => string | null;
  /** Waits for the open transaction, empties the log and closes the file. */
  readonly close: () => Promise<void>;
}
