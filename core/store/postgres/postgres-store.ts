/**
 * The database as PostgreSQL. As in the embedded one, transactions run one after another: a lock in
 * the database ensures it across all processes, and transactions that arrive together share the
 * lock and one commit. So what is read inside a transaction holds until its end, on both engines.
 */
import type { SQL } from "bun";
import { sql, Transaction } from "kysely";
import { HttpError } from "../../base/errors";
import type { Log } from "../../base/log";
import { withoutOrigin } from "../../base/origin";
import { DatabaseRoot } from "../database-root";
import { freeSpaceOf } from "../free-space";
import type { Role } from "../nodes";
import { GroupCommit } from "../group-commit";
import { MemberHandle, type HandleProps } from "../member-handle";
import type { ReadConnectionSpec } from "../read-connection";
import { isConflict, isUnreachable, outcomeUnknown } from "../storage-errors";
import type { Db, Parameter, PreparedReads, Space, Store, TransactionOptions } from "../store";
import { SyncMeter } from "../sync-meter";
import { TransactionScopes } from "../transaction-scopes";
import { setRunner, type RunStatement } from "../raw-statements";
import {
  openSql,
  Pool,
  type ReservedConnection,
  type PostgresOptions,
  type StatementResult,
} from "./connections";
import { PostgresDialect, QueryConnection, type RunQuery } from "./postgres-dialect";
import { checkServer, unreachable } from "./server-check";
import { exclusively } from "./exclusive-lock";
import { PostgresChannel } from "./postgres-channel";
import { PostgresNodes } from "./postgres-nodes";
import { isReading } from "./statement-text";
import { DatabaseClock } from "./database-clock";
import { DatabaseState } from "./database-state";
import { PostgresState } from "./postgres-state";
import { Vacuum } from "./vacuum";

/** The lock for writing: any number that is otherwise unused in this database. */
const writing_lock = 0x646f7373;
/**
 * One round trip. Only then is anything read, with a snapshot per statement: everything committed
 * by others until then is visible.
 */
const begin = `begin isolation level read committed; select pg_advisory_xact_lock(${writing_lock})`;

/**
 * Everybody else who writes waits for an open transaction: if its process is frozen, the database
 * ends it soon, and the process retries it when it continues.
 */
const writer_session = { idle_in_transaction_session_timeout: "5000" };

/** How often the time is queried at the start; the fastest response is the most accurate. */
const clock_queries = 3;

/** The database, and what this process has besides it. */
export interface PostgresStoreOptions extends PostgresOptions {
  readonly log: Log;
  /** The data directory: files being read or received need space there. */
  readonly data: string;
}

/** The port `Store` on a PostgreSQL server. Call `open` before anything else. */
export class PostgresStore implements Store {
  /** Without the password. */
  readonly path: string;
  readonly db: DatabaseRoot;
  readonly reads: PreparedReads;
  readonly read_connection: ReadConnectionSpec;
  private readonly reader: Pool;
  private writer: Pool;
  private readonly listener: SQL;
  private readonly scopes: TransactionScopes;
  private readonly commits: GroupCommit;
  private readonly commit_meter: SyncMeter;
  private readonly database_state: DatabaseState;
  private readonly vacuum: Vacuum;
  private readonly data: string;
  private readonly log: Log;
  readonly channel: PostgresChannel;
  readonly state: PostgresState;
  /** Messages to other processes, sent with the commit of the open group. */
  private readonly messages: string[] = [];
  /** The clock of the database. */
  readonly clock: DatabaseClock;
  private readonly options: PostgresOptions;
  private engine_name = "PostgreSQL";
  /** The open transaction has lost its connection. */
  private broken = false;

