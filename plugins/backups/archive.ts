/**
 * The layout of a backup, and reading one that may be anything: truncated, damaged, or not a
 * backup.
 *
 * A backup is a ZIP archive (ZIP64):
 * - `dossier.db`: the database, SQLite, deflated
 * - `files/ab/ab12…`: the originals by their SHA-256, uncompressed
 * - `originals.jsonl`: one line per original, `{"sha256","bytes"}`, with `"in"` when it is in
 *   another backup, to which this one is incremental
 * - `dossier.toml`: the settings, if there is such a file; without secrets unless requested
 * - `secret.key`: only when secrets were requested
 * - `manifest.json`: see `Manifest`; the last entry
 *
 * Originals outside the data directory stay there: `originals.jsonl` lists them, and the manifest
 * says where they are.
 */
import { closeSync, openSync } from "node:fs";
import { basename } from "node:path";
import { parsedJson } from "../../core/lib/json-values";
import {
  entryPieces,
  fileSource,
  findDirectory,
  readDirectory,
  ZipError,
  type ZipEntry,
} from "../../core/lib/zip";
import { t, Validator, version, type Static } from "../../core/sdk";

/** A later format may contain what this version does not know. */
export const format_version = 2;
/** The format from before originals could be elsewhere, which every version can read. */
export const format_version_with_originals = 1;
/** The entry with the database. */
export const database_part = "dossier.db";
/** The entry with the list of originals. */
export const list_part = "originals.jsonl";
/** The entry with the settings. */
export const settings_part = "dossier.toml";
/** The entry with the secret key; only in backups with secrets. */
export const key_part = "secret.key";
/** The entry with the manifest. */
export const manifest_part = "manifest.json";

const Sha256 = t.String({ pattern: "^[0-9a-f]{64}$" });
const Count = t.Integer({ minimum: 0 });

export const Manifest = t.Object({
  format: t.Literal("dossier backup"),
  format_version: t.Integer({ minimum: 1 }),
  /** The version that made it. */
  dossier: t.Object({ version: t.String(), commit: t.Union([t.String(), t.Null()]) }),
  made_at: t.String(),
  /** `plugin/id` of every applied migration step. */
  migrations: t.Array(t.String()),
  /** The number of rows in each table. */
  counts: t.Record(t.String(), Count),
  /** The answers of the database to the plugins' probes, by the name of the probe. */
  answers: t.Record(t.String(), t.Unknown()),
  parts: t.Array(t.Object({ name: t.String(), bytes: Count, sha256: Sha256 })),
  originals: t.Object({
    count: Count,
    bytes: Count,
    elsewhere: Count,
    /** They are not in the archive: `s3://bucket/prefix at host`. */
    stored_in: t.Optional(t.String()),
  }),
});
export type Manifest = Static<typeof Manifest>;
const manifest_shape = new Validator(Manifest);

/** One line of `originals.jsonl`. */
export const Original = t.Object({
  sha256: Sha256,
  bytes: Count,
  in: t.Optional(t.String({ pattern: "^(?!\\.{1,2}$)[^/\\\\]{1,255}$" })),
});
export type Original = Static<typeof Original>;
const original_shape = new Validator(Original);

const directory_bytes_max = 2 ** 30;
const manifest_bytes_max = 16 * 2 ** 20;
const line_length_max = 1_000;

/** The name of the entry with an original. */
export const originalPart = (sha256: string): string => `files/${sha256.slice(0, 2)}/${sha256}`;

/** An invalid backup, in words for its owner. */
export class BadBackup extends Error {
  override readonly name = "BadBackup";
}

