/**
 * Opens the embedded database: one connection that writes, one for prepared reads, and the rule that
 * nobody goes around a transaction.
 */
import { Database } from "bun:sqlite";
import { AsyncLocalStorage } from "node:async_hooks";
import { Kysely } from "kysely";
import { errorFields, type Log } from "../base/log";
import { createBallast, withRoom } from "./ballast";
import { createGroup } from "./group";
import { Mutex } from "./mutex";
import type { ReadConnectionSpec } from "./read-connection";
import { createScrub } from "./scrub";
import { BunSqliteDialect, guarded, kyselyStatements, Statements } from "./sqlite";

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
type Parameter = string | number | bigint | null | Uint8Array;

export interface Store {
  readonly db: Db<any>;
  /**
   * All of `work` is kept, or none; everyone else waits meanwhile. Answers when it is on disk;
   * those that come together share one write.
   * On a full disk it is tried a second time. @throws Error inside another transaction, HttpError
   * 507 or 503 when the storage fails.
   */
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  /**
   * Runs once the surrounding transaction is on disk, at once outside one, never when it was rolled
   * back.
   */
  readonly afterCommit: (work: () => void) => void;
  readonly reads: PreparedReads;
  /** For `openReadConnection` in a worker thread. */
  readonly read_connection: ReadConnectionSpec;
  /**
   * After text was deleted: takes it out of the write-ahead log within two seconds. Returns at
   * once.
   */
  readonly truncateWal: () => void;
  /** After tables changed: statements prepared before are prepared again. */
  readonly forgetStatements: () => void;
  /**
   * True from the time the disk was full until there is room again. What writes much waits or is
   * refused meanwhile.
   */
  readonly full: () => boolean;
  /** Waits for the open transaction, empties the log and closes the file. */
  readonly close: () => Promise<void>;
  readonly path: string;
}

/**
 * What a transaction knows of itself. It may outlive its end in a timer or promise that was started
 * inside, hence `open`.
 */
interface Surrounding {
  open: boolean;
  readonly after: (() => void)[];
}

const busy_timeout_ms = 5_000;

const ballast_after_ms = 10_000;

/** The busy timeout comes first: switching to WAL can itself meet another opener. */
const pragmas = [
  `busy_timeout = ${busy_timeout_ms}`,
  "page_size = 4096",
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "secure_delete = ON",
  "wal_autocheckpoint = 4000",
  "temp_store = MEMORY",
  "cache_size = -8000",
];

/**
 * Everything goes through `inTransaction`, because only it marks the surroundings that `refuse`
 * looks at.
 */
class Root extends Kysely<any> {
  override transaction(): never {
    throw new Error("use `inTransaction`, not `db.transaction()`");
  }
  override startTransaction(): never {
    throw new Error("use `inTransaction`, not `db.startTransaction()`");
  }
  override connection(): never {
    throw new Error(
      "there is one connection: use the database or `inTransaction`, not `db.connection()`",
    );
  }
  begin() {
    return super.transaction();
  }
}

/**
 * Opens the file, or makes it. Its directory must be there. @throws Error naming the file when it
 * can't be written to.
 */
export function openStore(path: string, { log }: { readonly log: Log }): Store {
  const [database, reader] = withRoom(path, () => connect(path));
  const ballast = createBallast(path, log);
  const surrounding = new AsyncLocalStorage<Surrounding | undefined>();
  const mutex = new Mutex();
  const statements = kyselyStatements(database, ballast.drop);
  const prepared = new Statements(reader, (raw) => raw);
  const refuse = () => {
    if (surrounding.getStore()?.open)
      throw new Error("a query went around the open transaction: pass `tx` down, not the database");
  };
  const db = new Root({ dialect: new BunSqliteDialect(database, statements, mutex, refuse) });
  const scrub = createScrub(database, mutex, busy_timeout_ms, log);
  scrub.tryNow();
  // Not at once: the start is for requests, and a command that ends soon needs no ballast.
  const later = setTimeout(() => void ballast.restore(), ballast_after_ms).unref();

  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error("work after a commit failed", errorFields(error));
    }
  };

  // The leader of a group runs for everyone: what surrounds the one who came first is not its own.
  const join = createGroup({
    async transact(within) {
      // What the log takes up is room that a deletion needs.
      if (ballast.full()) await scrub.once();
      return surrounding.exit(() => db.begin().execute(within));
    },
    isOpen: () => database.inTransaction,
    full: ballast.full,
  });

  return {
    db,
    path,
    read_connection: { path },
    truncateWal: scrub.soon,
    full: ballast.full,
    async inTransaction(work) {
      refuse();
      const here: Surrounding = { open: false, after: [] };
      const result = await join((tx) => {
        here.open = true;
        here.after.length = 0;
        return surrounding
          .run(here, () => work(tx))
          .finally(() => {
            here.open = false;
          });
      });
      surrounding.exit(() => here.after.forEach(attempt));
      return result;
    },
    afterCommit(work) {
      const here = surrounding.getStore();
      if (here?.open) here.after.push(work);
      else surrounding.exit(() => attempt(work));
    },
    reads: {
      get: async <R>(sql: string, ...params: readonly Parameter[]) =>
        (guarded(() => prepared.get(sql).get(...params)) as R | null) ?? undefined,
      all: async <R>(sql: string, ...params: readonly Parameter[]) =>
        guarded(() => prepared.get(sql).all(...params)) as R[],
    },
    forgetStatements() {
      statements.clear();
      prepared.clear();
    },
    async close() {
      clearTimeout(later);
      await ballast.settled();
      await scrub.stop();
      prepared.clear();
      reader.close();
      await db.destroy();
    },
  };
}

/** The connection that writes and the one that reads. */
function connect(path: string): [Database, Database] {
  try {
    const database = new Database(path, { create: true });
    for (const pragma of pragmas) database.run(`pragma ${pragma}`);
    // A file that can only be read opens without complaint, and would fail at the first request
    // that writes.
    database.run("begin immediate");
    database.run("rollback");
    const reader = new Database(path, { readonly: true });
    reader.run(`pragma busy_timeout = ${busy_timeout_ms}`);
    return [database, reader];
  } catch (error) {
    throw new Error(
      `the database ${path} can't be opened for writing: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}
