/** A PostgreSQL database in a move: read in one snapshot, or filled. */
import type { SQL, ReservedSQL } from "bun";
import { silent_ms_max } from "../nodes";
import { translateError } from "../storage-errors";
import { clock_sql } from "../postgres/database-clock";
import { checkServer } from "../postgres/server-check";
import { numbered } from "../postgres/statement-text";
import {
  byName,
  listed,
  page_bytes_max,
  page_rows_max,
  positionOf,
  quoted,
  storable,
  weightOf,
  type Column,
  type Kind,
  type Page,
  type Position,
  type Row,
  type Table,
  type Value,
} from "./rows";
import { move_table, type Query, type Measured, type Deferred, type TargetSide } from "./side";

const connect_s_max = 10;
/** Per statement; the limit of the protocol is 65,535. */
const parameters_max = 30_000;
/** The lock that a move holds: any number that is otherwise unused in this database. */
const move_lock = 0x646f736d;
const application = "dossier move";

const kinds: Readonly<Record<string, Kind>> = {
  bigint: "integer",
  integer: "integer",
  smallint: "integer",
  text: "text",
  "character varying": "text",
  "double precision": "double",
  real: "double",
  bytea: "bytes",
};

const columns_sql = `
select c.relname, a.attname, format_type(a.atttypid, null),
  coalesce(array_position(i.indkey::int2[], a.attnum), -1)::int
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_index i on i.indrelid = c.oid and i.indisprimary
where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
  and c.relname <> '${move_table}'
order by c.relname, a.attnum`;

const indexes_sql = `
select 'drop index ' || quote_ident(c.relname), pg_get_indexdef(i.indexrelid)
from pg_index i
join pg_class c on c.oid = i.indexrelid
where c.relnamespace = current_schema()::regnamespace
  and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
order by c.relname`;

const references_sql = `
select 'alter table ' || quote_ident(c.relname) || ' drop constraint ' || quote_ident(k.conname),
  'alter table ' || quote_ident(c.relname) || ' add constraint ' || quote_ident(k.conname) || ' '
    || pg_get_constraintdef(k.oid)
from pg_constraint k
join pg_class c on c.oid = k.conrelid
where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace
order by c.relname, k.conname`;

/** The process of a closed session may linger for a moment. */
const other_sessions_sql = `
select application_name, client_addr::text, usename from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
order by backend_start`;

/** Connects with the first statement. All statements run in one session. */
export class PostgresSide implements TargetSide {
  private readonly pool: SQL;
  private session: ReservedSQL | undefined;

  constructor(
    url: string,
    readonly display_name: string,
  ) {
    this.pool = new Bun.SQL(url, {
      max: 1,
      bigint: true,
      // Each pattern of nulls would be a prepared statement of its own, and they would be kept.
      prepare: false,
      connectionTimeout: connect_s_max,
      connection: {
        application_name: application,
        statement_timeout: "0",
        idle_in_transaction_session_timeout: "0",
        // A power failure that loses rows also loses the record of having moved them.
        synchronous_commit: "off",
        TimeZone: "UTC",
        lc_messages: "C",
      },
    } as never);
  }

  /** `PostgreSQL 15.18`. @throws Error in plain words when it can't be reached or used. */
  async open(): Promise<string> {
    return checkServer(async (text) => {
      try {
        this.session ??= await this.pool.reserve();
        const rows = (await this.session.unsafe(text)) as Record<string, unknown>[];
        return { rows: [...rows], count: rows.length };
      } catch (error) {
        throw translateError(error);
      }
    }, this.display_name);
  }

  /** From now on everything is read in one snapshot, and nothing is changed. */
  async readOneMoment(): Promise<void> {
    await this.query("begin isolation level repeatable read, read only");
  }

  /** False when another move is running. */
  async lock(): Promise<boolean> {
    const [row] = await this.query(`select pg_try_advisory_lock(${move_lock})::int`);
    return Number(row![0]) === 1;
  }

