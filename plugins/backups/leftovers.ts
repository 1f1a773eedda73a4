/**
 * The files beside the backups: copies of the database from before upgrades, databases put aside by
 * a rollback, and interrupted ones. How many are kept, and for how long.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { copy_pattern, database_file, rolled_back_pattern } from "../../core/sdk";

/** How many of these are kept; of copies from before upgrades as many. */
export const rolled_back_max = 3;
/** What a restore and a rollback create before it gets its final name. */
export const restoring_directory = ".restoring";
/** The name of the database that a rollback is writing. */
export const rollback_file = `${database_file}.rollback`;
/** A running command has touched its files since. */
const abandoned_ms = 3_600_000;

/** What lies beside the database. */
export interface KeptCopies {
  /** Names in `backups`, oldest first. */
  readonly copies: readonly string[];
  readonly rolled_back: readonly string[];
  /** The size of both, including logs. */
  readonly bytes: number;
  /** Paths left behind by an interrupted restore or rollback. */
  readonly abandoned: readonly string[];
}

/** Looks into the data directory and its `backups`. */
export function findKeptCopies(data: string, now_ms: number): KeptCopies {
  const directory = join(data, "backups");
  const names = existsSync(directory) ? readdirSync(directory).sort() : [];
  const copies = names.filter((name) => copy_pattern.test(name));
  const rolled_back = names.filter((name) => rolled_back_pattern.test(name));
  let bytes = 0;
  for (const name of [...copies, ...rolled_back])
    for (const path of partsOf(join(directory, name)))
      bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const abandoned: string[] = [];
  for (const path of [join(data, restoring_directory), join(data, rollback_file)]) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && now_ms - stats.mtimeMs > abandoned_ms) abandoned.push(path);
  }
  return { copies, rolled_back, bytes, abandoned };
}

/**
 * Deletes what is older than `keep_ms`, according to the time in its name, and the oldest of those
 * put aside by rollbacks. Returns the names.
 */
export async function pruneKeptCopies(
  data: string,
  { keep_ms, now_ms }: { readonly keep_ms: number; readonly now_ms: number },
): Promise<string[]> {
  const { copies, rolled_back } = findKeptCopies(data, now_ms);
  const is_old = (name: string): boolean => timeOf(name) < now_ms - keep_ms;
  const old_names = [
    ...copies.filter(is_old),
    ...rolled_back.filter(
      (name, index) => is_old(name) || index < rolled_back.length - rolled_back_max,
    ),
  ];
  for (const name of old_names)
    for (const path of partsOf(join(data, "backups", name))) await rm(path, { force: true });
  return old_names;
}

/** The oldest beyond those that are kept. */
export const pruneRolledBack = (data: string, now_ms: number): Promise<string[]> =>
  pruneKeptCopies(data, { keep_ms: Infinity, now_ms });

/** A database, and the files that belong to it. */
const partsOf = (path: string): string[] =>
  ["", "-wal", "-shm"].map((end) => `${path}${end}`).filter((part) => existsSync(part));

/** `20260131T120000Z-…`, epoch milliseconds. */
const timeOf = (name: string): number =>
  Date.parse(name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, "$1-$2-$3T$4:$5:$6Z"));
