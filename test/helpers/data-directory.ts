/** Directories of servers, and what lies in them. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
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
  filesIn(data).filter((path) => path.split("/").slice(0, -1).includes("tmp"));

/** Names of the originals on disk; what is arriving comes as `tmp/…`. */
export const filesOf = (data: string): string[] =>
  readdirSync(join(data, "files"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => (entry.parentPath.endsWith("tmp") ? `tmp/${entry.name}` : entry.name))
    .sort();
