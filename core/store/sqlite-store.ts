/**
 * The embedded database: one connection for writing, one for reads that don't wait for it, and the
 * rule that no statement bypasses an open transaction.
 */
import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { CompiledQuery, sql, Transaction } from "kysely";
import { systemClock } from "../base/clock";
import type { Log } from "../base/log";
import { withoutOrigin } from "../base/origin";
import { Checkpointer } from "./checkpointer";
import { DatabaseRoot } from "./database-root";
import { DiskSpace, logLimits } from "./disk-space";
import { freeSpaceOf, type FreeSpace } from "./free-space";
import { GroupCommit } from "./group-commit";
import { MemberHandle, MemberTurns, type HandleProps } from "./member-handle";
import { Mutex } from "./mutex";
import type { FileSpec } from "./read-connection";
import { LocalState } from "./shared-state";
import { LogSync } from "./log-sync";
import { OpenFiles } from "./open-files";
import { openUsingReserve } from "./reserve-file";
import { Shrinking } from "./shrinking";
import {
  InsideConnection,
  SingleConnectionDialect,
  kyselyStatements,
  runnerOf,
} from "./sqlite-dialect";
import { busy_timeout_ms, connect } from "./sqlite-connections";
import { SqlitePreparedReads } from "./sqlite-statements";
import { storageFull, storageUnwritable } from "./storage-errors";
import { StorageState } from "./storage-state";
import type { Db, Parameter, Space, Store, TransactionOptions } from "./store";
import { TransactionScopes } from "./transaction-scopes";
import { WalTruncation } from "./wal-truncation";
import { setRunner, type RunStatement } from "./raw-statements";

/** How the store reports and measures. */
export interface SqliteStoreOptions {
  readonly log: Log;
  /**
   * A confirmed write may not be on the disk: the process must end, and restart from what is there.
   * Until then every write is refused.
   */
  readonly onLostSync?: ((error: Error) => void) | undefined;
  /** Measures the disk space. Default: the operating system. */
  readonly freeSpace?: (path: string) => FreeSpace;
}

type Statements = ReturnType<typeof kyselyStatements>;

/** The port `Store` on a file of this machine. */
export class SqliteStore implements Store {
  readonly db: DatabaseRoot;
  readonly reads: SqlitePreparedReads;
  readonly read_connection: FileSpec;
  private readonly writer: Database;
  /** Held by whoever uses the writing connection. */
  private readonly mutex = new Mutex();
  /** The handle of an open group of transactions. */
  private readonly group: Db;
  private readonly statements: Statements;
  private readonly scopes: TransactionScopes;
  private readonly commits: GroupCommit;
  private readonly disk_space: DiskSpace;
  private readonly open_files: OpenFiles;
  private readonly storage_state: StorageState;
  private readonly log_sync: LogSync;
  private readonly checkpointer: Checkpointer;
  private readonly wal: WalTruncation;
  private readonly shrinking: Shrinking;
  /** A statement outside a transaction has written, and is not durable yet. */
  private wrote_alone = false;
  /** A statement of the open transaction may have written what has to be on disk. */
  private wrote_inside = false;
  private readonly run: RunStatement;

