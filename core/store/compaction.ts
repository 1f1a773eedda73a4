/**
 * Rewrites a database that no server has open: without the space of deleted rows, and in the form
 * that shrinks by itself from then on.
 */
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeLeftovers } from "../lib/temporary-files";
import { freeSpaceOf } from "./free-space";
import { isBusy } from "./storage-errors";

const suffix = ".compact";

/**
 * Returns its size before and after, bytes. When interrupted at any moment, the database is intact:
 * the old one until the new one is on the disk. @throws Error in plain words when the disk has no
 * space for both.
 */
export function compactDatabase(path: string): { readonly before: number; readonly after: number } {
  const compact_path = `${path}${suffix}`;
  rmSync(compact_path, { force: true });
  const database = new Database(path, { create: false, readwrite: true });
  try {
    // Keeps other commands from writing until the new file has replaced the old one.
    for (const step of exclusive_mode) database.run(step);
    const before = statSync(path).size;
    const { free_bytes, reserve_bytes } = freeSpaceOf(dirname(path));
    if (free_bytes < before + reserve_bytes)
      throw new Error(
        `compacting needs as much free space as the database has: ${before} bytes, and ` +
          `only ${free_bytes} bytes are free`,
      );
    database.run("pragma auto_vacuum = incremental");
    database.run("vacuum into ?", [compact_path]);
    sync(compact_path);
    renameSync(compact_path, path);
    sync(dirname(path));
    return { before, after: statSync(path).size };
  } catch (error) {
    rmSync(compact_path, { force: true });
    if (isBusy(error)) throw new Error(`another process is using ${path}. Stop it first`);
    throw error;
  } finally {
    database.close();
  }
}

/** Closes the write-ahead log, whose name would be that of the new database's log, too. */
const exclusive_mode = [
  "pragma busy_timeout = 1000",
  "pragma locking_mode = exclusive",
  "pragma journal_mode = delete",
  "begin exclusive",
  "commit",
];

/** Removes what an interrupted compaction left behind. */
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
