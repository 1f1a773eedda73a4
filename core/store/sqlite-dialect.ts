/**
 * bun:sqlite behind Kysely's own SQLite dialect: cached statements, one connection, transactions
 * that take the write lock at once. Nothing is durable by itself: whoever commits a transaction
 * syncs the log (log-sync.ts), and here whoever lets go of the connection after a statement alone.
 */
import type { Database } from "bun:sqlite";
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type SqliteDatabase,
  type SqliteStatement,
} from "kysely";
import type { Mutex } from "./mutex";
import { guarded, StatementCache } from "./sqlite-statements";
import { isFull } from "./storage-errors";
import type { RunStatement } from "./written-out";

/** What guards the statements that write. */
export interface StatementGuard {
  /** Called before each: throws when nothing may go on. */
  readonly requireWhole: () => void;
  /**
   * Called before a statement outside a transaction. @throws HttpError 507 while what is left on
   * the disk is for deletions.
   */
  readonly admit: (deletes: boolean) => void;
  /** Called with every error of the database, as it came. */
  readonly onError: (error: unknown) => void;
  /** A statement outside a transaction has run: what it wrote is not durable yet. */
  readonly onAlone: () => void;
  /** A statement inside a transaction may have written something. */
  readonly onInside: () => void;
  /** A statement outside a transaction has found the disk full. */
  readonly makeRoom: () => void;
  /** The disk is full: frees what is kept for deletions. False when nothing was. */
  readonly releaseReserve: () => boolean;
}

/** Statements that write nothing themselves. */
const reading = /^\s*(select|explain|begin|commit|rollback|savepoint|release|pragma \w+\s*$)\b/i;

const writing = /\b(insert|update|delete)\b/i;

/**
 * The statements of the writing connection, as Kysely's driver runs them. A deletion outside a
 * transaction that finds the disk full is tried once more, with the reserve. (A transaction is
 * tried again as a whole, by the group commit.)
 */
export const kyselyStatements = (
  database: Database,
  guard: StatementGuard,
): StatementCache<SqliteStatement> =>
  new StatementCache(database, (raw, sql) => {
    const reads = reading.test(sql) || (/^\s*with\b/i.test(sql) && !writing.test(sql));
    const kind = /^\s*(insert|update|delete)\b/i.exec(sql)?.[1]?.toLowerCase();
    const run = <R>(step: () => R): R => {
      guard.requireWhole();
      if (reads) return guarded(step, guard.onError);
      if (database.inTransaction) {
        guard.onInside();
        return guarded(step, guard.onError);
      }
      const result =
        kind === undefined ? guarded(step, guard.onError) : alone(step, kind === "delete", guard);
      guard.onAlone();
      return result;
    };
    return {
      reader: raw.columnNames.length > 0,
      all: (parameters) => run(() => raw.all(...parameters)),
      run: (parameters) => run(() => raw.run(...parameters)),
      iterate: (parameters) => guarded(() => raw.iterate(...parameters), guard.onError),
    };
  });

/** Runs statements past Kysely. Only for who has the connection: inside a transaction. */
export const runnerOf =
  (statements: StatementCache<SqliteStatement>): RunStatement =>
  async (sql, parameters) => {
    const statement = statements.get(sql);
    if (statement.reader) return statement.all(parameters);
    statement.run(parameters);
    return [];
  };

/** A statement that is a transaction of its own. */
function alone<R>(step: () => R, deletes: boolean, guard: StatementGuard): R {
  guard.admit(deletes);
  try {
    return guarded(step, guard.onError);
  } catch (error) {
    if (isFull(error)) guard.makeRoom();
    if (!isFull(error) || !deletes || !guard.releaseReserve()) throw error;
    return guarded(step, guard.onError);
  }
}

/** What holds for statements outside a transaction. */
export interface Outside {
  /** Throws inside one: waiting for the connection would never end. */
  readonly require: () => void;
  /** Makes what a statement has written durable; called while the connection is held. */
  readonly sync: () => Promise<void>;
}

class SingleConnectionDriver extends SqliteDriver {
  #unlock: (() => void) | undefined;
  constructor(
    database: SqliteDatabase,
    private readonly raw: Database,
    private readonly mutex: Mutex,
    private readonly outside: Outside,
  ) {
    super({ database });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.outside.require();
    this.#unlock = await this.mutex.lock();
    return super.acquireConnection();
  }
  override async releaseConnection(): Promise<void> {
    const synced = this.outside.sync();
    this.#unlock?.();
    await synced;
  }

  // A plain `begin` takes the write lock at the first write, and then fails at once when another
  // connection wrote in between.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A full disk ends the transaction by itself; rolling back again would hide the reason.
    if (this.raw.inTransaction) await super.rollbackTransaction(connection);
  }
}

/**
 * Kysely would take a lock of its own before it asks the driver; the lock must come after
 * `outside.require`, so the driver takes it.
 */
class DriverLockAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export class SingleConnectionDialect extends SqliteDialect {
  readonly #makeDriver: () => Driver;
  constructor(
    database: Database,
    statements: StatementCache<SqliteStatement>,
    mutex: Mutex,
    outside: Outside,
  ) {
    const shim: SqliteDatabase = {
      prepare: (sql) => statements.get(sql),
      close: () => {
        statements.clear();
        database.close();
      },
    };
    super({ database: shim });
    this.#makeDriver = () => new SingleConnectionDriver(shim, database, mutex, outside);
  }
  override createDriver(): Driver {
    return this.#makeDriver();
  }
  override createAdapter(): DialectAdapter {
    return new DriverLockAdapter();
  }
}
