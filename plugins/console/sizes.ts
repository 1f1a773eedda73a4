/** How much room the data directory takes. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Bytes of the database with its log. */
export async function databaseBytes(path: string): Promise<number> {
  const sizes = await Promise.all([path, `${path}-wal`].map((file) => sizeOf(file)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes of all files below a directory; those that vanish meanwhile count nothing. */
export async function directoryBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  // One directory after the other, so that a large tree does not fill the queue of the file system.
  for (const entry of entries.filter((one) => one.isDirectory()))
    sum += await directoryBytes(join(directory, entry.name));
  const sizes = await Promise.all(
    entries.filter((one) => one.isFile()).map((one) => sizeOf(join(directory, one.name))),
  );
  return sizes.reduce((all, size) => all + size, sum);
}

/**
 * Asked again only when the last answer is older than this; those who ask at the same time share
 * one answer.
 */
export function remembering<T>(
  ask: () => Promise<T>,
  hold_ms: number,
  now_ms: () => number,
): () => Promise<T> {
  let last: { readonly at_ms: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (!last || now_ms() - last.at_ms >= hold_ms) last = { at_ms: now_ms(), answer: ask() };
    return last.answer;
  };
}

const sizeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );
