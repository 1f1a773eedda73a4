/**
 * The copies of the database made before its tables are changed: how they are named and found
 * again, and which of them are kept.
 */
import { Database } from "bun:sqlite";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { rfc3339, type Clock } from "../base/clock";
import { version } from "../base/version";
import type { Db, Store } from "./store";

/** A row of the ledger. */
interface AppliedStep {
  readonly plugin: string;
  readonly id: string;
}

/** How many copies are kept. */
const copies_max = 3;
/** File names of copies, which sort by time. */
export const copy_pattern = /^\d{8}T\d{6}Z-before-.+\.db$/;
/** A database that a rollback has put aside; its log has the same name with `-wal` appended. */
export const rolled_back_pattern = /^\d{8}T\d{6}Z-rolled-back\.db$/;
/** In the ledger: the name of the copy made before the first step, until all are applied. */
export const copy_row = "core.copy";

/** Whether a copy is recorded: a migration has been interrupted. */
export const hasCopy = (applied: readonly AppliedStep[]): boolean =>
  applied.some(({ plugin }) => plugin === copy_row);

/**
 * The copy that was made before a migration which has been interrupted; null when there is none. A
 * copy of what the interruption left would be of no use to any version, and displace that one.
 */
export async function copyBefore(
  applied: readonly AppliedStep[],
  directory: string,
): Promise<string | null> {
  const name = applied.find(({ plugin }) => plugin === copy_row)?.id;
  if (name === undefined) return null;
  const names = await readdir(directory).catch((): string[] => []);
  return names.includes(name) ? join(directory, name) : null;
}

/** Records the copy in the transaction of a step. `path`: null with the last one. */
export async function noteCopy(
  tx: Db<any>,
  path: string | null,
  clock: Pick<Clock, "now_ms">,
): Promise<void> {
  await tx.deleteFrom("core_migrations").where("plugin", "=", copy_row).execute();
  if (path === null) return;
  const row = { plugin: copy_row, id: basename(path), applied_at: clock.now_ms() };
  await tx.insertInto("core_migrations").values(row).execute();
}

/** A complete and consistent copy; it gets its name when it is complete. Returns its path. */
export async function copyDatabase(
  copyTo: NonNullable<Store["copyTo"]>,
  directory: string,
  clock: Pick<Clock, "now_ms">,
): Promise<string> {
  const name = `${fileTime(clock)}-before-${version}`;
  await mkdir(directory, { recursive: true });
  // Several may be made in one second, when plugins migrate one by one.
  const existing_names = await readdir(directory);
  const path = join(
    directory,
    `${name}${existing_names.includes(`${name}.db`) ? `-${existing_names.length}` : ""}.db`,
  );
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  await copyTo(unfinished);
  await sync(unfinished);
  await rename(unfinished, path);
  await sync(directory);
  await pruneCopies(directory, basename(path));
  return path;
}

/**
 * Deletes the oldest copies, unfinished ones left by a crash, and those that a newer copy with the
 * same tables replaces, as when a migration fails at each start; other files are not ours.
 */
async function pruneCopies(directory: string, newest: string): Promise<void> {
  const names = (await readdir(directory)).sort();
  const steps = stepsIn(join(directory, newest));
  const isReplaced = (name: string): boolean =>
    name !== newest && steps !== null && stepsIn(join(directory, name)) === steps;
  const copies = names.filter((name) => copy_pattern.test(name));
  const replaced = copies.filter(isReplaced);
  const others = copies.filter((name) => !replaced.includes(name));
  const unfinished = names.filter(
    (name) => copy_pattern.test(name.replace(/\.unfinished$/, "")) && !copy_pattern.test(name),
  );
  for (const name of [...replaced, ...others.slice(0, -copies_max), ...unfinished])
    await rm(join(directory, name), { force: true });
}

/** The steps applied to a copy, as a text; null when it can't be read. */
function stepsIn(path: string): string | null {
  try {
    using copy = new Database(path, { readonly: true });
    return JSON.stringify(
      copy
        .query("select plugin, id from core_migrations where plugin <> ? order by plugin, id")
        .values(copy_row),
    );
  } catch {
    return null;
  }
}

/** `20260131T120000Z`: sorts by time and is a valid file name everywhere. */
const fileTime = (clock: Pick<Clock, "now_ms">): string =>
  rfc3339(clock.now_ms())
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "");

async function sync(path: string): Promise<void> {
  await using file = await open(path, "r");
  await file.sync();
}
