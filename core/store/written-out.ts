/**
 * Statements that are written out, or compiled already: they go straight to the driver, because the
 * way through Kysely takes longer than a small statement does.
 */
import { CompiledQuery } from "kysely";
import { inBatches } from "../lib/batch";
import type { Db } from "./store";

/** Runs a statement and answers its rows; none when it has none. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => Promise<unknown[]>;

const run_statement = Symbol("runStatement");

/** What a database or transaction has that can run them. */
export interface RunsStatements {
  [run_statement]?: RunStatement;
}

/** Gives a database or transaction its own way of running them. */
export function setRunner<D extends object>(db: D, run: RunStatement): D {
  (db as RunsStatements)[run_statement] = run;
  return db;
}

/** Runs a statement that is written out and answers its rows. */
export async function rowsOf<R>(
  db: Db<any>,
  sql: string,
  parameters: readonly unknown[],
): Promise<R[]> {
  const run = (db as RunsStatements)[run_statement];
  if (run !== undefined) return run(sql, parameters) as Promise<R[]>;
  return (await db.executeQuery<R>(CompiledQuery.raw(sql, [...parameters]))).rows;
}

/** Inserts rows, in few statements that are written out. */
export const insertRows = <R extends object>(
  db: Db<any>,
  table: string,
  columns: readonly (keyof R & string)[],
  rows: readonly R[],
): Promise<void> =>
  inBatches(rows, (some) => {
    const row = `(${columns.map(() => "?").join(", ")})`,
      all = some.map(() => row).join(", ");
    return rowsOf(
      db,
      `insert into ${table} (${columns.join(", ")}) values ${all}`,
      some.flatMap((one) => columns.map((column) => one[column])),
    );
  });
