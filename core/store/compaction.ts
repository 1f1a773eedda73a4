/**
 * Rewrites a database that no server has open: without the space of deleted rows, and so that it
 * gets smaller by itself from then on.
 */
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeLeftovers } from "../lib/temporary-files";
import { freeSpaceOf } from "./free-space";
import { isBusy } from "./storage-errors";

const suffix = ".compact";

/**
 * Returns its sizes before and after, bytes. Whenever it is cut off, the database is whole: the old
 * one until the new one is on the disk. @throws Error in words when the disk has no room for both.
 */
export function compactDatabase(path: string): { readonly before: number; readonly after: number } {
  const compact = `${path}${suffix}`;
  rmSync(compact, { force: true });
  const database = new Database(path, { create: false, readwrite: true });
  try {
    // Until the new one has its name nobody else may write: a command that runs beside.
    for (const step of keep_out) database.run(step);
    const before = statSync(path).size;
    const { free_bytes, reserve_bytes } = freeSpaceOf(dirname(path));
    if (free_bytes < before + reserve_bytes)
      throw new Error(
        `the database takes ${before} bytes, and as many must be free on the disk: there are ` +
          `${free_bytes}`,
      );
    database.run("pragma auto_vacuum = incremental");
    database.run("vacuum into ?", [compact]);
    sync(compact);
    renameSync(compact, path);
    sync(dirname(path));
    return { before, after: statSync(path).size };
  } catch (error) {
    rmSync(compact, { force: true });
    if (isBusy(error)) throw new Error(`another process uses ${path}; stop it first`);
    throw error;
  } finally {
    database.close();
  }
}

/** Without a write-ahead log, whose name would be that of the new database too. */
const keep_out = [
  "pragma busy_timeout = 1000",
  "pragma locking_mode = exclusive",
  "pragma journal_mode = delete",
  "begin exclusive",
  "commit",
];

/** What a compaction left behind that was cut off. */
export const removeCompactions = (path: string): Promise<void> =>
  removeLeftovers(dirname(path), `${basename(path)}${suffix}`);

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
