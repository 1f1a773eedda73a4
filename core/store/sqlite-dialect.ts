/**
 * bun:sqlite behind Kysely's own SQLite dialect: cached statements, one connection. Statements
 * alone are not durable: whoever commits a transaction (sqlite-store.ts) syncs the log
 * (log-sync.ts), and for single statements the release of the connection does.
 */
import type { Database } from "bun:sqlite";
import {
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  type SqliteDatabase,
  type SqliteStatement,
} from "kysely";
import type { Mutex } from "./mutex";
import { guarded, StatementCache } from "./sqlite-statements";
import { isFull } from "./storage-errors";
import type { RunStatement } from "./raw-statements";

/** Checks around statements that write. */
export interface StatementGuard {
  /** Called before each: throws when nothing may continue. */
  readonly requireIntact: () => void;
  /**
   * Called before a statement outside a transaction. @throws HttpError 507 while the remaining disk
   * space is reserved for deletions.
   */
  readonly admit: (deletes: boolean) => void;
  /** Called with every unmodified error of the database. */
  readonly onError: (error: unknown) => void;
  /** A statement outside a transaction has run: its changes are not durable yet. */
  readonly onAlone: () => void;
  /** A statement inside a transaction may have written something. */
  readonly onInside: () => void;
  /** A statement outside a transaction has found the disk full. */
  readonly makeSpace: () => void;
  /** The disk is full: releases the reserve for deletions. False when there was none. */
  readonly releaseReserve: () => boolean;
}

/** Statements that write nothing themselves. */
const neutral = /^\s*(explain|begin|commit|rollback|savepoint|release|pragma \w+\s*$)\b/i;

const writing = /\b(insert|update|delete)\b/i;

/** Whether the statement only returns rows. */
const isRead = (sql: string): boolean =>
  /^\s*select\b/i.test(sql) || (/^\s*with\b/i.test(sql) && !writing.test(sql));

/**
 * Runs the statements of the writing connection for Kysely's driver. A deletion outside a
 * transaction that finds the disk full is tried once more, with the reserve. (A transaction is
 * retried as a whole, by the group commit.)
 */
export const kyselyStatements = (
  database: Database,
  guard: StatementGuard,
): StatementCache<SqliteStatement> =>
  new StatementCache(database, (raw, sql) => {
    const reads = neutral.test(sql) || isRead(sql);
    const kind = /^\s*(insert|update|delete)\b/i.exec(sql)?.[1]?.toLowerCase();
    const run = <R>(step: () => R): R => {
      guard.requireIntact();
      if (reads) return guarded(step, guard.onError);
      if (database.inTransaction) {
        guard.onInside();
        return guarded(step, guard.onError);
      }
      const result =
        kind === undefined
          ? guarded(step, guard.onError)
          : runAlone(step, kind === "delete", guard);
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

/** Runs statements without Kysely. Only for the holder of the connection: inside a transaction. */
export const runnerOf =
  (statements: StatementCache<SqliteStatement>): RunStatement =>
  async (sql, parameters) => {
    const statement = statements.get(sql);
    if (statement.reader) return statement.all(parameters);
    statement.run(parameters);
    return [];
  };

/** A statement that is a transaction of its own. */
function runAlone<R>(step: () => R, deletes: boolean, guard: StatementGuard): R {
  guard.admit(deletes);
  try {
    return guarded(step, guard.onError);
  } catch (error) {
    if (isFull(error)) guard.makeSpace();
    if (!isFull(error) || !deletes || !guard.releaseReserve()) throw error;
    return guarded(step, guard.onError);
  }
}

/** Applies to statements outside transactions. */
export interface Outside {
  /** Throws inside one: waiting for the connection would never end. */
  readonly require: () => void;
  /** Reads on another connection. */
  readonly read: (sql: string, parameters: readonly unknown[]) => Promise<unknown[]>;
  /** Makes a statement's changes durable; called while the connection is held. */
  readonly sync: () => Promise<void>;
}

class SingleConnectionDriver extends SqliteDriver {
  private readonly connection: DatabaseConnection;
  constructor(
    database: SqliteDatabase,
    connection: DatabaseConnection,
    private readonly outside: Outside,
  ) {
    super({ database });
    this.connection = connection;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.outside.require();
    return this.connection;
  }
  override async releaseConnection(): Promise<void> {}
}

/**
 * Outside transactions: takes the writing connection for each statement that writes. A read does
 * not wait while others have it: committed data are the same on every connection.
 */
class OutsideConnection implements DatabaseConnection {
  private readonly inside: InsideConnection;
  private readonly runInside: RunStatement;

  constructor(
    statements: StatementCache<SqliteStatement>,
    private readonly mutex: Mutex,
    private readonly outside: Outside,
  ) {
    this.inside = new InsideConnection(statements);
    this.runInside = runnerOf(statements);
  }

  readonly run: RunStatement = async (sql, parameters) => {
    this.outside.require();
    if (!isRead(sql)) return this.holding(() => this.runInside(sql, parameters));
    return (this.mutex.is_held ? this.outside.read : this.runInside)(sql, parameters);
  };

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query;
    if (!isRead(sql)) return this.holding(() => this.inside.executeQuery<R>(query));
    return this.mutex.is_held
      ? { rows: (await this.outside.read(sql, parameters)) as R[] }
      : this.inside.executeQuery<R>(query);
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const unlock = await this.mutex.lock();
    try {
      yield* this.inside.streamQuery<R>(query);
    } finally {
      unlock();
    }
  }

  private async holding<R>(work: () => Promise<R>): Promise<R> {
    const unlock = await this.mutex.lock();
    try {
      return await work();
    } finally {
      const synced = this.outside.sync();
      unlock();
      await synced;
    }
  }
}

/** The connection inside an open transaction, for Kysely's queries. */
export class InsideConnection implements DatabaseConnection {
  constructor(private readonly statements: StatementCache<SqliteStatement>) {}

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.statements.get(sql);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.statements.get(sql).iterate(parameters)) yield { rows: [row as R] };
  }
}

/**
 * Kysely would take a lock of its own before it calls the driver; the lock must come after
 * `outside.require`, so the driver takes it.
 */
class DriverLockAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** For statements outside transactions, on the connection that transactions use as well. */
export class SingleConnectionDialect extends SqliteDialect {
  /** Runs hand-written statements outside transactions. */
  readonly runOutside: RunStatement;
  private readonly makeDriver: () => Driver;
  constructor(statements: StatementCache<SqliteStatement>, mutex: Mutex, outside: Outside) {
    const shim: SqliteDatabase = {
      prepare: (sql) => statements.get(sql),
      close: () => statements.close(),
    };
    super({ database: shim });
    const connection = new OutsideConnection(statements, mutex, outside);
    this.runOutside = connection.run;
    this.makeDriver = () => new SingleConnectionDriver(shim, connection, outside);
  }
  override createDriver(): Driver {
    return this.makeDriver();
  }
  override createAdapter(): DialectAdapter {
    return new DriverLockAdapter();
  }
}
