/**
 * Connections to PostgreSQL: one for writing and a pool for reading, so that a read inside a
 * transaction never waits for a connection that the transaction holds.
 */
import type { SQL } from "bun";
import type { StoredSetting } from "../inspection";
import { databaseBusy, isUnreachable, translateError } from "../storage-errors";
import { toNumber } from "../whole-number";
import { numbered } from "./statement-text";

/** Which database, and how it is used. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; parameters such as `sslmode` as in libpq. */
  readonly url: string;
  /** Concurrent reading connections. */
  readonly connections: number;
  /** A statement that takes longer is cancelled; 0: none is. */
  readonly statement_ms_max: number;
}

/** Whether the address is one of PostgreSQL. */
export const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text);

/** The result of a statement. */
export interface StatementResult {
  readonly rows: Record<string, unknown>[];
  /** Rows found or changed. */
  readonly count: number;
}

/** Runs statements that are written out with `?`. */
export interface Connection {
  /**
   * Whole numbers are returned as numbers. @throws the error of the database, or the corresponding
   * HTTP error (503, 507).
   */
  run(text: string, parameters?: readonly unknown[]): Promise<StatementResult>;
}

/** A connection that nobody else uses until it is released. */
export interface ReservedConnection extends Connection {
  release(): void;
}

/** How long to wait for a connection. */
const connect_s_max = 10;
/** The database ends a transaction that is idle for this long, because others wait for it. */
const idle_transaction_ms_max = 30_000;
/**
 * When a process disappears without closing its connections, even idle ones, the database ends its
 * sessions after some 40 s, which releases their locks.
 */
const keepalives = {
  tcp_keepalives_idle: "20",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "4",
};

/** Settings of the sessions by name, beside those that all have. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * At most this many connections for one purpose, made on first use. When the database does not
 * answer on one of them, as when a machine in between disappears, all are given up: statements that
 * wait for an answer fail as if the connection had broken, and later ones get new connections.
 */
export class Pool implements Connection {
  private sql: SQL;
  private free: number;
  private closed = false;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly options: PostgresOptions,
    private readonly connections_max: number,
    private readonly name: string,
    private readonly settings: SessionSettings = {},
  ) {
    this.free = connections_max;
    this.sql = this.open();
  }

  async run(text: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    await this.enter();
    try {
      const sql = this.sql;
      return await this.withTimeLimit(sql, run(sql, text, parameters));
    } finally {
      this.leave();
    }
  }

  /**
   * For statements that may run twice: tried once more when the connection breaks. @throws as `run`
   * does
   */
  async read(text: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    try {
      return await this.run(text, parameters);
    } catch (error) {
      // A restarted database has dropped all connections.
      if (!isUnreachable(error)) throw error;
      return this.run(text, parameters);
    }
  }

  /** @throws as `run` does */
  async reserve(): Promise<ReservedConnection> {
    await this.enter();
    const sql = this.sql;
    const connection = await sql.reserve().catch((error: unknown) => {
      this.leave();
      throw translateError(error);
    });
    return {
      run: (text, parameters = []) => this.withTimeLimit(sql, run(connection, text, parameters)),
      release: () => {
        connection.release();
        this.leave();
      },
    };
  }

  /** Waits for running statements, unless `at_once`. */
  async close({ at_once = false } = {}): Promise<void> {
    this.closed = true;
    await this.sql.close(at_once ? { timeout: 0 } : undefined);
  }

  private open(): SQL {
    return openSql(this.options, this.connections_max, this.name, this.settings);
  }

  /**
   * Gives up after the time at which the database would have cancelled the statement. The time is
   * measured in two halves, so that a process that was frozen reads what has arrived first.
   */
  private async withTimeLimit<R>(sql: SQL, statement: Promise<R>): Promise<R> {
    const { statement_ms_max } = this.options;
    if (statement_ms_max === 0) return statement;
    const half_ms = (statement_ms_max + connect_s_max * 1_000) / 2;
    let timer = setTimeout(() => {
      timer = setTimeout(() => this.giveUp(sql), half_ms);
    }, half_ms);
    try {
      return await statement;
    } finally {
      clearTimeout(timer);
    }
  }

  private giveUp(sql: SQL): void {
    if (sql === this.sql && !this.closed) this.sql = this.open();
    void sql.close({ timeout: 0 });
  }

  /** Waits for a free connection. @throws HttpError 503 when that takes too long */
  private async enter(): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.waiting.push(resolve);
    const { statement_ms_max } = this.options;
    const onTimeout = (): void => {
      this.waiting.splice(this.waiting.indexOf(resolve), 1);
      reject(databaseBusy());
    };
    const timer = statement_ms_max === 0 ? undefined : setTimeout(onTimeout, statement_ms_max);
    await promise.finally(() => clearTimeout(timer));
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

/** Bun's pool: at most this many connections, and one more for each LISTEN. */
export const openSql = (
  { url, statement_ms_max }: PostgresOptions,
  max: number,
  name: string,
  settings: SessionSettings = {},
): SQL =>
  // An import by name would load the driver at every start.
  new Bun.SQL(url, {
    max,
    bigint: true,
    connectionTimeout: connect_s_max,
    connection: {
      application_name: `dossier ${name}`,
      statement_timeout: String(statement_ms_max),
      idle_in_transaction_session_timeout: String(idle_transaction_ms_max),
      // Overrides those of the role or database: writers wait for each other, listeners for news.
      lock_timeout: "0",
      idle_session_timeout: "0",
      // The same on every machine.
      TimeZone: "UTC",
      ...keepalives,
      ...settings,
    },
  } as never);

/** The stored settings; none when the database can't be reached: opening it will report that. */
export async function storedSettingsOf(url: string): Promise<readonly StoredSetting[]> {
  const options = { url, connections: 1, statement_ms_max: connect_s_max * 1_000 };
  const pool = new Pool(options, 1, "settings");
  try {
    const { rows } = await pool.run("select setting, value, sealed from core_settings");
    return rows as unknown as StoredSetting[];
  } catch {
    return [];
  } finally {
    await pool.close();
  }
}

async function run(
  connection: Pick<SQL, "unsafe">,
  text: string,
  parameters: readonly unknown[],
): Promise<StatementResult> {
  try {
    const rows = (await connection.unsafe(
      numbered(text),
      parameters.map(toBound) as never,
    )) as unknown as Record<string, unknown>[] & { count: number | null };
    for (const row of rows) convertBigints(row);
    return { rows: [...rows], count: rows.count ?? rows.length };
  } catch (error) {
    throw translateError(error);
  }
}

/**
 * `undefined` is not a value, and characters that PostgreSQL can't store in a text become U+FFFD.
 */
function toBound(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\uFFFD");
  return value === undefined ? null : value;
}

/** A bigint of the database becomes a number. @throws RangeError from 2^53 on */
function convertBigints(row: Record<string, unknown>): void {
  for (const name in row) if (typeof row[name] === "bigint") row[name] = toNumber(row[name]);
}
