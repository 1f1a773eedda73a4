/**
 * Checks a database for damage in small steps: no read stays open for long, because that would
 * prevent the write-ahead log from being emptied. For a child process.
 */
import { Database } from "bun:sqlite";

/** The maximum number of reported problems, at which the check ends. */
const problems_max = 5;
/** A file up to this size is checked at once, in less than half a second. */
const whole_bytes_max = 16 * 2 ** 20;
/** One step of the check. */
const step_ms = 1_000;
/** One read within a step, as many rows as fit. */
const read_ms = 20;
const rows_first = 16;
const rows_max = 100_000;

/** Where a check continues: in the table after this one, or in this one after the row. */
export interface SearchPlace {
  readonly table: string;
  /** Null when the table is finished. */
  readonly row: number | null;
}
/** The result of one step of a check. */
export interface DamageFound {
  /** As reported by SQLite; empty when nothing is wrong. */
  readonly problems: readonly string[];
  /** Null at the end. */
  readonly next: SearchPlace | null;
  readonly tables_done: number;
  readonly tables: number;
}

/**
 * One step of a check, starting at `from`: about a second. A small file is checked by SQLite
 * itself; of a large one every row and every index is read, a few rows at a time, which finds every
 * unreadable page. @throws Error when the file can't be opened.
 */
export async function findDamage(path: string, from: SearchPlace | null): Promise<DamageFound> {
  const database = new Database(path, { readonly: true });
  try {
    const tables = tablesOf(database);
    if (Bun.file(path).size <= whole_bytes_max)
      return {
        problems: quickCheck(database),
        next: null,
        tables_done: tables.length,
        tables: tables.length,
      };
    return await new DamageSearch(database, tables).step(from);
  } catch (error) {
    // Not even the list of tables can be read.
    return { problems: [damageOf(error)], next: null, tables_done: 0, tables: 0 };
  } finally {
    database.close();
  }
}

class DamageSearch {
  private readonly problems: string[] = [];

  constructor(
    private readonly database: Database,
    private readonly tables: readonly string[],
  ) {}

  async step(from: SearchPlace | null): Promise<DamageFound> {
    const until_ms = performance.now() + step_ms;
    let position = from;
    do position = await this.walk(position, until_ms);
    while (position !== null && performance.now() < until_ms);
    return {
      problems: this.problems,
      next: this.problems.length < problems_max ? position : null,
      tables_done: this.tables.filter((table) => position === null || table < position.table)
        .length,
      tables: this.tables.length,
    };
  }

  /** The rest of a table, or as much of it as there is time for. */
  private async walk(from: SearchPlace | null, until_ms: number): Promise<SearchPlace | null> {
    const table =
      from === null
        ? this.tables[0]
        : from.row === null
          ? this.tables.find((table) => table > from.table)
          : from.table;
    if (table === undefined) return null;
    try {
      const row = await this.readRows(table, from?.row ?? null, until_ms);
      if (row !== null) return { table, row };
      await this.readIndexes(table);
    } catch (error) {
      this.problems.push(`${table}: ${damageOf(error)}`);
    }
    return { table, row: null };
  }

  /** Reads rows completely; returns the last one when time is up before the end. */
  private async readRows(
    table: string,
    after: number | null,
    until_ms: number,
  ): Promise<number | null> {
    const sizes = this.database
      .query<{ name: string }, []>(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => `coalesce(length(substr("${name}", -1)), 0)`);
    const read = this.database.query<{ last: number | null; rows: number }, [number, number]>(
      `select max(id) as last, count(*) as rows, sum(size) as size from (
        select rowid as id, ${sizes.join(" + ")} as size
        from "${table}" where rowid > ? order by rowid limit ?)`,
    );
    let limit = rows_first;
    for (let last = after ?? -1; ;) {
      const begun_ms = performance.now();
      const batch = read.get(last, limit)!;
      const took_ms = performance.now() - begun_ms;
      if (batch.last === null || batch.rows < limit) return null;
      last = batch.last;
      if (took_ms > read_ms) limit = Math.max(1, limit >> 1);
      else if (took_ms < read_ms / 3) limit = Math.min(rows_max, limit * 2);
      await Bun.sleep(took_ms);
      if (performance.now() > until_ms) return last;
    }
  }

  private async readIndexes(table: string): Promise<void> {
    const indexes = this.database
      .query<{ name: string; sql: string | null }, [string]>(
        "select name, sql from sqlite_schema where type = 'index' and tbl_name = ?",
      )
      .all(table);
    for (const { name, sql } of indexes) {
      const [condition = ""] = sql?.match(/\swhere\s.*$/is) ?? [];
      const begun_ms = performance.now();
      this.database
        .query(`select count(*) from "${table}" indexed by "${name}" ${condition}`)
        .get();
      await Bun.sleep(performance.now() - begun_ms);
    }
  }
}

/** The names of its tables, without those of SQLite itself. */
export const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*' " +
        "order by name",
    )
    .all()
    .map(({ name }) => name);

function quickCheck(database: Database): string[] {
  const rows = database
    .query<{ quick_check: string }, []>(`pragma quick_check(${problems_max})`)
    .all();
  return rows.map((row) => row.quick_check).filter((line) => line !== "ok");
}

/** @throws the error itself when it doesn't concern the content of the file. */
function damageOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code ?? "")) throw error;
  return message!;
}
