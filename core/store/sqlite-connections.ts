/** Opens the connections of the embedded database, with their pragmas. */
import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../lib/error-message";
import { logLimits, page_bytes, type LogLimits } from "./disk-space";
import { freeSpaceOf } from "./free-space";

/** How long a connection waits for a lock of another one. */
export const busy_timeout_ms = 5_000;
/** For a file without pages. With pages, the second one would write and sync at each start. */
const pragmas_of_new = [
  `page_size = ${page_bytes}`,
  // See shrinking.ts.
  "auto_vacuum = INCREMENTAL",
];
const pragmasOf = ({ pages_max, late_pages_max }: LogLimits): string[] => [
  "journal_mode = WAL",
  // The log is synced by log-sync.ts.
  "synchronous = NORMAL",
  "foreign_keys = ON",
  "secure_delete = ON",
  `wal_autocheckpoint = ${late_pages_max}`,
  `journal_size_limit = ${pages_max * page_bytes}`,
  "temp_store = MEMORY",
  "cache_size = -8000",
];

const hasPages = (database: Database): boolean =>
  database.query<{ page_count: number }, []>("pragma page_count").get()!.page_count > 0;

/**
 * The connections for writing and for reading; the file is created if it is missing. @throws Error
 * naming the file.
 */
export function connect(path: string): { readonly writer: Database; readonly reader: Database } {
  try {
    // SQLite would let everybody read it. Its log gets the same permissions.
    closeSync(openSync(path, "a", 0o600));
    const writer = new Database(path, { create: true });
    // First, because switching to WAL can itself conflict with another process.
    writer.run(`pragma busy_timeout = ${busy_timeout_ms}`);
    const limits = logLimits(freeSpaceOf(dirname(path)));
    for (const pragma of [...(hasPages(writer) ? [] : pragmas_of_new), ...pragmasOf(limits)])
      writer.run(`pragma ${pragma}`);
    // A read-only file opens without an error, and would fail at the first request that writes.
    writer.run("begin immediate");
    writer.run("rollback");
    const reader = new Database(path, { readonly: true });
    reader.run(`pragma busy_timeout = ${busy_timeout_ms}`);
    return { writer, reader };
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`the database ${path} can't be opened for writing: ${reason}`, {
      cause: error,
    });
  }
}
