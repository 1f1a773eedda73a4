/** The embedded database in a move: read in one snapshot, or filled. */
import { counted } from "../../lib/counted";
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { statSync } from "node:fs";
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

const named_max = 3;
const int4_max = 2 ** 31 - 1;
/** The position of a row in a table without a key. */
const row_id = "_rowid_";

/** Value types allowed in a column of each kind; SQLite itself allows any. */
const types: Readonly<Record<Kind, string>> = {
  integer: "integer",
  double: "real",
  text: "text",
  bytes: "blob",
};

interface Declared {
  readonly name: string;
  readonly type: string;
  readonly pk: bigint;
}

/** An open connection to the file. */
export class SqliteSide implements TargetSide {
  private readonly database: Database;

  /** `reads`: everything is read in one snapshot, and nothing is changed. */
  constructor(
    readonly display_name: string,
    { reads }: { readonly reads: boolean },
  ) {
    this.database = new Database(display_name, {
      ...(reads ? { readonly: true } : { readwrite: true, create: false }),
      safeIntegers: true,
    });
    for (const pragma of ["busy_timeout = 5000", "foreign_keys = off", "cache_size = -64000"])
      this.database.run(`pragma ${pragma}`);
    // A power failure that loses rows also loses the record of having moved them.
    if (!reads) this.database.run("pragma synchronous = normal");
    if (!reads) return;
    this.database.run("begin");
    this.database.query("select count(*) from sqlite_schema").get();
  }

  readonly query: Query = async (text, ...values) => this.values(text, values);

  async tables(): Promise<Table[]> {
    const names = this.values(
      `select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'
       and name <> '${move_table}'`,
    );
    return byName(names.map(([name]) => this.table(name as string)));
  }

  async measure(table: Table): Promise<Measured> {
    const checks = this.checksOf(table);
    const counts = checks.map(({ where }) => `sum(case when ${where} then 1 else 0 end)`);
    const sizes = table.columns.map(({ name }) => `coalesce(octet_length(${quoted(name)}), 1)`);
    const [row] = this.values(
      `select count(*), coalesce(sum(${sizes.join(" + ")}), 0), ${counts.join(", ")}
       from ${quoted(table.name)}`,
    );
    const [rows, bytes, ...hits] = row!.map(Number);
    const [problems, changes]: [string[], string[]] = [[], []];
    for (const [i, { where, describe, is_converted }] of checks.entries())
      if (hits[i]! > 0)
        (is_converted ? changes : problems).push(
          `${describe(hits[i]!)}: ${this.firstRows(table, where, hits[i]!)}`,
        );
    return { rows: rows!, bytes: bytes!, problems, changes };
  }

  async dangling(): Promise<string[]> {
    const rows = this.values(
      'select "table", "parent", count(*) from pragma_foreign_key_check group by 1, 2',
    );
    return rows.map(([from, parent, count]) => {
      const table = String(from);
      const found = counted(Number(count), `row of ${table} refers`, `rows of ${table} refer`);
      return `${found} to missing rows of ${String(parent)}. Run \`dossier doctor\` to see which`;
    });
  }

  async *pages(table: Table, after: Position | null): AsyncGenerator<Page> {
    const { columns } = table;
    const has_key = table.key.length > 0;
    const { text, values } = this.ordered(table, after, null);
    const iterator = this.database
      .prepare(text)
      .iterate(...(values as SQLQueryBindings[])) as Iterable<Record<string, Value>>;
    let rows: Row[] = [];
    let bytes = 0;
    for (const record of iterator) {
      const row = columns.map(({ name }) => toValue(record[name]!));
      rows.push(row);
      bytes += weightOf(row);
      if (rows.length < page_rows_max && bytes < page_bytes_max) continue;
      yield { rows, bytes, last: has_key ? positionOf(row, table) : [String(record[row_id])] };
      [rows, bytes] = [[], 0];
    }
    if (rows.length > 0)
      yield { rows, bytes, last: has_key ? positionOf(rows.at(-1)!, table) : [end_of_rows] };
  }

  async range(
    table: Table,
    after: Position | null,
    last: Position | null,
  ): Promise<readonly Row[]> {
    const { text, values } = this.ordered(table, after, last);
    return this.values(`${text} limit ${2 * page_rows_max}`, values).map((row) => row.map(toValue));
  }

