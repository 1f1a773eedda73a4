/** Data directories of servers, and their files. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { memoryDirectory } from "../../scripts/lib/memory-directory";

/** A new directory, in memory if there is enough. */
export const temporaryDirectory = (): string =>
  mkdtempSync(join(memoryDirectory(), "dossier-test-"));

/**
 * Creates the server's reserve file as a sparse file of full size: writing 16 MiB for every server
 * would take as long as the rest of a test.
 */
export function addReserveFile(data: string): void {
  const path = join(data, "dossier.db.ballast");
  writeFileSync(path, "");
  truncateSync(path, 16 * 2 ** 20);
}

/** Files of the data directory, except backups, by relative path. */
export const filesIn = (data: string): string[] =>
  readdirSync(data, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(data.length + 1))
    .filter((path) => !path.startsWith("backups/"))
    .sort();

/** The server's directory, and those of further processes, which `process-group.ts` names. */
function directoriesOf(data: string): string[] {
  const all = [data];
  for (let n = 2; existsSync(`${data}-${n}`); n++) all.push(`${data}-${n}`);
  return all;
}

/** Files of a server's data directories, except backups, that contain the word. */
export const filesWith = (data: string, word: string): string[] =>
  directoriesOf(data).flatMap((directory) =>
    filesIn(directory).filter((path) => {
      // A file may be deleted between listing and reading.
      try {
        return readFileSync(join(directory, path)).includes(word);
      } catch {
        return false;
      }
    }),
  );

/** Uploads in progress: files that no finished upload leaves behind. */
export const temporaryFiles = (data: string): string[] =>
  directoriesOf(data)
    .flatMap(filesIn)
    .filter((path) => path.split("/").slice(0, -1).includes("tmp") && !path.includes("/copies/"));

/** How s3rver names the files of objects. */
export const object_suffix = "._S3rver_object";
/** The originals of a server on this directory, in the shared bucket. */
export const prefixOf = (data: string): string => Bun.hash(data).toString(36);

/** Names of the originals, wherever they are; incoming ones as `tmp/…`. */
export function filesOf(data: string): string[] {
  const { TEST_S3_DIRECTORY: store } = process.env;
  if (store === undefined)
    return entriesIn(join(data, "files"))
      .filter(({ name }) => name !== "dossier-originals")
      .map((entry) => (entry.parentPath.endsWith("tmp") ? `tmp/${entry.name}` : entry.name))
      .sort();
  const stored = entriesIn(join(store, "originals", prefixOf(data)))
    .filter(({ name }) => name.endsWith(object_suffix))
    .map(({ name }) => name.slice(0, -object_suffix.length));
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
