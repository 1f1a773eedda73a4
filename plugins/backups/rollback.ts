/**
 * `dossier rollback`: restores the copy of the database made before a newer version changed its
 * tables.
 */
import { copyFileSync, existsSync } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  copy_pattern,
  database_file,
  findFaults,
  namedVersion,
  readFacts,
  rfc3339,
  type Tool,
} from "../../core/sdk";
import { pruneRolledBack, rollback_file } from "./leftovers";

export const rollbackTool: Tool = {
  name: "rollback",
  changes: true,
  summary:
    "Go back to the copy of the database from before an upgrade, while the server is " +
    "stopped. The current database is kept aside.",
  options: [
    { flags: "--to <copy>", description: "the name of a copy (default: the newest)" },
    { flags: "--list", description: "only list the copies" },
  ],
  async run({ options, data, print, about, lock, now_ms }) {
    const backups = join(data, "backups");
    const names = existsSync(backups)
      ? (await readdir(backups)).filter((name) => copy_pattern.test(name)).sort()
      : [];
    const none = `there is no copy of the database from before an upgrade in ${backups}`;
    if (options.list) {
      if (names.length === 0) print(`${none[0]!.toUpperCase()}${none.slice(1)}.`);
      return names.reverse().forEach((name) => print(lineOf(backups, name)));
    }
    if (names.length === 0) throw new Error(none);
    const name = typeof options.to === "string" ? options.to : names.at(-1)!;
    if (!names.includes(name))
      throw new Error(`there is no copy ${name} in ${backups}. Run with --list to see the copies`);
    const copy = join(backups, name);
    const faults = findFaults(copy);
    if (faults.length > 0) throw new Error(`the copy ${copy} is damaged: ${faults.join("; ")}`);
    about(name);
    const unlock = lock();
    try {
      const aside = await putBack(data, copy, now_ms());
      print(`The database is now ${lineOf(backups, name)}.`);
      print(`The newer database was kept as ${aside}.`);
      for (const directory of await pruneRolledBack(data, now_ms()))
        print(
          `${directory}, kept by an earlier rollback, was deleted because there were too many.`,
        );
      print(
        `Now start ${writerOf(copy)} on this directory; this version would change the ` +
          "tables again. The copy does not contain documents added since then, and originals " +
          "deleted since then are missing: run `dossier doctor` of that version to see which.",
      );
    } finally {
      unlock();
    }
  },
};

const lineOf = (backups: string, name: string): string =>
  `${name} (written by ${writerOf(join(backups, name))})`;

/** The version that wrote the copy; early ones did not record it. */
function writerOf(copy: string): string {
  const { written_by } = readFacts(copy);
  return written_by === null ? "the version before the upgrade" : namedVersion(written_by);
}

/** Moves the database aside with its log, then gives a copy of the copy its name. */
async function putBack(data: string, copy: string, at_ms: number): Promise<string> {
  const database = join(data, database_file);
  const time = rfc3339(at_ms)
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "");
  const aside = join(data, "backups", `${time}-rolled-back.db`);
  const unfinished = join(data, rollback_file);
  await rm(unfinished, { force: true });
  copyFileSync(copy, unfinished);
  await sync(unfinished);
  // The log belongs to the database: alone it would be taken for that of the copy.
  for (const part of ["-wal", "-shm", ""])
    if (existsSync(`${database}${part}`)) await rename(`${database}${part}`, `${aside}${part}`);
  await rename(unfinished, database);
  await sync(data);
  return aside;
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