  async mark(): Promise<string> {
    const parts = [this.display_name, `${this.display_name}-wal`].map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined || stats.size === 0 ? null : [stats.size, stats.mtimeMs];
    });
    return JSON.stringify(parts);
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    this.database.run("begin immediate");
    try {
      await work();
      this.database.run("commit");
    } catch (error) {
      if (this.database.inTransaction) this.database.run("rollback");
      throw error;
    }
  }

  async insert({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const marks = columns.map(() => "?").join(", ");
    const names = listed(columns.map((column) => column.name));
    const statement = this.database.query(
      `insert into ${quoted(name)} (${names}) values (${marks})`,
    );
    for (const row of rows) statement.run(...(row as SQLQueryBindings[]));
  }

  async deferred(): Promise<Deferred[]> {
    const indexes = this.values(
      `select name, sql from sqlite_schema where type = 'index' and sql is not null order by name`,
    );
    return indexes.map(([name, sql]) => ({
      drop: `drop index ${quoted(name as string)}`,
      create: sql as string,
    }));
  }

  async clear(): Promise<void> {
    for (const { name } of await this.tables()) this.database.run(`drop table ${quoted(name)}`);
    this.database.run(`drop table if exists ${move_table}`);
  }

  async settle(): Promise<void> {
    for (const pragma of ["synchronous = full", "wal_checkpoint(truncate)"])
      this.database.run(`pragma ${pragma}`);
  }

  async close(): Promise<void> {
    this.database.close();
  }

  private values(text: string, values: readonly Value[] = []): Row[] {
    return this.database.prepare(text).values(...(values as SQLQueryBindings[])) as Row[];
  }

  private declared(table: string): Declared[] {
    return this.database
      .prepare(`select name, type, pk from pragma_table_info('${table.replaceAll("'", "''")}')`)
      .all() as Declared[];
  }

  private table(name: string): Table {
    const declared = this.declared(name);
    const key = declared.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk));
    return {
      name,
      columns: byName(declared.map((column) => ({ name: column.name, kind: kindOf(column.type) }))),
      key: key.map((column) => column.name),
    };
  }

  /** The rows between two positions, in order. */
  private ordered(table: Table, after: Position | null, last: Position | null) {
    const { columns, key } = table;
    const order = key.length > 0 ? listed(key) : row_id;
    const kinds =
      key.length > 0 ? key.map((name) => kindIn(columns, name)) : (["integer"] as const);
    const toBound = (position: Position): Value[] =>
      position.map((text, i) => (kinds[i] === "integer" ? BigInt(text) : text));
    const marks = kinds.map(() => "?").join(", ");
    const where = [
      ...(after === null ? [] : [`(${order}) > (${marks})`]),
      ...(last === null ? [] : [`(${order}) <= (${marks})`]),
    ];
    const names = listed(columns.map(({ name }) => name));
    return {
      text:
        `select ${names}${key.length > 0 ? "" : `, ${row_id} as ${row_id}`} ` +
        `from ${quoted(table.name)}${where.length > 0 ? ` where ${where.join(" and ")}` : ""} ` +
        `order by ${order}`,
      values: [...(after === null ? [] : toBound(after)), ...(last === null ? [] : toBound(last))],
    };
  }

  /** Which values to look for in each column. */
  private checksOf(table: Table) {
    const small = this.declared(table.name).filter(
      ({ type, pk }) => type.toLowerCase() === "integer" && pk === 0n,
    );
    return table.columns.flatMap(({ name, kind }) => {
      const column = quoted(name);
      const place = `${table.name}.${name}`;
      const in_key = table.key.includes(name);
      return [
        {
          where: `typeof(${column}) not in ('${types[kind]}', 'null')`,
          describe: (n: number) =>
            `${place} must be ${kind}, but ${counted(n, "row has", "rows have")} another type`,
          is_converted: false,
        },
        ...(small.some((table) => table.name === name)
          ? [
              {
                where: `typeof(${column}) = 'integer' and abs(${column}) > ${int4_max}`,
                describe: (n: number) =>
                  `${place} must be 32-bit numbers, but ${counted(n, "is", "are")} larger`,
                is_converted: false,
              },
            ]
          : []),
        ...(kind === "text"
          ? [
              {
                where: `typeof(${column}) = 'text' and instr(${column}, char(0)) > 0`,
                describe: (n: number) =>
                  in_key
                    ? `${counted(n, "row has", "rows have")} a ${place} with ` +
                      "U+0000, which PostgreSQL can't store"
                    : `${place} contains U+0000 in ${counted(n, "row")}. It becomes U+FFFD, ` +
                      "which has the same length, so offsets don't change",
                is_converted: !in_key,
              },
            ]
          : []),
      ];
    });
  }

  private firstRows(table: Table, where: string, count: number): string {
    const key = table.key.length > 0 ? listed(table.key) : row_id;
    const rows = this.values(
      `select ${key} from ${quoted(table.name)} where ${where} order by ${key} limit ${named_max}`,
    );
    const named = rows.map((row) => row.map(String).join(" ")).join(", ");
    return count > named_max ? `${named} and others` : named;
  }
}

/** Beyond every row: the table was read to its end. */
const end_of_rows = String(2n ** 63n - 1n);

const toValue = (value: Value): Value => (typeof value === "string" ? storable(value) : value);

const kindIn = (columns: readonly Column[], name: string): Kind =>
  columns.find((column) => column.name === name)!.kind;

/** SQLite's own rules for column types. */
function kindOf(type: string): Kind {
  if (/int/i.test(type)) return "integer";
  if (/char|clob|text/i.test(type)) return "text";
  if (/blob/i.test(type) || type === "") return "bytes";
  return "double";
}
