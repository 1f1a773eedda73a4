/** Directories of servers, and what lies in them. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { memoryPlace } from "../../scripts/lib/memory-place";

/** A new directory, in memory where there is much of it. */
export const temporaryDirectory = (): string => mkdtempSync(join(memoryPlace(), "dossier-test-"));

/**
 * Adds the file that a server sets aside for a full disk, of its full size but without blocks:
 * writing 16 MiB for every server would cost a test as much as all that it does.
 */
export function addReserveFile(data: string): void {
  const path = join(data, "dossier.db.ballast");
  writeFileSync(path, "");
  truncateSync(path, 16 * 2 ** 20);
}

/** Files of the data directory, backups aside, by their path from there. */
export const filesIn = (data: string): string[] =>
  readdirSync(data, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(data.length + 1))
    .filter((path) => !path.startsWith("backups/"))
    .sort();

/** That of a server, and those of the other processes beside it: `several.ts` names them. */
function directoriesOf(data: string): string[] {
  const all = [data];
  for (let n = 2; existsSync(`${data}-${n}`); n++) all.push(`${data}-${n}`);
  return all;
}

/** Files of the data directories of a server, backups aside, in which the word is found. */
export const filesWith = (data: string, word: string): string[] =>
  directoriesOf(data).flatMap((directory) =>
    filesIn(directory).filter((path) => {
      // A file may go between the listing and the reading.
      try {
        return readFileSync(join(directory, path)).includes(word);
      } catch {
        return false;
      }
    }),
  );

/**
 * What arrives is written somewhere before it is a document: the files that no finished upload
 * leaves.
 */
export const temporaryFiles = (data: string): string[] =>
  directoriesOf(data)
    .flatMap(filesIn)
    .filter((path) => path.split("/").slice(0, -1).includes("tmp") && !path.includes("/copies/"));

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
