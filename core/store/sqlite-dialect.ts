/**
 * bun:sqlite behind Kysely's own SQLite dialect: cached statements, one connection, transactions
 * that take the write lock at once.
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

/**
 * The statements of the writing connection, as Kysely's driver runs them. `onFull` is called when
 * the disk is full, and frees some space: a statement outside a transaction is then tried once
 * more. (A transaction is tried again as a whole, by the group commit.)
 */
export const kyselyStatements = (
  database: Database,
  onFull: () => void,
): StatementCache<SqliteStatement> =>
  new StatementCache(database, (raw) => ({
    reader: raw.columnNames.length > 0,
    all: (parameters) => retriedWhenFull(database, () => raw.all(...parameters), onFull),
    run: (parameters) => retriedWhenFull(database, () => raw.run(...parameters), onFull),
    iterate: (parameters) => guarded(() => raw.iterate(...parameters)),
  }));

function retriedWhenFull<R>(database: Database, step: () => R, onFull: () => void): R {
  const alone = !database.inTransaction;
  try {
    return guarded(step, onFull);
  } catch (error) {
    if (!alone || !isFull(error)) throw error;
    return guarded(step);
  }
}

class SingleConnectionDriver extends SqliteDriver {
  #unlock: (() => void) | undefined;
  constructor(
    database: SqliteDatabase,
    private readonly raw: Database,
    private readonly mutex: Mutex,
    private readonly requireOutside: () => void,
  ) {
    super({ database });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.requireOutside();
    this.#unlock = await this.mutex.lock();
    return super.acquireConnection();
  }
  override async releaseConnection(): Promise<void> {
    this.#unlock?.();
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
 * `requireOutside`, so the driver takes it.
 */
class DriverLockAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export class SingleConnectionDialect extends SqliteDialect {
  readonly #makeDriver: () => Driver;
  /** `requireOutside` throws inside a transaction: waiting for the connection would never end. */
  constructor(
    database: Database,
    statements: StatementCache<SqliteStatement>,
    mutex: Mutex,
    requireOutside: () => void,
  ) {
    const shim: SqliteDatabase = {
      prepare: (sql) => statements.get(sql),
      close: () => {
        statements.clear();
        database.close();
      },
    };
    super({ database: shim });
    this.#makeDriver = () => new SingleConnectionDriver(shim, database, mutex, requireOutside);
  }
  override createDriver(): Driver {
    return this.#makeDriver();
  }
  override createAdapter(): DialectAdapter {
    return new DriverLockAdapter();
  }
}