  /**
   * Opens or creates the file. Its directory must exist. @throws Error naming the file when it
   * can't be written to.
   */
  constructor(
    readonly path: string,
    { log, onLostSync = () => {}, freeSpace = freeSpaceOf }: SqliteStoreOptions,
  ) {
    const { writer, reader } = openUsingReserve(path, () => connect(path));
    const mutex = this.mutex;
    this.writer = writer;
    this.read_connection = { engine: "sqlite", path };
    this.scopes = new TransactionScopes(log);
    const onError = (error: unknown): void => this.storage_state.noteError(error);
    this.open_files = new OpenFiles([path, `${path}-wal`], onError);
    this.disk_space = new DiskSpace(writer, { path, log, freeSpace });
    this.storage_state = new StorageState({
      log,
      onLostSync,
      isDiskFull: () => this.disk_space.short,
      probe: () => this.probe(),
    });
    this.statements = kyselyStatements(writer, {
      requireIntact: () => this.storage_state.requireIntact(),
      admit: this.admitAlone,
      onError,
      onAlone: this.noteAlone,
      onInside: () => void (this.wrote_inside = true),
      makeSpace: () => {
        this.wal.tryNow();
        this.noteDiskFull();
      },
      releaseReserve: () => this.disk_space.releaseReserve("all"),
    });
    const dialect = new SingleConnectionDialect(this.statements, mutex, {
      require: this.scopes.requireOutside,
      read: this.readBeside,
      sync: this.syncAlone,
    });
    this.run = runnerOf(this.statements);
    this.db = setRunner(new DatabaseRoot({ dialect }), dialect.runOutside);
    const props: HandleProps = { config: { dialect }, dialect, driver: dialect.createDriver() };
    this.group = setRunner(groupOf(this.db, props, this.statements), this.run);
    this.reads = new SqlitePreparedReads(reader, onError);
    this.log_sync = new LogSync(`${path}-wal`, log);
    this.checkpointer = new Checkpointer(writer, mutex, {
      path,
      log_pages_max: logLimits(freeSpaceOf(dirname(path))).pages_max,
      onError,
    });
    this.wal = new WalTruncation(writer, mutex, {
      busy_timeout_ms,
      log,
      onError,
      checkpoint: () => this.checkpointer.run(),
      endReads: () => this.reads.endSnapshot(),
    });
    this.wal.tryNow();
    this.shrinking = new Shrinking(writer, mutex, {
      log,
      onError,
      isDiskShort: () => this.disk_space.short,
      emptyLog: () => this.wal.tryForSpace(),
      checkpoint: () => this.checkpointer.run(),
      onEnd: () => this.wal.request(),
    });
    this.commits = new GroupCommit({
      transact: (within) => withoutOrigin(() => this.transact(within)),
      memberHandle: (group) => new MemberHandle(group, props, this.run, new MemberTurns()),
      isOpen: () => writer.inTransaction,
      releaseReserve: (amount) => this.disk_space.releaseReserve(amount),
    });
  }

  get engine(): string {
    return `SQLite ${sqlite_version}`;
  }

  readonly inTransaction = <R>(
    work: (tx: Db) => Promise<R>,
    options: TransactionOptions = {},
  ): Promise<R> =>
    this.scopes.run(work, async (inScope) => {
      const { uses_reserve, waits_for_disk = true } = options;
      this.admit(uses_reserve);
      return this.commits.run(waits_for_disk ? inScope : this.withoutSync(inScope), options);
    });

  readonly expect = (coming: Promise<unknown>): void => this.commits.expect(coming);

  readonly afterCommit: Store["afterCommit"] = (work, undone) =>
    this.scopes.afterCommit(work, undone);

  readonly inDeletion = <R>(work: (tx: Db) => Promise<R>): Promise<R> =>
    this.inTransaction(work, { uses_reserve: true });

  /** The lock on the data directory keeps other servers away. */
  readonly exclusively = <R>(work: () => Promise<R>): Promise<R> => work();

  readonly channel = null;
  readonly state = new LocalState(systemClock.now_ms);

  readonly noteRequest = (): void => this.reads.noteRequest();

  readonly truncateWal = (): void =>
    withoutOrigin(() => {
      this.wal.request();
      this.shrinking.request();
    });

  readonly space = (): Promise<Space> => this.shrinking.space();

  readonly tableNames = async (db: Db): Promise<string[]> => {
    const names = sql<{ name: string }>`
      select name from sqlite_master
      where type in ('table', 'view') and name not like 'sqlite!_%' escape '!'
      order by name`;
    return (await names.execute(db)).rows.map((row) => row.name);
  };

  readonly copyTo = async (path: string): Promise<void> => {
    await sql`vacuum into ${path}`.execute(this.db);
  };

  readonly isDiskFull = (): boolean => this.disk_space.full;

  readonly freeBytes = (): number => this.disk_space.free_bytes;

  readonly failure = (): Promise<string | null> => {
    const moved = this.open_files.moved();
    // Noted each time: a write that was in progress when they were moved may have succeeded since.
    if (moved) this.storage_state.noteError(moved);
    return this.storage_state.failure();
  };

  readonly slowness = (): string | null => this.log_sync.meter.slowness();

  readonly forgetStatements = (): void => {
    this.statements.clear();
    this.reads.forgetStatements();
  };

  readonly close = async (): Promise<void> => {
    await this.disk_space.stop();
    await this.shrinking.stop();
    await this.checkpointer.stop();
    await this.wal.stop();
    await this.log_sync.close();
    // The writing connection comes last, because only it can empty and delete the log.
    this.reads.close();
    await this.db.destroy();
  };

