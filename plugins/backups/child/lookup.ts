/** Reads other backups, in a child process: their content, and their descriptions. */
import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { BadBackup, key_part, openBackup, readOriginals } from "../archive";

/** The backups whose originals are listed in the new file. */
export interface KnownInput {
  readonly archives: readonly string[];
  /** The new file. */
  readonly output: string;
}

/**
 * Writes a line for each original known to these backups: itself, and the backup that contains it.
 * @throws BadBackup
 */
export async function writeKnown({ archives, output }: KnownInput): Promise<null> {
  const lines = async function* () {
    for (const path of archives)
      for await (const original of readOriginals(await openBackup(path)))
        yield `${JSON.stringify({ in: basename(path), ...original })}\n`;
  };
  await pipeline(lines(), createWriteStream(output));
  return null;
}

/** A backup as a list shows it. */
export interface Description {
  readonly path: string;
  readonly bytes: number;
  /** Null when the file can't be read as a backup: then `problem` says why. */
  readonly summary: {
    readonly at: string;
    readonly by: string;
    readonly rows: number;
    readonly originals: number;
    readonly elsewhere: number;
    readonly with_secrets: boolean;
  } | null;
  readonly problem: string | null;
}

/**
 * The backups that contain originals of these ones, by name. An unreadable one needs none: it is
 * shown as damaged in the list of backups.
 */
export async function findNeeded(paths: readonly string[]): Promise<string[]> {
  const needed = new Set<string>();
  for (const path of paths)
    try {
      const backup = await openBackup(path);
      if (backup.manifest.originals.elsewhere > 0)
        for await (const { in: archive } of readOriginals(backup))
          if (archive !== undefined) needed.add(archive);
    } catch (error) {
      if (!(error instanceof BadBackup)) throw error;
    }
  return [...needed];
}

/** Describes these files. */
export async function describe(paths: readonly string[]): Promise<Description[]> {
  const descriptions: Description[] = [];
  for (const path of paths) {
    const bytes = (await stat(path).catch(() => null))?.size ?? 0;
    try {
      const { manifest } = await openBackup(path);
      const { count, elsewhere } = manifest.originals;
      const summary = {
        at: manifest.made_at,
        by: manifest.dossier.version,
        rows: Object.values(manifest.counts).reduce((sum, rows) => sum + rows, 0),
        originals: count,
        elsewhere,
        with_secrets: manifest.parts.some(({ name }) => name === key_part),
      };
      descriptions.push({ path, bytes, summary, problem: null });
    } catch (error) {
      descriptions.push({ path, bytes, summary: null, problem: (error as Error).message });
    }
  }
  return descriptions;
}