/** A backup whose manifest and directory were read; the contents of its entries were not. */
export interface Backup {
  readonly path: string;
  readonly manifest: Manifest;
  /** By name: everything that the manifest and the list of originals mention, and nothing else. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/** Reads the directory and the manifest; nothing else is checked yet. @throws BadBackup */
export async function openBackup(path: string): Promise<Backup> {
  const bad = (problem: string): BadBackup => new BadBackup(`${basename(path)} ${problem}`);
  const entries = readEntries(path, (problem) => new BadBackup(`${path} ${problem}`));
  const entry = entries.get(manifest_part);
  if (!entry) throw bad("is not a Dossier backup: it has no manifest.json.");
  const text = await readText(path, entry, manifest_bytes_max);
  const manifest = parsedJson(text) as Manifest | undefined;
  if (manifest?.format !== "dossier backup")
    throw bad("is not a Dossier backup: its manifest.json is of another kind.");
  if (manifest.format_version > format_version)
    throw bad(
      `was created by Dossier ${manifest.dossier?.version}, in a newer format than this ` +
        `version (${version}) can read. Use that version.`,
    );
  try {
    manifest_shape.validate(manifest);
  } catch (error) {
    throw bad(`is damaged: its manifest.json is not valid. ${(error as Error).message}`);
  }
  const backup = { path, manifest, entries };
  for (const { name, bytes } of manifest.parts)
    if (entries.get(name)?.bytes !== bytes)
      throw bad(`is damaged: its part ${name} is incomplete.`);
  for (const name of [database_part, list_part])
    if (!manifest.parts.some((part) => part.name === name))
      throw bad(`is damaged: its manifest.json does not list ${name}.`);
  return backup;
}

function readEntries(path: string, bad: (problem: string) => BadBackup): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw bad(code === "ENOENT" ? "does not exist." : `can't be read: ${code ?? String(error)}.`);
  }
  try {
    const source = fileSource(file);
    const directory = findDirectory(source);
    if (!directory)
      throw bad("is cut off, or not a Dossier backup: the ZIP directory at its end is missing.");
    for (const entry of readDirectory(source, directory, directory_bytes_max)) {
      if (!isPart(entry.name))
        throw bad(
          `is not a Dossier backup: it contains ${JSON.stringify(entry.name.slice(0, 100))}.`,
        );
      if (entries.has(entry.name)) throw bad(`is damaged: it contains ${entry.name} twice.`);
      entries.set(entry.name, entry);
    }
  } catch (error) {
    throw error instanceof ZipError ? bad("is damaged: its ZIP directory can't be read.") : error;
  } finally {
    closeSync(file);
  }
  return entries;
}

const parts = new Set([database_part, list_part, settings_part, key_part, manifest_part]);
/** No other name is ever turned into a path. */
const isPart = (name: string): boolean =>
  parts.has(name) || /^files\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/.test(name);

/** Every original that the backup mentions. @throws BadBackup */
export async function* readOriginals({ path, entries }: Backup): AsyncGenerator<Original> {
  const entry = entries.get(list_part)!;
  const decoder = new TextDecoder();
  const bad = (): BadBackup =>
    new BadBackup(`${basename(path)} is damaged: its originals.jsonl is not valid.`);
  let partial_line = "";
  for await (const piece of piecesOf(path, entry, entry.bytes)) {
    const lines = (partial_line + decoder.decode(piece, { stream: true })).split("\n");
    partial_line = lines.pop()!;
    if (partial_line.length > line_length_max) throw bad();
    for (const line of lines) {
      const original = parsedJson(line) as Original;
      try {
        original_shape.validate(original);
      } catch {
        throw bad();
      }
      yield original;
    }
  }
  if (partial_line !== "") throw bad();
}

/**
 * The bytes of a part, hashed on the way. @throws BadBackup when they differ from those that were
 * backed up.
 */
export async function* readPart(
  { path, entries }: Pick<Backup, "path" | "entries">,
  {
    name,
    bytes,
    sha256,
  }: { readonly name: string; readonly bytes: number; readonly sha256: string },
): AsyncGenerator<Buffer> {
  const entry = entries.get(name);
  if (!entry || entry.bytes !== bytes)
    throw new BadBackup(`${basename(path)} is damaged: its part ${name} is incomplete.`);
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of piecesOf(path, entry, bytes)) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest("hex") !== sha256)
    throw new BadBackup(
      `${basename(path)} is damaged: its part ${name} does not match its SHA-256.`,
    );
}

async function* piecesOf(path: string, entry: ZipEntry, bytes_max: number): AsyncGenerator<Buffer> {
  try {
    yield* entryPieces(path, entry, bytes_max);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw new BadBackup(`${basename(path)} is damaged: its part ${entry.name} can't be read.`);
  }
}

async function readText(path: string, entry: ZipEntry, bytes_max: number): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of piecesOf(path, entry, bytes_max)) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
