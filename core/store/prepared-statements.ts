/**
 * Frequent statements are built and compiled by Kysely once; after that a call only binds its
 * values, which saves more time than SQLite takes for a small statement.
 */
import type { Compilable } from "kysely";
import type { Db } from "./store";
import { rowsOf } from "./raw-statements";

/** Stands for a value during compilation; `place` is its index in a list. */
class Placeholder {
  constructor(
    readonly name: string,
    readonly place: number | null = null,
  ) {}
}
interface Compiled {
  /** The names of its values; null when one is a list. */
  readonly names: readonly string[] | null;
  readonly sql: string;
  /** Placeholders, and values that are the same in every call. */
  readonly parameters: readonly unknown[];
}
type Value = string | number | bigint | null | Uint8Array;
/** A list is for `in`: it has at least one value, and its last one may be repeated. */
type Values<V> = { readonly [K in keyof V]: Value | readonly Value[] };
type BoundValues = Values<Record<string, unknown>>;

/** The statements of one engine. */
interface Statements {
  readonly by_shape: Map<string, Compiled>;
  /** The most recently used one. */
  last: Compiled | null;
}

/**
 * A function that runs the statement made by `build` and returns its rows. `values` must reach the
 * statement unchanged: what `build` computes from them, or decides based on them, is not evaluated
 * again. One statement is kept for each set of names in `values`, and for each length of its lists,
 * which are padded to a power of two.
 */
export function prepared<T, V extends Values<V>, R>(
  build: (db: Db<T>, values: V) => Compilable<R>,
): (db: Db<T>, values: V) => Promise<R[]> {
  // By the adapter, which a database shares with its transactions: each engine has its own SQL.
  const statements = new WeakMap<object, Statements>();
  return (db, values) => {
    const { adapter } = db.getExecutor();
    let engine_statements = statements.get(adapter);
    if (!engine_statements)
      statements.set(adapter, (engine_statements = { by_shape: new Map(), last: null }));
    const bound_values = values as BoundValues;
    const { last } = engine_statements;
    const statement =
      last && fits(last, bound_values) ? last : find(engine_statements, db, bound_values);
    engine_statements.last = statement;
    const parameters: unknown[] = [];
    for (const parameter of statement.parameters)
      parameters.push(
        parameter instanceof Placeholder ? valueOf(parameter, bound_values) : parameter,
      );
    return rowsOf<R>(db, statement.sql, parameters);
  };

  function find({ by_shape }: Statements, db: Db<T>, bound_values: BoundValues): Compiled {
    const names = Object.keys(bound_values);
    const shape = names.map((name) => shapeOf(name, bound_values[name]!)).join();
    let statement = by_shape.get(shape);
    if (!statement) {
      const { sql, parameters } = build(db, placeholders(bound_values) as V).compile();
      const has_list = names.some((name) => isList(bound_values[name]!));
      statement = { names: has_list ? null : names, sql, parameters };
      by_shape.set(shape, statement);
    }
    return statement;
  }
}

/** Whether the statement fits: most calls repeat the same names. */
function fits({ names }: Compiled, bound_values: BoundValues): boolean {
  if (names === null) return false;
  let at = 0;
  for (const name in bound_values)
    if (names[at++] !== name || isList(bound_values[name]!)) return false;
  return at === names.length;
}

/** The same for a statement that finds at most one row. */
export function preparedFirst<T, V extends Values<V>, R>(
  build: (db: Db<T>, values: V) => Compilable<R>,
): (db: Db<T>, values: V) => Promise<R | undefined> {
  const run = prepared(build);
  return async (db, values) => (await run(db, values))[0];
}

const isList = (value: Value | readonly Value[]): value is readonly Value[] => Array.isArray(value);
const filledLength = ({ length }: readonly unknown[]): number =>
  length < 2 ? length : 2 ** Math.ceil(Math.log2(length));
const shapeOf = (name: string, value: Value | readonly Value[]): string =>
  isList(value) ? `${name} ${filledLength(value)}` : name;

const placeholders = (values: Values<object>): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, Value | readonly Value[]]) => [
      name,
      isList(value)
        ? Array.from({ length: filledLength(value) }, (_, place) => new Placeholder(name, place))
        : new Placeholder(name),
    ]),
  );
function valueOf({ name, place }: Placeholder, values: BoundValues): unknown {
  const value = values[name]!;
  return place !== null && isList(value) ? value[Math.min(place, value.length - 1)] : value;
}
