/** Examines a database that nobody writes to: a copy, or the database of a stopped server. */
import { Database } from "bun:sqlite";
import { messageOf } from "../lib/error-message";
import { tablesOf } from "./integrity";

/** The maximum number of reported problems. */
const problems_max = 10;

/** What a database contains. */
export interface DatabaseFacts {
  /** The number of rows by table. */
  readonly counts: Readonly<Record<string, number>>;
  /** Every applied migration step, as `plugin/id`, sorted. */
  readonly migrations: readonly string[];
  /** The version that wrote it last; null when it was not recorded yet. */
  readonly written_by: WrittenBy | null;
}
/** A build of Dossier. */
export interface WrittenBy {
  readonly version: string;
  /** Null when that build ran from source. */
  readonly commit: string | null;
}

/** @throws Error when it can't be read. */
export const readFacts = (path: string): DatabaseFacts =>
  withDatabase(path, (database) => {
    const tables = tablesOf(database);
    return {
      counts: Object.fromEntries(
        tables.map((table) => [
          table,
          database.query<{ n: number }, []>(`select count(*) as n from "${table}"`).get()!.n,
        ]),
      ),
      migrations: tables.includes("core_migrations")
        ? database
            .query<{ id: string }, []>(
              "select plugin || '/' || id as id from core_migrations order by id",
            )
            .all()
            .map(({ id }) => id)
        : [],
      written_by: tables.includes("core_versions")
        ? (database
            .query<{ version: string; commit_id: string }, []>(
              "select version, commit_id from core_versions order by started_at desc limit 1",
            )
            .all()
            .map(({ version, commit_id }) => ({ version, commit: commit_id || null }))[0] ?? null)
        : null,
    };
  });

/** A row of the table of stored settings. */
export interface StoredSetting {
  /** `section.key` */
  readonly setting: string;
  /** JSON; for a secret the sealed text. */
  readonly value: string;
  /** 1 for a secret, otherwise 0. */
  readonly sealed: number;
}
/** The stored settings, while the database is not open. */
export function readStoredSettings(path: string): readonly StoredSetting[] {
  try {
    return withDatabase(path, (database) =>
      database.query<StoredSetting, []>("select setting, value, sealed from core_settings").all(),
    );
  } catch {
    // The table is missing, or the database can't be opened: opening it will report that.
    return [];
  }
}

/** Problems as reported by SQLite; reads the whole database. */
export function findFaults(path: string): string[] {
  try {
    return withDatabase(path, (database) => [
      ...database
        .query<{ integrity_check: string }, []>(`pragma integrity_check(${problems_max})`)
        .all()
        .map((row) => row.integrity_check)
        .filter((line) => line !== "ok"),
      ...danglingRows(database),
    ]);
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Rows with references to missing rows. @throws Error when it can't be read. */
export const findDanglingRows = (path: string): string[] => withDatabase(path, danglingRows);

const danglingRows = (database: Database): string[] =>
  database
    .query<{ table: string; parent: string }, []>("pragma foreign_key_check")
    .all()
    .slice(0, problems_max)
    .map(({ table, parent }) => `a row of ${table} points to a row of ${parent} that is not there`);

function withDatabase<R>(path: string, use: (database: Database) => R): R {
  const database = new Database(path, { readonly: true });
  try {
    database.run("pragma busy_timeout = 5000");
    return use(database);
  } finally {
    database.close();
  }
}