  /** Dossier processes that serve it, as `web-1 (process 4711)`. */
  async servers(): Promise<string[]> {
    const [tables] = await this.query(
      "select count(*) from pg_tables " +
        "where tablename = 'core_nodes' and schemaname = current_schema()",
    );
    if (Number(tables![0]) === 0) return [];
    const rows = await this.query(
      `select host, pid from core_nodes where seen_at > ${clock_sql} - ${silent_ms_max}
       order by 1, 2`,
    );
    return rows.map(([host, pid]) => `${String(host)} (process ${String(pid)})`);
  }

  /** Other connections: the program's name and where it runs. */
  async otherConnections(): Promise<{ readonly program: string; readonly from: string }[]> {
    const rows = await this.query(other_sessions_sql);
    return rows.map(([program, address, user]) => ({
      program: String(program) || "a program without a name",
      from: `${String(user)}@${String(address ?? "this machine")}`,
    }));
  }

  /** Everything with a name: tables, views, sequences. */
  async relations(): Promise<string[]> {
    const rows = await this.query(
      `select relname from pg_class where relnamespace = current_schema()::regnamespace
       and relkind in ('r', 'p', 'v', 'm', 'S', 'f') order by relname`,
    );
    return rows.map(([name]) => String(name));
  }

  readonly query: Query = (text, ...values) => this.run(numbered(text), values);

  async tables(): Promise<Table[]> {
    const by_name = new Map<string, { columns: Column[]; key: [number, string][] }>();
    for (const row of await this.run(columns_sql, [])) {
      const [table, name, type, place] = [...row.slice(0, 3).map(String), Number(row[3])] as [
        string,
        string,
        string,
        number,
      ];
      const kind = kinds[type];
      if (kind === undefined)
        throw new Error(`${table}.${name} is of the type ${type}, which no data directory has`);
      const table_columns = by_name.get(table) ?? { columns: [], key: [] };
      by_name.set(table, table_columns);
      table_columns.columns.push({ name, kind });
      if (place >= 0) table_columns.key.push([place, name]);
    }
    return byName(
      [...by_name].map(([name, { columns, key }]) => ({
        name,
        columns: byName(columns),
        key: key.sort(([a], [b]) => a - b).map(([, column]) => column),
      })),
    );
  }

  async measure(table: Table): Promise<Measured> {
    const [row] = await this.run(
      `select count(*), coalesce(sum(${sizeOf(table)}), 0)::bigint from ${quoted(table.name)}`,
      [],
    );
    return { rows: Number(row![0]), bytes: Number(row![1]), problems: [], changes: [] };
  }

  /** Empty: the engine enforces references. */
  async dangling(): Promise<string[]> {
    return [];
  }

  async *pages(table: Table, from: Position | null): AsyncGenerator<Page> {
    const rows_max = await this.rowsOfPage(table);
    const has_key = table.key.length > 0;
    for (let after = from; ;) {
      const { text, values } = ordered(table, after, null);
      const records = await this.run(`${text} limit ${rows_max}`, values);
      if (records.length === 0) return;
      const rows = has_key ? records : records.map((row) => row.slice(0, -1));
      const last = has_key ? positionOf(rows.at(-1)!, table) : [String(records.at(-1)!.at(-1))];
      yield { rows, last, bytes: rows.reduce((sum, row) => sum + weightOf(row), 0) };
      if (records.length < rows_max) return;
      after = last;
    }
  }

  async range(
    table: Table,
    after: Position | null,
    last: Position | null,
  ): Promise<readonly Row[]> {
    const { text, values } = ordered(table, after, last);
    return this.run(`${text} limit ${2 * page_rows_max}`, values);
  }

