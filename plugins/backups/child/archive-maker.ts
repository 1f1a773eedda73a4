/**
 * Makes a backup, in a child process: first the copy of the database, then the archive around it.
 */
import { constants, createReadStream } from "node:fs";
import { copyFile, link, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ZipWriter, type ZipPart } from "../../../core/lib/zip-writer";
import { copySnapshot, readFacts, snapshotBytes, type DatabaseFacts } from "../../../core/sdk";
import {
  database_part,
  format_version,
  format_version_with_originals,
  key_part,
  list_part,
  manifest_part,
  originalPart,
  settings_part,
  type Manifest,
  type Original,
} from "../archive";
import type { Progress } from "../progress";
import { withoutSecrets } from "./settings";

/** Paths of what is copied. */
export interface CopyInput {
  readonly database: string;
  /** The directory of the originals. */
  readonly files: string;
  /** An empty directory on the disk of the data, for intermediate files. */
  readonly work: string;
}
/** What the copy contains. */
export interface Copied extends DatabaseFacts {
  readonly database_bytes: number;
}

/**
 * Copies the database as of one moment, and holds the originals: a further link to each keeps it on
 * the disk, even when the server deletes it meanwhile.
 */
export async function takeCopy(
  { database, files, work }: CopyInput,
  send: (progress: Progress) => void,
): Promise<Copied> {
  const linked = join(work, "files");
  await holdOriginals(files, linked, (done) => send({ stage: "originals", done, total: null }));
  const total = snapshotBytes(database);
  const copy = join(work, database_part);
  // Originals added between the first look and the moment of the copy are held right after it: the
  // rest may take minutes, in which they may be deleted.
  await copySnapshot(
    database,
    copy,
    (done) => send({ stage: "database", done, total }),
    () => holdOriginals(files, linked, () => {}),
  );
  const { size: database_bytes } = await stat(copy);
  return { ...readFacts(copy), database_bytes };
}

async function holdOriginals(
  files: string,
  linked: string,
  onProgress: (done: number) => void,
): Promise<void> {
  let done = 0;
  for (const folder of await readdir(files)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    await mkdir(join(linked, folder), { recursive: true });
    for (const name of await readdir(join(files, folder))) {
      if (!/^[0-9a-f]{64}$/.test(name)) continue;
      await hold(join(files, folder, name), join(linked, folder, name));
      if (++done % 1_000 === 0) onProgress(done);
    }
  }
}

/** A file that can't have two names, as across two disks, is copied. */
const no_links = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"]);

/** Does nothing when it is held already, or gone. */
async function hold(original: string, linked: string): Promise<void> {
  try {
    await link(original, linked);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (no_links.has(code)) await copyWhole(original, linked);
    else if (code !== "EEXIST" && code !== "ENOENT") throw error;
  }
}

async function copyWhole(original: string, copy: string): Promise<void> {
  try {
    await copyFile(original, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    await rm(copy, { force: true });
    if (code !== "ENOENT") throw error;
  }
}

/** What goes into the archive, and where it is written. */
export interface PackInput {
  /** As left by `takeCopy`. */
  readonly work: string;
  /** The data directory, for its settings and its key. */
  readonly data: string;
  /** The new archive. */
  readonly archive: string;
  readonly with_secrets: boolean;
  /** `section.key` of the settings that are otherwise left out of dossier.toml. */
  readonly secret_settings: readonly string[];
  readonly facts: Copied;
  readonly answers: Manifest["answers"];
  readonly made_at: string;
  readonly made_by: Manifest["dossier"];
  /** A file with a line for each original in an earlier backup; null: none is. */
  readonly elsewhere: string | null;
  /**
   * Where originals are that stay there, and a file with a line for each; null: in the data
   * directory.
   */
  readonly stored: { readonly in: string; readonly list: string } | null;
}

/** Writes the archive. After a failure the caller deletes what is left of it. */
export async function pack(
  input: PackInput,
  send: (progress: Progress) => void,
): Promise<Manifest> {
  const { work, data, archive, facts } = input;
  const zip = await ZipWriter.create(archive);
  try {
    const { stored } = input;
    const originals = stored
      ? await readLines<Original>(stored.list)
      : await listOriginals(join(work, "files"), input.elsewhere);
    const here = stored ? [] : originals.filter((original) => original.in === undefined);
    const total = here.reduce((sum, { bytes }) => sum + bytes, facts.database_bytes);
    let done = 0;
    const readWithProgress = async function* (path: string) {
      for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) {
        yield piece as Buffer;
        done += (piece as Buffer).length;
        send({ stage: "archive", done, total });
      }
    };
    const parts: ZipPart[] = [];
    parts.push(
      await zip.add(database_part, readWithProgress(join(work, database_part)), { deflated: true }),
    );
    for (const { sha256 } of here) {
      const name = originalPart(sha256);
      const added = await zip.add(name, readWithProgress(join(work, name)), { deflated: false });
      if (added.sha256 !== sha256)
        throw new Error(
          `the original ${sha256} is damaged on the disk: it does not match its SHA-256. ` +
            "Run `dossier doctor --deep` to see which document it belongs to",
        );
    }
    const lines = originals.map((original) => `${JSON.stringify(original)}\n`);
    parts.push(await zip.add(list_part, lines.map(utf8), { deflated: true }));
    for (const [name, text] of await settingsOf(data, input))
      parts.push(await zip.add(name, [utf8(text)], { deflated: false }));
    const manifest: Manifest = {
      format: "dossier backup",
      format_version: stored ? format_version : format_version_with_originals,
      dossier: input.made_by,
      made_at: input.made_at,
      migrations: [...facts.migrations],
      counts: { ...facts.counts },
      answers: input.answers,
      parts,
      originals: {
        count: originals.length,
        bytes: originals.reduce((sum, { bytes }) => sum + bytes, 0),
        elsewhere: stored ? 0 : originals.length - here.length,
        ...(stored && { stored_in: stored.in }),
      },
    };
    await zip.add(manifest_part, [utf8(`${JSON.stringify(manifest, null, 2)}\n`)], {
      deflated: false,
    });
    await zip.finish();
    return manifest;
  } catch (error) {
    await zip.abandon();
    throw error;
  }
}

const readLines = async <T>(path: string): Promise<T[]> =>
  (await readFile(path, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

async function listOriginals(linked: string, elsewhere: string | null): Promise<Original[]> {
  const holders = new Map<string, string>();
  if (elsewhere !== null)
    for (const { sha256, in: archive } of await readLines<Required<Original>>(elsewhere))
      holders.set(sha256, archive);
  const originals: Original[] = [];
  const folders = await readdir(linked).catch(() => []);
  for (const folder of folders.sort())
    for (const sha256 of (await readdir(join(linked, folder))).sort()) {
      const { size: bytes } = await stat(join(linked, folder, sha256));
      const archive = holders.get(sha256);
      originals.push({ sha256, bytes, ...(archive !== undefined && { in: archive }) });
    }
  return originals;
}

async function settingsOf(
  data: string,
  { with_secrets, secret_settings }: Pick<PackInput, "with_secrets" | "secret_settings">,
): Promise<[string, string][]> {
  const read = (name: string) => readFile(join(data, name), "utf8").catch(allowMissing);
  const settings = await read(settings_part);
  const key = with_secrets ? await read(key_part) : null;
  return [
    ...(settings === null
      ? []
      : [[settings_part, with_secrets ? settings : withoutSecrets(settings, secret_settings)]]),
    ...(key === null ? [] : [[key_part, key]]),
  ] as [string, string][];
}

function allowMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
