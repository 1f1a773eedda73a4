/**
 * The rehearsal of a backup, in a child process: reads all of it, and extracts its database so that
 * it can be opened.
 */
import { counted } from "../../../core/lib/counted";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { writePaced } from "../../../core/lib/paced-writer";
import { findFaults, readFacts } from "../../../core/sdk";
import {
  database_part,
  list_part,
  manifest_part,
  openBackup,
  originalPart,
  readOriginals,
  readPart,
  type Backup,
  type Manifest,
} from "../archive";
import type { Progress } from "../progress";

/** The backup that is read back. */
export interface RehearseInput {
  readonly archive: string;
  /** An empty directory; afterwards it contains `dossier.db`, the database. */
  readonly work: string;
  /** Directories with the backups that contain the other originals. */
  readonly beside: readonly string[];
}

/** @throws BadBackup, or Error that describes the difference. */
export async function rehearse(
  { archive, work, beside }: RehearseInput,
  send: (progress: Progress) => void,
): Promise<Manifest> {
  const backup = await openBackup(archive);
  const { manifest } = backup;
  const total = [...backup.entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const withProgress = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      yield piece;
      done += piece.length;
      send({ stage: "rehearsal", done, total });
    }
  };
  const database = join(work, database_part);
  for (const part of manifest.parts) {
    const pieces = withProgress(readPart(backup, part));
    if (part.name === database_part) await writePaced(pieces, database);
    else for await (const _ of pieces);
  }
  await readAllOriginals(backup, beside, withProgress);
  requireSame(database, manifest);
  return manifest;
}

/** Reads those that are here; of the others only checks that their backup exists. */
async function readAllOriginals(
  backup: Backup,
  beside: readonly string[],
  withProgress: (pieces: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
): Promise<void> {
  const expected = new Set([manifest_part, ...backup.manifest.parts.map(({ name }) => name)]);
  const elsewhere = new Set<string>();
  let count = 0;
  for await (const original of readOriginals(backup)) {
    count++;
    if (backup.manifest.originals.stored_in !== undefined) continue;
    if (original.in !== undefined) {
      elsewhere.add(original.in);
      continue;
    }
    const { sha256, bytes } = original;
    const name = originalPart(sha256);
    expected.add(name);
    for await (const _ of withProgress(readPart(backup, { name, bytes, sha256 })));
  }
  for (const name of elsewhere)
    if (![dirname(backup.path), ...beside].some((directory) => existsSync(join(directory, name))))
      throw new Error(`some of its originals are in ${name}, which is not in the same directory`);
  if (count !== backup.manifest.originals.count)
    throw new Error(
      `its ${list_part} lists ${counted(count, "original")}, which does not match its manifest`,
    );
  const foreign = [...backup.entries.keys()].find((name) => !expected.has(name));
  if (foreign !== undefined) throw new Error(`it contains ${foreign}, which is not listed in it`);
}

/** @throws Error when the database is damaged, or differs from the manifest. */
export function requireSame(
  database: string,
  manifest: Pick<Manifest, "counts" | "migrations">,
): void {
  const faults = findFaults(database);
  if (faults.length > 0) throw new Error(`its database is damaged: ${faults.join("; ")}`);
  const { counts, migrations } = readFacts(database);
  if (!Bun.deepEquals(migrations, manifest.migrations))
    throw new Error("the tables of its database do not match its manifest");
  const other = Object.keys({ ...counts, ...manifest.counts }).find(
    (table) => counts[table] !== manifest.counts[table],
  );
  if (other !== undefined)
    throw new Error(
      `its table ${other} has ${counts[other] ?? "no"} rows instead of ` +
        `${manifest.counts[other]}`,
    );
}