  /** The engine's counters of writes. */
  async mark(): Promise<string> {
    await this.query("select pg_stat_clear_snapshot()");
    const [row] = await this.run(
      `select (select oid from pg_database where datname = current_database())::text,
        coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::text
      from pg_stat_user_tables where schemaname = current_schema()`,
      [],
    );
    return JSON.stringify(row);
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    await this.query("begin");
    try {
      await work();
      await this.query("commit");
    } catch (error) {
      await this.query("rollback").catch(() => undefined);
      throw error;
    }
  }

  async insert({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const names = listed(columns.map((column) => column.name));
    const rows_per_statement = Math.max(1, Math.floor(parameters_max / columns.length));
    for (let from = 0; from < rows.length; from += rows_per_statement) {
      const batch = rows.slice(from, from + rows_per_statement);
      let count = 0;
      const marks = batch.map(() => `(${columns.map(() => `$${++count}`).join(", ")})`);
      const values = batch
        .flat()
        .map((value) => (typeof value === "string" ? storable(value) : value));
      await this.run(`insert into ${quoted(name)} (${names}) values ${marks.join(", ")}`, values);
    }
  }

  async deferred(): Promise<Deferred[]> {
    const rows_found = [
      ...(await this.run(references_sql, [])),
      ...(await this.run(indexes_sql, [])),
    ];
    const statements = rows_found.map(([drop, create]) => ({
      drop: drop as string,
      create: create as string,
    }));
    // References last: they are checked with the indexes.
    return [
      ...statements.filter(({ drop }) => drop.startsWith("drop index")),
      ...statements.filter(({ drop }) => drop.startsWith("alter table")),
    ];
  }

  async clear(): Promise<void> {
    const names = [...(await this.tables()).map(({ name }) => name), move_table];
    await this.query(`drop table if exists ${listed(names)} cascade`);
  }

  async settle(): Promise<void> {
    await this.query("set synchronous_commit = on");
    await this.query("analyze");
  }

  async close(): Promise<void> {
    this.session?.release();
    await this.pool.close();
  }

  /** As many as certainly fit into memory. */
  private async rowsOfPage(table: Table): Promise<number> {
    const [row] = await this.run(
      `select coalesce(max(${sizeOf(table)}), 0)::bigint from ${quoted(table.name)}`,
      [],
    );
    const largest = Number(row![0]);
    return Math.max(1, Math.min(page_rows_max, Math.floor((4 * page_bytes_max) / (largest + 1))));
  }

  private async run(text: string, values: readonly Value[]): Promise<Row[]> {
    try {
      this.session ??= await this.pool.reserve();
      return (await this.session.unsafe(text, values as never).values()) as Row[];
    } catch (error) {
      throw translateError(error);
    }
  }
}

/** Without reading values that are stored outside the row. */
const sizeOf = ({ columns }: Table): string =>
  columns
    .map(({ name, kind }) =>
      kind === "text" || kind === "bytes" ? `coalesce(octet_length(${quoted(name)}), 1)` : "8",
    )
    .join(" + ");

/** The rows between two positions, in order. */
function ordered({ name, columns, key }: Table, after: Position | null, last: Position | null) {
  const has_key = key.length > 0;
  const order = has_key ? listed(key) : "ctid";
  const casts = has_key
    ? key.map((key_column) =>
        columns.find((column) => column.name === key_column)!.kind === "integer"
          ? "bigint"
          : "text",
      )
    : ["tid"];
  let count = 0;
  const row = (): string => `(${casts.map((cast) => `$${++count}::text::${cast}`).join(", ")})`;
  const where = [
    ...(after === null ? [] : [`(${order}) > ${row()}`]),
    ...(last === null ? [] : [`(${order}) <= ${row()}`]),
  ];
  const names = listed(columns.map((column) => column.name));
  return {
    text:
      `select ${names}${has_key ? "" : ", ctid::text"} from ${quoted(name)}` +
      `${where.length > 0 ? ` where ${where.join(" and ")}` : ""} order by ${order}`,
    values: [...(after ?? []), ...(last ?? [])],
  };
}
