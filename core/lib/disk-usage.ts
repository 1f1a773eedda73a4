/** How much space the data directory takes, and how much is free. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

/** Bytes of the database with its write-ahead log. */
export async function databaseBytes(path: string): Promise<number> {
  const sizes = await Promise.all([path, `${path}-wal`].map((file) => sizeOf(file)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes of all files below a directory; files that vanish meanwhile count as nothing. */
export async function directoryBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  // One directory at a time, so that a large tree does not fill the queue of file system calls.
  for (const entry of entries.filter((entry) => entry.isDirectory()))
    sum += await directoryBytes(join(directory, entry.name));
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => sizeOf(join(directory, entry.name))),
  );
  return sizes.reduce((all, size) => all + size, sum);
}

/** The free space of the disk that contains `path`: in bytes, and as a share from 0 to 1. */
export async function freeSpace(
  path: string,
): Promise<{ readonly free_bytes: number; readonly share: number }> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { free_bytes: bavail * bsize, share: bavail / blocks };
}

const sizeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );
