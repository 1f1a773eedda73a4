/**
 * Statements that run all the time are built and compiled by Kysely once; after that a call only
 * puts in its values, which saves more time than SQLite takes for a small statement.
 */
import { CompiledQuery, type Compilable } from "kysely";
import type { Db } from "./store";

/** Stands for a value while the statement is compiled. */
class Placeholder {
  constructor(readonly name: string) {}
}
interface Compiled {
  readonly sql: string;
  /** Placeholders, and what is the same in every call. */
  readonly parameters: readonly unknown[];
}
type Value = string | number | bigint | null | Uint8Array;

/**
 * A function that runs the statement `build` makes and answers its rows. `values` must reach the
 * statement as they are: what `build` computes from them, or decides by them, is not seen again.
 * One statement is kept for each set of names in `values`.
 */
export function prepared<T, V extends { readonly [K in keyof V]: Value }, R>(
  build: (db: Db<T>, values: V) => Compilable<R>,
): (db: Db<T>, values: V) => Promise<R[]> {
  // By the adapter, which a database shares with its transactions: each engine has its own SQL.
  const statements = new WeakMap<object, Map<string, Compiled>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let of_database = statements.get(adapter);
    if (!of_database) statements.set(adapter, (of_database = new Map()));
    const names = Object.keys(values);
    const shape = names.join();
    let statement = of_database.get(shape);
    if (!statement) {
      const placeholders = names.map((name) => [name, new Placeholder(name)]);
      const { sql, parameters } = build(db, Object.fromEntries(placeholders) as V).compile();
      statement = { sql, parameters };
      of_database.set(shape, statement);
    }
    const given = values as Readonly<Record<string, Value>>;
    const parameters = statement.parameters.map((parameter) =>
      parameter instanceof Placeholder ? given[parameter.name] : parameter,
    );
    return (await db.executeQuery<R>(CompiledQuery.raw(statement.sql, parameters))).rows;
  };
}

/** The same for a statement that finds one row or none. */
export function preparedFirst<T, V extends { readonly [K in keyof V]: Value }, R>(
  build: (db: Db<T>, values: V) => Compilable<R>,
): (db: Db<T>, values: V) => Promise<R | undefined> {
  const run = prepared(build);
  return async (db, values) => (await run(db, values))[0];
}
