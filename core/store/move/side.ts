/** One of the two databases of a move, whichever engine it is. */
import type { Page, Position, Row, Table } from "./rows";

/** The table with the state of a move, in the database that is filled. */
export const move_table = "core_move";

/** What stands in the way of rows, found before they are moved. */
export interface Measured {
  readonly rows: number;
  readonly bytes: number;
  /** Rows that can't be moved as they are, in sentences. */
  readonly problems: readonly string[];
  /** What will be otherwise there, in sentences. */
  readonly changes: readonly string[];
}

/** What has a name is put off until the rows are there: it is made in one go then. */
export interface PutOff {
  readonly drop: string;
  readonly make: string;
}

/** Runs a statement with `?`; answers rows as lists of their values. */
export type Ask = (text: string, ...values: readonly (string | number | null)[]) => Promise<Row[]>;

export interface Side {
  readonly ask: Ask;
  /** The address without a password, or the path of the file. */
  readonly shown: string;
  /** Of what it holds and who reads it, none of the move itself. */
  tables(): Promise<Table[]>;
  measure(table: Table): Promise<Measured>;
  /** Rows that point to rows that are not there, in sentences. */
  dangling(): Promise<string[]>;
  /** The rows after a position in the order of the key, as many pages as there are. */
  pages(table: Table, after: Position | null): AsyncIterable<Page>;
  /** The rows of a table with a key from one position to another, without the first. */
  range(table: Table, after: Position | null, last: Position | null): Promise<readonly Row[]>;
  /** Says the same as long as nothing is written; where it says another thing, something may be. */
  mark(): Promise<string>;
  close(): Promise<void>;
}

export interface TargetSide extends Side {
  /** All of `work` is kept, or nothing. */
  transaction(work: () => Promise<void>): Promise<void>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** Indexes and references, as they are now. */
  putOff(): Promise<PutOff[]>;
  /** Everything goes: a move begins anew. */
  clear(): Promise<void>;
  /** All rows are there: they are on the disk when it returns, and the planner knows them. */
  settle(): Promise<void>;
}
