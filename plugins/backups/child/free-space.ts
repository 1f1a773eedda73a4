/** Checks that there is enough disk space for a backup. */
import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { snapshotBytes } from "../../../core/sdk";
import type { Original } from "../archive";

/** What the server needs meanwhile. */
const spare_bytes = 64 * 2 ** 20;

/**
 * Paths whose sizes and disks are compared. `elsewhere` is the list of originals that other backups
 * contain; null: there are none.
 */
export interface FreeSpaceInput {
  readonly database: string;
  readonly files: string;
  readonly work: string;
  /** Where the archive goes. */
  readonly directory: string;
  readonly elsewhere: string | null;
}

/** @throws Error that says how much is missing. */
export async function requireFreeSpace(input: FreeSpaceInput): Promise<void> {
  const database_bytes = snapshotBytes(input.database);
  const new_bytes = await newBytes(input);
  const archive_bytes = database_bytes + new_bytes;
  const work_dev = (await stat(input.work)).dev;
  // Originals on the same disk are held by a further link; those on another one are copied.
  const held_bytes = work_dev === (await stat(input.files)).dev ? 0 : new_bytes;
  const work_bytes = database_bytes + held_bytes;
  const one_disk = work_dev === (await stat(input.directory)).dev;
  const needs = one_disk
    ? [[input.directory, work_bytes + archive_bytes] as const]
    : [[input.work, work_bytes] as const, [input.directory, archive_bytes] as const];
  for (const [directory, bytes] of needs) {
    const { bavail, bsize } = await statfs(directory);
    const missing = bytes + spare_bytes - bavail * bsize;
    if (missing > 0)
      throw new Error(
        `there is not enough space for a backup: the disk of ${directory} has ` +
          `${mebibytes(bavail * bsize)} MiB free, and ${mebibytes(missing)} MiB more are ` +
          "needed",
      );
  }
}

/** The size of the originals that no earlier backup contains. */
async function newBytes({ files, elsewhere }: FreeSpaceInput): Promise<number> {
  const known = new Set(
    elsewhere === null
      ? []
      : (await readFile(elsewhere, "utf8"))
          .split("\n")
          .filter(Boolean)
          .map((line) => (JSON.parse(line) as Original).sha256),
  );
  let bytes = 0;
  for (const folder of await readdir(files)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await readdir(join(files, folder)))
      if (!known.has(name))
        bytes += await stat(join(files, folder, name)).then(
          ({ size }) => size,
          () => 0,
        );
  }
  return bytes;
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