  /** What it writes need not be synced: others of its group may still have to wait for the disk. */
  private readonly withoutSync =
    <R>(work: (tx: Db) => Promise<R>) =>
    async (tx: Db): Promise<R> => {
      const others_wrote = this.wrote_inside;
      try {
        return await work(tx);
      } finally {
        this.wrote_inside = others_wrote;
      }
    };

  /** One group of transactions, run outside the scope of the first caller. */
  private async transact(within: (group: Db) => Promise<void>): Promise<void> {
    this.open_files.require();
    const is_reserve_used = this.disk_space.reserve_in_use;
    // A deletion needs the space taken up by the log.
    if (this.disk_space.full) await this.wal.tryForSpace();
    this.disk_space.limitGrowth();
    this.wrote_inside = false;
    try {
      await this.scopes.exit(() => this.inOne(() => within(this.group)));
      if (this.wrote_inside) {
        await this.sync();
        this.storage_state.noteWritten();
      }
    } finally {
      if (this.storage_state.found_full_disk) {
        // What did not fit is still at the end of the log.
        await this.wal.tryForSpace();
        this.noteDiskFull();
      } else if (this.disk_space.log_is_long) this.wal.request();
      else this.checkpointer.noteCommit();
      if (is_reserve_used) {
        // At once, for the next deletion: others may take the space meanwhile.
        await this.wal.tryForSpace();
        await this.disk_space.check();
      }
    }
  }

  /** Runs `work` in one transaction of the writing connection. */
  private async inOne(work: () => Promise<void>): Promise<void> {
    const unlock = await this.mutex.lock();
    try {
      // A plain `begin` takes the write lock at the first write, and then fails at once when
      // another connection wrote in between.
      await this.run("begin immediate", []);
      await work();
      await this.run("commit", []);
    } catch (error) {
      // A full disk ends the transaction by itself; rolling back again would hide the reason.
      if (this.writer.inTransaction) await this.run("rollback", []);
      throw error;
    } finally {
      this.reads.endSnapshot();
      unlock();
    }
  }

  private readonly readBeside: RunStatement = (sql, parameters) => {
    this.storage_state.requireIntact();
    return this.reads.all(sql, ...(parameters as Parameter[]));
  };

  private readonly noteAlone = (): void => {
    this.wrote_alone = true;
    this.reads.endSnapshot();
  };

  /** Like `sync`, when there is something to sync. */
  private readonly syncAlone = async (): Promise<void> => {
    if (!this.wrote_alone) return;
    this.wrote_alone = false;
    await this.sync();
    this.storage_state.noteWritten();
  };

  /** @throws HttpError 503 when commits may be lost. */
  private async sync(): Promise<void> {
    try {
      await this.log_sync.sync();
    } catch (error) {
      this.storage_state.noteLostSync(error);
      throw storageUnwritable();
    }
  }

  /** @throws HttpError 507 while the remaining disk space is reserved for deletions. */
  private admit(uses_reserve = false): void {
    if (!uses_reserve && this.disk_space.reserve_in_use) throw storageFull();
  }

  /** A change outside a transaction. */
  private readonly admitAlone = (deletes: boolean): void => {
    this.admit(deletes);
    this.open_files.require();
    this.disk_space.limitGrowth();
  };

  private noteDiskFull(): void {
    this.storage_state.found_full_disk = false;
    this.disk_space.noteFull();
  }

  /** Writes one page without changing its content. */
  private async probe(): Promise<void> {
    await this.inTransaction(
      async (tx) => {
        const { rows } = await tx.executeQuery<{ user_version: number }>(
          CompiledQuery.raw("pragma user_version"),
        );
        await tx.executeQuery(CompiledQuery.raw(`pragma user_version = ${rows[0]!.user_version}`));
      },
      { uses_reserve: true },
    );
  }
}

/** The handle of a group of transactions, which has the connection. */
function groupOf(db: Db, props: HandleProps, statements: Statements): Db {
  const inside = new InsideConnection(statements);
  const executor = db
    .getExecutor()
    .withConnectionProvider({ provideConnection: (consumer) => consumer(inside) });
  return new Transaction({ ...props, executor });
}

const sqlite_version = process.versions.sqlite ?? "";