  /** Connects at the first statement. */
  constructor({ log, data, ...options }: PostgresStoreOptions) {
    this.path = withoutPassword(options.url);
    this.read_connection = { engine: "postgres", ...options };
    this.data = data;
    this.log = log;
    this.options = options;
    this.clock = new DatabaseClock();
    this.reader = new Pool(options, options.connections, "reads");
    this.writer = new Pool(options, 1, "writes", writer_session);
    this.listener = openSql(options, 1, "channel");
    this.state = new PostgresState(options, log);
    this.database_state = new DatabaseState(log, () => this.probe());
    this.commit_meter = new SyncMeter(log);
    this.vacuum = new Vacuum(options, log);
    this.scopes = new TransactionScopes(log);
    const runOutside: RunQuery = (text, parameters) => this.runOutside(text, parameters);
    const dialect = new PostgresDialect(runOutside, () => this.closePools());
    this.channel = new PostgresChannel({
      sql: this.listener,
      scopes: this.scopes,
      run: (text, parameters) => this.reader.read(text, parameters),
      log,
    });
    this.db = setRunner(
      new DatabaseRoot({ dialect }),
      async (text, parameters) => (await runOutside(text, parameters)).rows,
    );
    const props: HandleProps = { config: { dialect }, dialect, driver: dialect.createDriver() };
    this.reads = this.preparedReads();
    let runInside: RunStatement;
    this.commits = new GroupCommit({
      transact: (within) =>
        withoutOrigin(() =>
          this.scopes.exit(() =>
            this.transact(props, (group, runGroup) => {
              runInside = runGroup;
              return within(group);
            }),
          ),
        ),
      memberHandle: (group) => new MemberHandle(group, props, runInside),
      isOpen: () => !this.broken,
      releaseReserve: () => false,
      isTransient: (error) => isConflict(error) || isUnreachable(error),
      isUncertain: (error) => error instanceof HttpError && uncertain.has(error),
    });
  }

  /** Checks whether it is usable. @throws Error in plain words */
  async open(): Promise<void> {
    this.engine_name = await checkServer(
      (...statement) => this.writer.run(...statement),
      this.path,
      {
        ...writer_session,
        transaction_read_only: "off",
      },
    );
    try {
      await this.state.open();
      for (let n = 0; n < clock_queries; n++)
        await this.clock.measure((text) => this.reader.run(text));
    } catch (error) {
      throw unreachable(error, this.path);
    }
  }

  /** This process among those that serve the database. */
  nodes(role: Role): PostgresNodes {
    return new PostgresNodes({
      role,
      data: this.data,
      run: (text, parameters) => this.reader.read(text, parameters),
      database: this.options,
      log: this.log,
      onHeartbeat: (run) => this.clock.measure(run),
    });
  }

  get engine(): string {
    return this.engine_name;
  }

  readonly inTransaction = <R>(
    work: (tx: Db) => Promise<R>,
    options: TransactionOptions = {},
  ): Promise<R> =>
    this.scopes.run(
      async (tx) => {
        const result = await work(tx);
        this.messages.push(...this.scopes.messages!);
        return result;
      },
      (inScope) => this.commits.run(inScope, options),
    );

  /** Does nothing: other processes would have to wait, too. */
  readonly expect = (): void => {};

  /** Statements have no time limit meanwhile: an index of a large table may take minutes. */
  readonly exclusively = <R>(work: () => Promise<R>): Promise<R> =>
    exclusively(this.options, async () => {
      const limited_writer = this.writer;
      this.writer = new Pool({ ...this.options, statement_ms_max: 0 }, 1, "tables", writer_session);
      try {
        return await work();
      } finally {
        await this.writer.close();
        this.writer = limited_writer;
      }
    });

  readonly afterCommit: Store["afterCommit"] = (work, undone) =>
    this.scopes.afterCommit(work, undone);

  readonly inDeletion = <R>(work: (tx: Db) => Promise<R>): Promise<R> =>
    this.inTransaction(work, { uses_reserve: true });

  /** Every read sees what was committed before it. */
  readonly noteRequest = (): void => undefined;

  readonly truncateWal = (): void => withoutOrigin(() => this.vacuum.request());

  readonly space = async (): Promise<Space> => {
    const row = await this.reads.get<{ bytes: number }>(
      "select pg_database_size(current_database()) as bytes",
    );
    return { bytes: row!.bytes, free_bytes: 0, shrinks: false };
  };

