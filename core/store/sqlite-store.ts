/**
 * The embedded database: one connection that writes, one for prepared reads, and the rule that
 * nobody goes around a transaction.
 */
import { Database } from "bun:sqlite";
import { AsyncLocalStorage } from "node:async_hooks";
import { Kysely } from "kysely";
import { errorFields, type Log } from "../base/log";
import { GroupCommit } from "./group-commit";
import { Mutex } from "./mutex";
import type { ReadConnectionSpec } from "./read-connection";
import { openUsingReserve, ReserveFile } from "./reserve-file";
import { SingleConnectionDialect, kyselyStatements } from "./sqlite-dialect";
import { SqlitePreparedReads } from "./sqlite-statements";
import type { Db, Store } from "./store";
import { WalTruncation } from "./wal-truncation";

/**
 * What a transaction knows of itself. It may outlive its end in a timer or promise that was started
 * inside, hence `open`.
 */
interface TransactionScope {
  open: boolean;
  readonly after_commit: (() => void)[];
}

const busy_timeout_ms = 5_000;

/** Not at once: the start is for requests, and a command that ends soon needs no reserve. */
const write_reserve_after_ms = 10_000;

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

/** Everything goes through `inTransaction`, because only it opens a scope. */
class DatabaseRoot extends Kysely<any> {
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

export class SqliteStore implements Store {
  readonly db: DatabaseRoot;
  readonly reads: SqlitePreparedReads;
  readonly read_connection: ReadConnectionSpec;
  readonly #statements: ReturnType<typeof kyselyStatements>;
  readonly #scope = new AsyncLocalStorage<TransactionScope | undefined>();
  readonly #commits: GroupCommit;
  readonly #reserve: ReserveFile;
  readonly #write_reserve: ReturnType<typeof setTimeout>;
  readonly #wal: WalTruncation;
  readonly #log: Log;

  /**
   * Opens the file, or makes it. Its directory must be there. @throws Error naming the file when it
   * can't be written to.
   */
  constructor(
    readonly path: string,
    { log }: { readonly log: Log },
  ) {
    const { writer, reader } = openUsingReserve(path, () => connect(path));
    const mutex = new Mutex();
    this.read_connection = { path };
    this.#log = log;
    this.#reserve = new ReserveFile(path, log);
    this.#statements = kyselyStatements(writer, () => this.#reserve.release());
    this.db = new DatabaseRoot({
      dialect: new SingleConnectionDialect(writer, this.#statements, mutex, this.#requireOutside),
    });
    this.reads = new SqlitePreparedReads(reader);
    this.#wal = new WalTruncation(writer, mutex, busy_timeout_ms, log);
    this.#wal.tryNow();
    this.#write_reserve = setTimeout(
      () => void this.#reserve.restore(),
      write_reserve_after_ms,
    ).unref();
    this.#commits = new GroupCommit({
      transact: (within) => this.#transact(within),
      isOpen: () => writer.inTransaction,
      isDiskFull: this.isDiskFull,
    });
  }

  readonly inTransaction = async <R>(work: (tx: Db) => Promise<R>): Promise<R> => {
    this.#requireOutside();
    const scope: TransactionScope = { open: false, after_commit: [] };
    const result = await this.#commits.run((tx) => {
      // It may be the second try.
      scope.open = true;
      scope.after_commit.length = 0;
      return this.#scope
        .run(scope, () => work(tx))
        .finally(() => {
          scope.open = false;
        });
    });
    this.#scope.exit(() => scope.after_commit.forEach(this.#attempt));
    return result;
  };

  readonly afterCommit = (work: () => void): void => {
    const scope = this.#scope.getStore();
    if (scope?.open) scope.after_commit.push(work);
    else this.#scope.exit(() => this.#attempt(work));
  };

  readonly truncateWal = (): void => this.#wal.request();

  readonly isDiskFull = (): boolean => this.#reserve.isDiskFull();

  readonly forgetStatements = (): void => {
    this.#statements.clear();
    this.reads.forgetStatements();
  };

  readonly close = async (): Promise<void> => {
    clearTimeout(this.#write_reserve);
    await this.#reserve.settled();
    await this.#wal.stop();
    this.reads.close();
    await this.db.destroy();
  };

  /** One group of transactions. It runs outside the scope of whoever came first. */
  async #transact(within: (tx: Db) => Promise<void>): Promise<void> {
    // The space that the log takes up is needed by a deletion.
    if (this.isDiskFull()) await this.#wal.tryOnce();
    return this.#scope.exit(() => this.db.begin().execute(within));
  }

  readonly #requireOutside = (): void => {
    if (this.#scope.getStore()?.open)
      throw new Error("a query went around the open transaction: pass `tx` down, not the database");
  };

  readonly #attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      this.#log.error("work after a commit failed", errorFields(error));
    }
  };
}

/** The connection that writes and the one that reads. */
function connect(path: string): { readonly writer: Database; readonly reader: Database } {
  try {
    const writer = new Database(path, { create: true });
    for (const pragma of pragmas) writer.run(`pragma ${pragma}`);
    // A file that can only be read opens without complaint, and would fail at the first request
    // that writes.
    writer.run("begin immediate");
    writer.run("rollback");
    const reader = new Database(path, { readonly: true });
    reader.run(`pragma busy_timeout = ${busy_timeout_ms}`);
    return { writer, reader };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the database ${path} can't be opened for writing: ${reason}`, {
      cause: error,
    });
  }
}
