/**
 * What both databases of a move say of themselves in the same words: tables, rows, the order of
 * rows, and the hash that proves that two rows are equal.
 */

/** What a column holds; the types of both engines fall into these. */
export type Kind = "integer" | "double" | "text" | "bytes";

export interface Column {
  readonly name: string;
  readonly kind: Kind;
}
export interface Table {
  readonly name: string;
  /** Sorted by name, so that rows of both sides have the same order. */
  readonly columns: readonly Column[];
  /** The primary key; empty where there is none. */
  readonly key: readonly string[];
}

/** Whole numbers may come as either. */
export type Value = string | number | bigint | Uint8Array | null;
/** As the columns are. */
export type Row = readonly Value[];

/**
 * Where in the order of its key a row stands, as text. In a table without a key, where the engine
 * keeps it.
 */
export type Position = readonly string[];

/** Of a table that is moved, without those of the move itself. */
export interface Page {
  readonly rows: readonly Row[];
  /** Of the last row. */
  readonly last: Position;
  readonly bytes: number;
}

/** A page ends with the row that reaches one of these. */
export const page_rows_max = 1_000;
export const page_bytes_max = 4 * 2 ** 20;

/** The name of a table or column in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const listed = (names: readonly string[]): string => names.map(quoted).join(", ");

/** Text as PostgreSQL keeps it, and as the server gives it: of the same length. */
export const storable = (text: string): string =>
  text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;

const hash = new Bun.CryptoHasher("sha256");

/**
 * SHA-256 over a row, whichever engine it comes from: of each column its kind and its value, ended
 * by U+0000, which no text has; bytes stand after all others, and here with their length.
 */
export function digestOf(row: Row, columns: readonly Column[]): string {
  let said = "";
  for (const [i, value] of row.entries()) said += `${written(value, columns[i]!.kind)}\0`;
  hash.update(said);
  for (const value of row) if (value instanceof Uint8Array) hash.update(value);
  return hash.digest("hex");
}

function written(value: Value, kind: Kind): string {
  if (value === null) return "-";
  if (value instanceof Uint8Array) return `b${value.byteLength}`;
  if (kind === "text") return `t${String(value)}`;
  // Zero has no sign: SQLite keeps none.
  if (kind === "double") return `d${String(Number(value) || 0)}`;
  return `i${String(value)}`;
}

/** What a row weighs in memory and on the wire, about. */
export function weightOf(row: Row): number {
  let bytes = 0;
  for (const value of row)
    bytes +=
      typeof value === "string" ? value.length : value instanceof Uint8Array ? value.byteLength : 8;
  return bytes;
}

/** Where a row of a table with a key stands. */
export const positionOf = (row: Row, { columns, key }: Table): Position =>
  key.map((name) => String(row[columns.findIndex((column) => column.name === name)]));

/** Sorted by name: the tables of both sides are the same list. */
export const byName = <R extends { readonly name: string }>(rows: readonly R[]): R[] =>
  rows.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
