/**
 * Validates the whole archive before anything of it is imported: hashes, schemas, and references
 * between its parts. Runs in a child process; its time and memory grow with the actual content, not
 * with the sizes that the archive declares.
 */
import type { ZipEntry } from "../../../core/lib/zip";
import { Validator, version } from "../../../core/sdk";
import { BadArchive, badPart, readBytes, readEntries, readLines, quotedText } from "../archive";
import * as layout from "../layout";
import type { Counts, LeftOut, Manifest, Part } from "../layout";
import { checkChats, type KnownRecords } from "./chat-check";
import { checkDocument } from "./document-check";
import { checkFolders, checkPrompts } from "./folder-check";
import { checkShape, namesOf, type CheckLimits, type PartReader } from "./part-reader";

/** The archive and its limits. */
export interface CheckInput extends CheckLimits {
  readonly path: string;
  /** Total size of all parts, uncompressed. */
  readonly bytes_max: number;
}
/** The content of a valid archive. */
export interface Checked {
  readonly counts: Counts;
  readonly left_out: LeftOut;
  /** Bytes of the documents, as a quota counts them. */
  readonly storage_bytes: number;
  /** Parts that no record refers to. */
  readonly left_out_parts: readonly string[];
}

const manifest_bytes_max = 64 * 2 ** 20;
const manifest_shape = new Validator(layout.Manifest);

/** @throws BadArchive */
export async function checkArchive(input: CheckInput): Promise<Checked> {
  const { path } = input;
  const entries = await readEntries(path);
  const manifest = await readManifest(path, entries);
  const parts = checkParts(manifest, entries, input);
  const reader: PartReader = {
    parts,
    limits: input,
    bytes: (name) => hashedBytes(path, entries.get(name)!, parts.get(name)!),
    lines: (name) => readLines(name, hashedBytes(path, entries.get(name)!, parts.get(name)!)),
  };
  const folders = await checkFolders(reader);
  const prompts = await checkPrompts(reader);
  const records: KnownRecords = {
    folders: new Set(folders),
    prompts: new Set(prompts),
    documents: new Map(),
  };
  const counts: Counts = { ...manifest.counts, folders: folders.length, prompts: prompts.length };
  counts.passages = 0;
  let storage_bytes = 0;
  for (const name of namesOf(parts, "document")) {
    const document = await checkDocument(reader, name, records.folders);
    if (records.documents.has(document.id))
      throw badPart(
        name,
        `describes a document that another part already describes (${quotedText(document.id)})`,
      );
    records.documents.set(document.id, document);
    storage_bytes += document.size_bytes;
    counts.passages += document.passages;
  }
  counts.documents = records.documents.size;
  const texts = new Set(namesOf(parts, "document").map(layout.textPartOf));
  const stray = namesOf(parts, "text").find((name) => !texts.has(name));
  if (stray !== undefined) throw badPart(stray, "belongs to no document");
  counts.originals = await hashAll(reader, "original");
  Object.assign(counts, await checkChats(reader, records));
  for (const [noun, count] of Object.entries(manifest.counts))
    if (counts[noun as keyof Counts] !== count)
      throw badPart(
        layout.manifest_part,
        `counts ${count} ${noun}, but the archive has ${counts[noun as keyof Counts]}`,
      );
  return {
    counts: manifest.counts,
    left_out: manifest.left_out,
    storage_bytes,
    left_out_parts: manifest.parts.flatMap(({ left_out, name }) => (left_out ? [name] : [])),
  };
}

async function readManifest(
  path: string,
  entries: ReadonlyMap<string, ZipEntry>,
): Promise<Manifest> {
  const name = layout.manifest_part;
  const entry = entries.get(name);
  if (!entry)
    throw new BadArchive(
      `The archive is refused: it has no ${name}, so it is incomplete or not an exported ` +
        "Dossier folder.",
    );
  if (entry.bytes > manifest_bytes_max) throw badPart(name, "is too large");
  const pieces: Buffer[] = [];
  for await (const piece of readBytes(path, entry)) pieces.push(piece);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch {
    throw badPart(name, "is not JSON");
  }
  if (manifest?.format !== layout.format)
    throw badPart(name, `is not the manifest of a folder: its format is not ${layout.format}`);
  if (Number(manifest.format_version) > layout.format_version)
    throw new BadArchive(
      `The archive was created by Dossier ${quotedText(String(manifest.dossier?.version))}, in ` +
        `a newer format than this version (${version}) can read.`,
    );
  checkShape(name, manifest_shape, manifest);
  return manifest;
}

/** The parts listed in the manifest, without those that no record refers to. @throws BadArchive */
function checkParts(
  { parts: named }: Manifest,
  entries: ReadonlyMap<string, ZipEntry>,
  { bytes_max }: CheckInput,
): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const names = new Set<string>();
  let bytes = 0;
  for (const part of named) {
    const { name } = part;
    const entry = entries.get(name);
    if (names.has(name)) throw badPart(layout.manifest_part, `lists ${quotedText(name)} twice`);
    if (!entry || name === layout.manifest_part)
      throw badPart(layout.manifest_part, `lists ${quotedText(name)}, which is not in the archive`);
    if (entry.bytes !== part.bytes)
      throw badPart(
        name,
        `has ${entry.bytes} bytes instead of the ${part.bytes} given in the manifest`,
      );
    names.add(name);
    if (part.left_out) continue;
    parts.set(name, part);
    bytes += part.bytes;
  }
  if (bytes > bytes_max)
    throw new BadArchive(
      `The archive is refused: unpacked it has ${bytes} bytes, and this server accepts at ` +
        `most ${bytes_max} (folder_archives.bytes_max).`,
      true,
    );
  for (const name of entries.keys())
    if (name !== layout.manifest_part && !names.has(name))
      throw badPart(name, "is not listed in the manifest");
  for (const name of [layout.folders_part, layout.prompts_part])
    if (!parts.has(name)) throw badPart(layout.manifest_part, `does not list ${name}`);
  return parts;
}

/** The bytes of a part. @throws BadArchive at the end, if the hash differs. */
async function* hashedBytes(
  path: string,
  entry: ZipEntry,
  { name, sha256 }: Part,
): AsyncGenerator<Buffer, void> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of readBytes(path, entry)) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest("hex") !== sha256)
    throw badPart(name, "does not match its SHA-256 in the manifest");
}

/** Reads every part of a kind completely; returns their number. */
async function hashAll(reader: PartReader, kind: layout.PartKind): Promise<number> {
  const names = namesOf(reader.parts, kind);
  for (const name of names) for await (const _piece of reader.bytes(name));
  for (const name of names)
    if (kind === "original" && !name.endsWith(reader.parts.get(name)!.sha256))
      throw badPart(name, "does not match the SHA-256 in its name");
  return names.length;
}
