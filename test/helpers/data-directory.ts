/** Directories of servers, and what lies in them. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryPlace } from "../../scripts/lib/memory-place";

/** A new directory, in memory where there is much of it. */
export const temporaryDirectory = (): string => mkdtempSync(join(memoryPlace(), "dossier-test-"));

/** Files of the data directory, backups aside, by their path from there. */
export const filesIn = (data: string): string[] =>
  readdirSync(data, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(data.length + 1))
    .filter((path) => !path.startsWith("backups/"))
    .sort();

/** Files of the data directory, backups aside, in which the word is found. */
export const filesWith = (data: string, word: string): string[] =>
  filesIn(data).filter((path) => {
    // A file may go between the listing and the reading.
    try {
      return readFileSync(join(data, path)).includes(word);
    } catch {
      return false;
    }
  });

/**
 * What arrives is written somewhere before it is a document: the files that no finished upload
 * leaves.
 */
export const temporaryFiles = (data: string): string[] =>
  filesIn(data).filter(
    (path) => path.split("/").slice(0, -1).includes("tmp") && !path.includes("/copies/"),
  );

/** How s3rver names the files of objects. */
export const stored_as = "._S3rver_object";
/** Where a server on this directory has its originals in a bucket of all. */
export const prefixOf = (data: string): string => Bun.hash(data).toString(36);

/** Names of the originals, wherever they are; what is arriving comes as `tmp/…`. */
export function filesOf(data: string): string[] {
  const { TEST_S3_DIRECTORY: store } = process.env;
  if (store === undefined)
    return entriesIn(join(data, "files"))
      .filter(({ name }) => name !== "dossier-originals")
      .map((entry) => (entry.parentPath.endsWith("tmp") ? `tmp/${entry.name}` : entry.name))
      .sort();
  const stored = entriesIn(join(store, "originals", prefixOf(data)))
    .filter(({ name }) => name.endsWith(stored_as))
    .map(({ name }) => name.slice(0, -stored_as.length));
  const arriving = entriesIn(join(data, "tmp"))
    .filter(({ parentPath }) => parentPath.endsWith("arriving"))
    .map(({ name }) => `tmp/${name}`);
  return [...stored, ...arriving].sort();
}

function entriesIn(directory: string) {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile());
}
