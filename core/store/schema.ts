/** What is known of tables before their database is open: whose they are, and the steps to them. */
import type { Db } from "./store";

export interface Migration {
  /** Sorts after every earlier id of the same plugin: `0001_create`. Never edited once released. */
  readonly id: string;
  /** Runs inside one transaction, in SQL that means the same on SQLite and PostgreSQL. */
  readonly up: (tx: Db<any>) => Promise<void>;
}

/** The tables of one plugin. Core's own come as one of these, first in the list. */
export interface Schema {
  readonly name: string;
  readonly version: string;
  /** Every table it owns: its name, or its name and `_…`. */
  readonly tables: readonly string[];
  readonly migrations: readonly Migration[];
}
