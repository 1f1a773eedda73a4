/**
 * bun:sqlite as Kysely's own SQLite dialect wants it: cached statements, one connection,
 * transactions that take the write lock at once.
 */
import type { Database, Statement } from "bun:sqlite";
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
import { isFull, translated } from "./codes";
import type { Mutex } from "./mutex";

/** Prepared statements kept per connection; the longest unused one goes first. */
const statements_max = 400;

/**
 * Statements of one connection by their text. bun:sqlite's own cache holds only twenty. `made`
 * wraps each one for its user.
 */
export class Statements<S> {
  readonly #kept = new Map<string, { readonly raw: Raw; readonly made: S }>();
  constructor(
    private readonly database: Database,
    private readonly make: (raw: Raw) => S,
  ) {}

  get(sql: string): S {
    let entry = this.#kept.get(sql);
    if (entry) this.#kept.delete(sql);
    else {
      const raw = guarded(() => this.database.prepare<unknown, any[]>(sql));
      entry = { raw, made: this.make(raw) };
    }
    this.#kept.set(sql, entry);
    if (this.#kept.size > statements_max) this.#drop(this.#kept.keys().next().value!);
    return entry.made;
  }

  /** After the tables changed: a statement remembers the columns it was prepared with. */
  clear(): void {
    for (const sql of [...this.#kept.keys()]) this.#drop(sql);
  }

  #drop(sql: string): void {
    this.#kept.get(sql)?.raw.finalize();
    this.#kept.delete(sql);
  }
}
type Raw = Statement<unknown, any[]>;

/** Runs one step of the database; a storage fault comes out as the answer to give. */
export function guarded<R>(step: () => R, onFull?: () => void): R {
  try {
    return step();
  } catch (error) {
    if (isFull(error)) onFull?.();
    throw translated(error);
  }
}

/**
 * The statements of the main connection, in the shape that Kysely's driver runs. `onFull` is told
 * when the disk has no room, and gives some back:
 * a statement that stands alone is then tried once more. (A transaction is tried again as a whole,
 * by the group.)
 */
export const kyselyStatements = (
  database: Database,
  onFull: () => void,
): Statements<SqliteStatement> =>
  new Statements(database, (raw) => ({
    reader: raw.columnNames.length > 0,
    all: (parameters) => twice(database, () => raw.all(...parameters), onFull),
    run: (parameters) => twice(database, () => raw.run(...parameters), onFull),
    iterate: (parameters) => guarded(() => raw.iterate(...parameters)),
  }));

function twice<R>(database: Database, step: () => R, onFull: () => void): R {
  const alone = !database.inTransaction;
  try {
    return guarded(step, onFull);
  } catch (error) {
    if (!alone || !isFull(error)) throw error;
    return guarded(step);
  }
}

class OneConnectionDriver extends SqliteDriver {
  /** Lets the next one have the connection. */
  #free: (() => void) | undefined;
  constructor(
    database: SqliteDatabase,
    private readonly raw: Database,
    private readonly mutex: Mutex,
    private readonly refuse: () => void,
  ) {
    super({ database });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.refuse();
    this.#free = await this.mutex.lock();
    return super.acquireConnection();
  }
  override async releaseConnection(): Promise<void> {
    this.#free?.();
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
 * Kysely asks for its own lock before it asks the driver; ours must come after `refuse`, so the
 * lock is the driver's.
 */
class OwnLockAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export class BunSqliteDialect extends SqliteDialect {
  readonly #make: () => Driver;
  /** `refuse` throws when whoever asks for the connection must not wait for it. */
  constructor(
    database: Database,
    statements: Statements<SqliteStatement>,
    mutex: Mutex,
    refuse: () => void,
  ) {
    const shim: SqliteDatabase = {
      prepare: (sql) => statements.get(sql),
      close: () => {
        statements.clear();
        database.close();
      },
    };
    super({ database: shim });
    this.#make = () => new OneConnectionDriver(shim, database, mutex, refuse);
  }
  override createDriver(): Driver {
    return this.#make();
  }
  override createAdapter(): DialectAdapter {
    return new OwnLockAdapter();
  }
}
