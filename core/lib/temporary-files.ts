/** Temporary files left behind by a crash. Each feature has a prefix of its own. */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** Paths of the entries of `directory` with one of these prefixes. */
export const findLeftovers = (directory: string, ...prefixes: readonly string[]): string[] =>
  readdirSync(directory)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
    .map((name) => join(directory, name));

/** Removes files and folders with one of these prefixes. Call it while nothing uses them yet. */
export async function removeLeftovers(
  directory: string,
  ...prefixes: readonly string[]
): Promise<void> {
  for (const path of findLeftovers(directory, ...prefixes))
    await rm(path, { force: true, recursive: true });
}