  readonly tableNames = async (db: Db): Promise<string[]> => {
    const names = sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = current_schema() order by table_name`;
    return (await names.execute(db)).rows.map(({ name }) => name);
  };

  /** `pg_dump` makes copies. */
  readonly copyTo = null;

  /** The database plans statements again by itself. */
  readonly forgetStatements = (): void => {};

  readonly isDiskFull = (): boolean => this.database_state.is_full;

  readonly freeBytes = (): number => freeSpaceOf(this.data).free_bytes;

  readonly failure = (): Promise<string | null> => this.database_state.failure();

  readonly slowness = (): string | null => this.commit_meter.slowness();

  readonly close = async (): Promise<void> => {
    await this.channel.stop();
    await this.state.close();
    await this.vacuum.stop();
    await this.db.destroy();
  };

  private async closePools(): Promise<void> {
    await Promise.all([this.reader.close(), this.writer.close(), this.listener.close()]);
  }

  private preparedReads(): PreparedReads {
    const all = async <R>(text: string, ...parameters: readonly Parameter[]): Promise<R[]> =>
      (await this.reader.read(text, parameters)).rows as R[];
    return {
      all,
      get: async <R>(text: string, ...values: readonly Parameter[]) =>
        (await all<R>(text, ...values))[0],
    };
  }

  private async runOutside(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    this.scopes.requireOutside();
    if (isReading(text)) return this.reader.read(text, parameters);
    let ran: StatementResult | undefined;
    await this.commits.run(async (tx) => {
      ran = await runIn(tx, text, parameters);
    });
    return ran!;
  }

  /** @throws when it can't be reached, or only be read. */
  private async probe(): Promise<void> {
    const { rows } = await this.reader.run("show transaction_read_only");
    if (rows[0]!.transaction_read_only !== "on") return;
    throw Object.assign(new Error("it is read-only, like a standby"), { code: "EROFS" });
  }

  /** One group of transactions: on the writing connection, and with the lock. */
  private async transact(
    props: HandleProps,
    within: (group: Db, runGroup: RunStatement) => Promise<void>,
  ): Promise<void> {
    this.broken = false;
    this.messages.length = 0;
    const connection = await this.begin();
    let has_failed = false;
    const runGroup: RunQuery = async (text, parameters) => {
      try {
        return await connection.run(text, parameters);
      } catch (error) {
        this.database_state.noteError(error);
        has_failed = true;
        this.broken ||= isUnreachable(error);
        throw error;
      }
    };
    try {
      await within(...groupOf(this.db, props, runGroup));
      if (this.messages.length > 0) await this.channel.notify(runGroup, this.messages);
    } catch (error) {
      if (!this.broken) await runGroup("rollback", []).catch(() => undefined);
      connection.release();
      throw error;
    }
    try {
      const begun_ms = performance.now();
      await runGroup("commit", []);
      this.commit_meter.note(performance.now() - begun_ms);
      // After a failure there may have been nothing left to write.
      if (!has_failed) this.database_state.noteWritten();
    } catch (error) {
      throw this.broken ? noteUncertain(outcomeUnknown(error)) : error;
    } finally {
      connection.release();
    }
  }

  /** A connection with an open transaction and the lock; a broken one is replaced. */
  private async begin(retries = true): Promise<ReservedConnection> {
    let connection: ReservedConnection | undefined;
    try {
      connection = await this.writer.reserve();
      await connection.run(begin);
      return connection;
    } catch (error) {
      connection?.release();
      this.database_state.noteError(error);
      if (retries && isUnreachable(error)) return this.begin(false);
      throw error;
    }
  }
}

/** Errors after which it is unknown what was committed. */
const uncertain = new WeakSet<HttpError>();
function noteUncertain(error: HttpError): HttpError {
  uncertain.add(error);
  return error;
}

/**
 * The handle of a group whose transaction has begun on a connection, and its shortcut past Kysely.
 */
function groupOf(db: Db, props: HandleProps, runGroup: RunQuery): [Db, RunStatement] {
  const connection = new QueryConnection(runGroup);
  const runStatement: RunStatement = async (text, parameters) =>
    (await runGroup(text, parameters)).rows;
  const executor = db
    .getExecutor()
    .withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
  return [setRunner(new Transaction({ ...props, executor }), runStatement), runStatement];
}

/** A raw statement in a transaction. */
async function runIn(
  tx: Db,
  text: string,
  parameters: readonly unknown[],
): Promise<StatementResult> {
  const { rows, numAffectedRows } = await tx.executeQuery<Record<string, unknown>>(
    // This kind of node makes Kysely count changed rows.
    {
      sql: text,
      parameters,
      query: { kind: "UpdateQueryNode" },
      queryId: { queryId: text },
    } as never,
  );
  return { rows, count: Number(numAffectedRows ?? rows.length) };
}

/** The address of a database without the password, to be shown and logged. */
export function withoutPassword(url: string): string {
  try {
    const shown = new URL(url);
    shown.password = "";
    return shown.href;
  } catch {
    return "postgres://";
  }
}
