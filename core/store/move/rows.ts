/**
 * The common description of both databases of a move: tables, rows, the order of rows, and the hash
 * that proves that two rows are equal.
 */

/** The type of a column's values; the types of both engines map to these. */
export type Kind = "integer" | "double" | "text" | "bytes";

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly kind: Kind;
}
/** A table in the form that both databases share. */
export interface Table {
  readonly name: string;
  /** Sorted by name, so that rows of both sides have the same order. */
  readonly columns: readonly Column[];
  /** The primary key; empty when there is none. */
  readonly key: readonly string[];
}

/** Whole numbers may be either. */
export type Value = string | number | bigint | Uint8Array | null;
/** In the order of the columns. */
export type Row = readonly Value[];

/**
 * The position of a row in the order of its key, as text. In a table without a key, where the
 * engine stores it.
 */
export type Position = readonly string[];

/** Rows of a table, without the tables of the move itself. */
export interface Page {
  readonly rows: readonly Row[];
  /** The position of the last row. */
  readonly last: Position;
  readonly bytes: number;
}

/** A page ends with the row that reaches one of these limits. */
export const page_rows_max = 1_000;
/** Of values, as `weightOf` counts them. */
export const page_bytes_max = 4 * 2 ** 20;

/** The name of a table or column, quoted for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The names of columns, quoted for SQL and separated by commas. */
export const listed = (names: readonly string[]): string => names.map(quoted).join(", ");

/** Text as PostgreSQL can store it, and as the server returns it: of the same length. */
export const storable = (text: string): string =>
  text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;

const hash = new Bun.CryptoHasher("sha256");

/**
 * SHA-256 of a row, independent of the engine: the kind and value of each column, terminated by
 * U+0000, which no text contains; bytes come after all others, with their length.
 */
export function digestOf(row: Row, columns: readonly Column[]): string {
  let text = "";
  for (const [i, value] of row.entries()) text += `${encoded(value, columns[i]!.kind)}\0`;
  hash.update(text);
  for (const value of row) if (value instanceof Uint8Array) hash.update(value);
  return hash.digest("hex");
}

function encoded(value: Value, kind: Kind): string {
  if (value === null) return "-";
  if (value instanceof Uint8Array) return `b${value.byteLength}`;
  if (kind === "text") return `t${String(value)}`;
  // Zero has no sign: SQLite keeps none.
  if (kind === "double") return `d${String(Number(value) || 0)}`;
  return `i${String(value)}`;
}

/** The approximate size of a row in memory and on the wire. */
export function weightOf(row: Row): number {
  let bytes = 0;
  for (const value of row)
    bytes +=
      typeof value === "string" ? value.length : value instanceof Uint8Array ? value.byteLength : 8;
  return bytes;
}

/** The position of a row in a table with a key. */
export const positionOf = (row: Row, { columns, key }: Table): Position =>
  key.map((name) => String(row[columns.findIndex((column) => column.name === name)]));

/** Sorted by name, so that the tables of both sides can be compared. */
export const byName = <R extends { readonly name: string }>(rows: readonly R[]): R[] =>
  rows.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
