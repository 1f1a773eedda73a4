/** The layout of original files in a directory: `ab/abcd…`, named by their hash. */
import { closeSync, openSync, type Stats } from "node:fs";
import { mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoredFile } from "./files";

/** Files per batch of a listing. */
const names_per_batch = 500;
const folder_pattern = /^[0-9a-f]{2}$/;
const name_pattern = /^[0-9a-f]{64}$/;

/** The path relative to the root of all files; the same in a bucket. */
export const nameOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`;

/** The names of all files, in order. */
export async function* listNames(directory: string): AsyncGenerator<string[]> {
  let names: string[] = [];
  for (const folder of (await readdir(directory)).sort()) {
    if (!folder_pattern.test(folder)) continue;
    const entries = await readdir(join(directory, folder));
    names.push(...entries.filter((name) => name_pattern.test(name)).sort());
    for (; names.length >= names_per_batch; names = names.slice(names_per_batch))
      yield names.slice(0, names_per_batch);
  }
  if (names.length > 0) yield names;
}

/** See `Files.list`. */
export async function* listDirectory(directory: string): AsyncGenerator<StoredFile[]> {
  for await (const names of listNames(directory)) {
    const files: StoredFile[] = [];
    for (const sha256 of names) {
      const stats = await statsOf(join(directory, nameOf(sha256)));
      // It may have been deleted since the directory was read.
      if (stats) files.push({ sha256, size_bytes: stats.size, stored_at: stats.mtimeMs });
    }
    yield files;
  }
}

/** Undefined when there is no such file. */
export const statsOf = (path: string): Promise<Stats | undefined> =>
  stat(path).catch(() => undefined);
/** Undefined when there is no such file. */
export const sizeOf = async (path: string): Promise<number | undefined> =>
  (await statsOf(path))?.size;

/**
 * @throws Error when no file in it can be opened: with the code FILES_DIRECTORY when it is missing
 * or may not be read, as when its disk is not mounted.
 */
export function requireDirectory(directory: string): void {
  try {
    closeSync(openSync(directory, "r"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES") throw error;
    const reason = `original files can't be reached: ${message}`;
    throw Object.assign(new Error(reason, { cause: error }), { code: "FILES_DIRECTORY" });
  }
}

/** Renames a file within a disk, durably even across a power failure. */
export async function renameForGood(from: string, to: string, directory: string): Promise<void> {
  const first_created = await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
  await syncDirectory(dirname(to));
  if (first_created !== undefined) await syncDirectory(directory);
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}
