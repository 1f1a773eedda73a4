/** Declarations of tables, known before the database is open: their owners and migration steps. */
import type { Db } from "./store";

/** One step in the history of a plugin's tables. */
export interface Migration {
  /** Sorts after every earlier id of the same plugin: `0001_create`. Never edited once released. */
  readonly id: string;
  /** Runs inside one transaction, in SQL that means the same on SQLite and PostgreSQL. */
  readonly up: (tx: Db<any>) => Promise<void>;
}

/** The tables of one plugin. Core's own are also one of these, first in the list. */
export interface Schema {
  readonly name: string;
  readonly version: string;
  /** Every table it owns: its own name, or that name followed by `_…`. */
  readonly tables: readonly string[];
  readonly migrations: readonly Migration[];
}
