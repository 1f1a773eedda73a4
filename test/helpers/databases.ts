/**
 * The databases of test servers: in their data directories; or, if TEST_POSTGRES is the address of
 * a PostgreSQL server, a separate database there for each. TEST_PROCESSES sets how many processes
 * an executable runs as.
 */
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import { describe, test } from "bun:test";
import { join } from "node:path";
import { filesWith } from "./data-directory";

const server_url = process.env.TEST_POSTGRES;

/** Whether the servers of this run use PostgreSQL. */
export const on_postgres = server_url !== undefined && server_url !== "";

/** The number of processes of the executable on each database. */
export const processes = on_postgres ? Number(process.env.TEST_PROCESSES ?? "1") : 1;

/** Features of the embedded database that PostgreSQL has differently or not at all. */
const sqlite_features = {
  backups: "on PostgreSQL the database is backed up by its own tools",
  copies: "what a killed process leaves is taken as a copy of the directory, database and all",
  alone: "no other process can be at work there when a server starts",
  disks: "the disk of the data directory is that of the database",
  references: "rows that point nowhere: PostgreSQL keeps references itself, whoever writes",
  plans: "how SQLite finds rows, in its own words",
  connection: "one connection reads and writes there",
} as const;

/** For tests of features that only the embedded database has: `onSqlite("backups").test(…)`. */
export const onSqlite = (_why: keyof typeof sqlite_features) => ({
  test: test.skipIf(on_postgres),
  describe: describe.skipIf(on_postgres),
});

let admin: SQL | undefined;

/** A statement to the server as a whole. */
async function asAdmin(text: string): Promise<readonly unknown[]> {
  admin ??= new SQL(server_url!, { max: 1 });
  return admin.unsafe(text);
}

const urlOf = (name: string): string => {
  const url = new URL(server_url!);
  url.pathname = `/${name}`;
  return url.href;
};

/** Every data directory has a database. */
const nameOf = (data: string): string => `test_${Bun.hash(data).toString(36)}`;

/** The address of the database that belongs to a data directory. */
export const databaseUrlOf = (data: string): string => urlOf(nameOf(data));

/** An empty database for this directory, or a copy of that of `template`. */
export async function createDatabase(data: string, template?: string): Promise<string> {
  const from = template === undefined ? "template0 locale 'C.UTF-8'" : nameOf(template);
  await asAdmin(`create database ${nameOf(data)} template ${from}`);
  return databaseUrlOf(data);
}

/** Whether a database belongs to this data directory. */
export const hasDatabase = async (data: string): Promise<boolean> =>
  (await asAdmin(`select 1 from pg_database where datname = '${nameOf(data)}'`)).length > 0;

/** Gives the database of one directory to another; drops it if that one has its own. */
export async function moveDatabase(from: string, to: string): Promise<void> {
  await asAdmin(`alter database ${nameOf(from)} rename to ${nameOf(to)}`).catch(async (error) => {
    if (!(await hasDatabase(to))) throw error;
    await dropDatabase(from);
  });
}

/** Deletes the database of a data directory, with whatever is connected to it. */
export async function dropDatabase(data: string): Promise<void> {
  await asAdmin(`drop database if exists ${nameOf(data)} with (force)`);
}

/** Inserts rows while the server runs, all or none: `[["accounts_users", row], …]`. */
export async function insertRows(
  data: string,
  rows: readonly (readonly [table: string, row: object])[],
): Promise<void> {
  const statements = rows.map(([table, row]) => {
    const names = Object.keys(row);
    const places = names.map((_, n) => `$${n + 1}`).join(", ");
    const text = `insert into ${table} (${names.join(", ")}) values (${places})`;
    return { text, values: Object.values(row) as (string | number | null)[] };
  });
  if (on_postgres) {
    await using sql = new SQL(databaseUrlOf(data), { max: 1 });
    await sql.begin(async (tx) => {
      for (const { text, values } of statements) await tx.unsafe(text, values);
    });
    return;
  }
  using database = new Database(join(data, "dossier.db"));
  database.run("pragma busy_timeout = 10000");
  database.run("pragma foreign_keys = on");
  database.transaction(() => {
    for (const { text, values } of statements) database.run(text, values);
  })();
}

/** Where a word is stored by the server with this directory: files, and tables of PostgreSQL. */
export async function placesWith(data: string, word: string): Promise<string[]> {
  const files = filesWith(data, word);
  if (!on_postgres) return files;
  await using sql = new SQL(databaseUrlOf(data), { max: 1 });
  const tables: { name: string }[] = await sql`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`;
  const hex = Buffer.from(word).toString("hex");
  for (const { name } of tables) {
    const found = await sql.unsafe(
      `select 1 from "${name}" t where position($1 in t::text) + position($2 in t::text) > 0 limit 1`,
      [word, hex],
    );
    if (found.length > 0) files.push(name);
  }
  return files;
}

/** The result of a statement, as numbers and texts, on whichever database the server has. */
export async function queryDatabase<T>(data: string, statement: string): Promise<T[]> {
  if (on_postgres) {
    await using sql = new SQL(databaseUrlOf(data), { max: 1, bigint: true });
    const rows: Record<string, unknown>[] = await sql.unsafe(statement);
    return rows.map(
      (row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === "bigint" ? Number(value) : value,
          ]),
        ) as T,
    );
  }
  using database = new Database(join(data, "dossier.db"), { readonly: true });
  return database.query<T, []>(statement).all();
}

/** Every column of every table. */
export const columnsIn = (data: string): Promise<{ table: string; column: string }[]> =>
  queryDatabase(
    data,
    on_postgres
      ? `select table_name as "table", column_name as "column" from information_schema.columns
         where table_schema = 'public'`
      : `select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
         where t.type = 'table'`,
  );

/** The integrity check of the embedded database; PostgreSQL has none. */
export function integrityErrors(data: string): unknown[] {
  if (on_postgres) return [];
  using database = new Database(join(data, "dossier.db"), { readonly: true });
  return [
    ...database
      .query<{ integrity_check: string }, []>("pragma integrity_check")
      .all()
      .filter(({ integrity_check }) => integrity_check !== "ok"),
    ...database.query("pragma foreign_key_check").all(),
  ];
}

/** A change that bypasses constraints and code. */
export async function corruptDatabase(
  data: string,
  statement: string,
  values: readonly (string | number)[],
): Promise<void> {
  if (on_postgres) {
    let count = 0;
    const text = statement.replaceAll("?", () => `$${++count}`);
    await using sql = new SQL(databaseUrlOf(data), { max: 1 });
    await sql.begin(async (tx) => {
      await tx.unsafe("set local session_replication_role = replica");
      await tx.unsafe(text, [...values]);
    });
    return;
  }
  using database = new Database(join(data, "dossier.db"));
  database.run("pragma foreign_keys = off");
  // A server in this process can't end its transaction while this waits.
  for (let attempt = 1; ; attempt++)
    try {
      database.run(statement, [...values]);
      return;
    } catch (error) {
      if (attempt === 500 || (error as { code?: string }).code !== "SQLITE_BUSY") throw error;
      await Bun.sleep(10);
    }
}
