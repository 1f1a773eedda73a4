/**
 * Hand-written or precompiled statements: they go straight to the driver, because the way through
 * Kysely takes longer than a small statement itself.
 */
import { CompiledQuery } from "kysely";
import { inBatches } from "../lib/batch";
import type { Db } from "./store";

/** Runs a statement and returns its rows, if any. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => Promise<unknown[]>;

const run_statement = Symbol("runStatement");

/** The property of a database or transaction that can run them. */
export interface RunsStatements {
  [run_statement]?: RunStatement;
}

/** Sets how a database or transaction runs them. */
export function setRunner<D extends object>(db: D, run: RunStatement): D {
  (db as RunsStatements)[run_statement] = run;
  return db;
}

/** Runs a hand-written statement and returns its rows. */
export function rowsOf<R>(db: Db<any>, sql: string, parameters: readonly unknown[]): Promise<R[]> {
  const run = (db as RunsStatements)[run_statement];
  if (run !== undefined) return run(sql, parameters) as Promise<R[]>;
  return db.executeQuery<R>(CompiledQuery.raw(sql, [...parameters])).then(({ rows }) => rows);
}

/** Inserts rows with a few hand-written statements. */
export const insertRows = <R extends object>(
  db: Db<any>,
  table: string,
  columns: readonly (keyof R & string)[],
  rows: readonly R[],
): Promise<void> =>
  inBatches(rows, (batch) => {
    const row = `(${columns.map(() => "?").join(", ")})`;
    const values = batch.map(() => row).join(", ");
    return rowsOf(
      db,
      `insert into ${table} (${columns.join(", ")}) values ${values}`,
      batch.flatMap((row) => columns.map((column) => row[column])),
    );
  });
