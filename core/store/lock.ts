/**
 * One server per data directory: a lock that the operating system releases when the process ends,
 * however it ends.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openUsingReserve } from "./reserve-file";
import { isBusy } from "./storage-errors";

const lock_file = "dossier.lock";
/** The name of the embedded database in the data directory. */
export const database_file = "dossier.db";

/** Keeps the garbage collector from closing the file, and releasing the lock with it. */
const locked = new Set<Database>();

/**
 * Locks the directory for this process and returns a function that unlocks it. @throws Error in
 * plain words when another server has it, or the disk is full.
 */
export const lockDirectory = (directory: string): (() => void) =>
  openUsingReserve(join(directory, database_file), () =>
    lockFile(
      join(directory, lock_file),
      (path) =>
        new Error(
          `another server is running on ${directory} and holds ${path}. Stop it first, or ` +
            "use another data directory.",
        ),
    ),
  );

/**
 * The same for one file, which is created. @throws the result of `inUse` when another process has
 * it.
 */
export function lockFile(path: string, inUse: (path: string) => Error): () => void {
  const database = new Database(path, { create: true });
  try {
    database.run("pragma busy_timeout = 0");
    database.run("begin exclusive");
  } catch (error) {
    database.close();
    throw isBusy(error) ? inUse(path) : error;
  }
  locked.add(database);
  return () => {
    if (locked.delete(database)) database.close();
  };
}
