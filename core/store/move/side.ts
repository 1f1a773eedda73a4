/** One of the two databases of a move, whichever engine it is. */
import type { Page, Position, Row, Table } from "./rows";

/** The table with the state of a move, in the target. */
export const move_table = "core_move";

/** Obstacles to moving rows, found before the move. */
export interface Measured {
  readonly rows: number;
  readonly bytes: number;
  /** Rows that can't be moved as they are, as sentences. */
  readonly problems: readonly string[];
  /** What will differ in the target, as sentences. */
  readonly changes: readonly string[];
}

/** An index or reference that is deferred until the rows are there, and then created at once. */
export interface Deferred {
  readonly drop: string;
  readonly create: string;
}

/** Runs a statement with `?`; returns rows as lists of values. */
export type Query = (
  text: string,
  ...values: readonly (string | number | null)[]
) => Promise<Row[]>;

/** What is read of a database, whether it is the source or the target. */
export interface Side {
  readonly query: Query;
  /** The address without the password, or the path of the file. */
  readonly display_name: string;
  /**
   * The tables of Dossier, without those of the move itself. @throws Error for a column of a type
   * that Dossier does not use.
   */
  tables(): Promise<Table[]>;
  measure(table: Table): Promise<Measured>;
  /** Rows with references to missing rows, as sentences. */
  dangling(): Promise<string[]>;
  /** The rows after a position in key order, as a sequence of pages. */
  pages(table: Table, after: Position | null): AsyncIterable<Page>;
  /** The rows of a table with a key from one position to another, excluding the first. */
  range(table: Table, after: Position | null, last: Position | null): Promise<readonly Row[]>;
  /**
   * A text that stays the same while nothing is written; a different one means that something may
   * have been.
   */
  mark(): Promise<string>;
  close(): Promise<void>;
}

/** What is written to the target. */
export interface TargetSide extends Side {
  /** Commits all of `work`, or nothing. @throws what `work` throws */
  transaction(work: () => Promise<void>): Promise<void>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** The current indexes and references. */
  deferred(): Promise<Deferred[]>;
  /** Deletes everything: a move starts over. */
  clear(): Promise<void>;
  /** All rows are there: makes sure that they are on the disk and known to the query planner. */
  settle(): Promise<void>;
}
