/**
 * Connections to PostgreSQL: one for writing and a pool for reading, so that a read inside a
 * transaction never waits for a connection that the transaction holds.
 */
import { SQL } from "bun";
import type { StoredSetting } from "../inspection";
import { translateError } from "../storage-errors";
import { toNumber } from "../whole-number";
import { numbered } from "./statement-text";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; parameters such as `sslmode` as in libpq. */
  readonly url: string;
  /** Concurrent reading connections. */
  readonly connections: number;
  /** A statement that takes longer is cancelled. */
  readonly statement_ms_max: number;
}

/** How long to wait for a connection. */
const connect_s_max = 10;
/** The database ends a transaction that is idle for this long, because others wait for it. */
const idle_transaction_ms_max = 30_000;

/** A pool of at most this many connections, with `more` session settings. Connects on first use. */
export const openPool = (
  { url, statement_ms_max }: PostgresOptions,
  max: number,
  name: string,
  more: Readonly<Record<string, string>> = {},
): SQL =>
  new SQL(url, {
    max,
    bigint: true,
    connectionTimeout: connect_s_max,
    connection: {
      application_name: `dossier ${name}`,
      statement_timeout: String(statement_ms_max),
      idle_in_transaction_session_timeout: String(idle_transaction_ms_max),
      // The same on every machine.
      TimeZone: "UTC",
      ...more,
    },
  } as never);

/** The stored settings; none when the database can't be reached: opening it will report that. */
export async function storedSettingsOf(url: string): Promise<readonly StoredSetting[]> {
  const options = { url, connections: 1, statement_ms_max: connect_s_max * 1_000 };
  const pool = openPool(options, 1, "settings");
  try {
    const { rows } = await run(pool, "select setting, value, sealed from core_settings", []);
    return rows as unknown as StoredSetting[];
  } catch {
    return [];
  } finally {
    await pool.close();
  }
}

/** Something that runs statements: a pool, or one of its connections. */
export type Runs = Pick<SQL, "unsafe">;

export interface Ran {
  readonly rows: Record<string, unknown>[];
  /** Rows found or changed. */
  readonly count: number;
}

/**
 * Runs one statement; whole numbers are returned as numbers. @throws the error of the database, or
 * the corresponding HTTP error (503, 507).
 */
export async function run(
  connection: Runs,
  text: string,
  parameters: readonly unknown[],
): Promise<Ran> {
  try {
    const rows = (await connection.unsafe(
      numbered(text),
      parameters.map(toBound) as never,
    )) as unknown as Record<string, unknown>[] & { count: number | null };
    for (const row of rows) numbersIn(row);
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
function numbersIn(row: Record<string, unknown>): void {
  for (const name in row) if (typeof row[name] === "bigint") row[name] = toNumber(row[name]);
}
