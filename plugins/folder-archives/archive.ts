/**
 * Reads a folder archive from an untrusted source: it may be truncated, damaged, malicious, or no
 * archive at all.
 */
import { closeSync, openSync } from "node:fs";
import { nextTurn } from "../../core/lib/chunked-work";
import {
  entryPieces,
  fileSource,
  findDirectory,
  readDirectory,
  ZipError,
  type ZipEntry,
} from "../../core/lib/zip";
import { kindOfPart, line_length_max } from "./layout";

/** The reason an archive is refused: a sentence that names the part. */
export class BadArchive extends Error {
  override readonly name = "BadArchive";
  readonly code: "bad_archive" | "archive_too_large";
  constructor(message: string, is_too_large = false) {
    super(message);
    this.code = is_too_large ? "archive_too_large" : "bad_archive";
  }
}
/** The refusal of an archive because of one of its parts; `why` completes the sentence. */
export const badPart = (name: string, problem: string): BadArchive =>
  new BadArchive(`The archive is refused: its part ${quotedText(name)} ${problem}.`);

/** Quotes an untrusted name in a sentence. */
export const quotedText = (name: string): string =>
  /^[\w./-]{1,100}$/.test(name) ? name : JSON.stringify(name.slice(0, 100));

/** A document has up to three entries. */
const entries_max = 400_000;
const directory_bytes_max = 64 * 2 ** 20;
/** Entries read before yielding to other work. */
const entries_in_turn = 1_000;

/** The entries by name; every name must be known to the layout. @throws BadArchive */
export async function readEntries(path: string): Promise<ReadonlyMap<string, ZipEntry>> {
  const entries = new Map<string, ZipEntry>();
  const file = openSync(path, "r");
  try {
    const source = fileSource(file);
    const directory = findDirectory(source);
    if (!directory)
      throw new BadArchive(
        "The archive is refused: it is cut off, or not a ZIP file (its directory is missing).",
      );
    let packed_bytes = 0;
    for (const entry of readDirectory(source, directory, directory_bytes_max)) {
      checkEntry(entry, entries);
      packed_bytes += entry.packed_bytes;
      if (packed_bytes > source.size)
        throw badPart(entry.name, "overlaps another part, or is beyond the end of the file");
      entries.set(entry.name, entry);
      if (entries.size > entries_max)
        throw new BadArchive(
          `The archive is refused: it has more than ${entries_max} parts.`,
          true,
        );
      if (entries.size % entries_in_turn === 0) await nextTurn();
    }
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw new BadArchive(`The archive is refused: its directory can't be read (${error.problem}).`);
  } finally {
    closeSync(file);
  }
  return entries;
}

function checkEntry(
  { name, is_link, encrypted, method }: ZipEntry,
  entries: ReadonlyMap<string, ZipEntry>,
): void {
  if (is_link) throw badPart(name, "is a symbolic link");
  if (kindOfPart(name) === undefined) throw badPart(name, "does not belong in a folder archive");
  if (entries.has(name)) throw badPart(name, "is there twice");
  if (encrypted) throw badPart(name, "is encrypted");
  if (method !== 0 && method !== 8) throw badPart(name, "is compressed with an unknown method");
}

/** The bytes of a part, in chunks. @throws BadArchive */
export async function* readBytes(path: string, entry: ZipEntry): AsyncGenerator<Buffer, void> {
  try {
    yield* entryPieces(path, entry, entry.bytes);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw badPart(entry.name, "is damaged: its checksum does not match");
  }
}

/**
 * The text of a part, in chunks that split no surrogate pair. @throws BadArchive when it is not
 * UTF-8.
 */
export async function* readText(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void> {
  // A byte order mark is part of the text.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
    } catch {
      throw badPart(name, "is not UTF-8");
    }
  };
  for await (const piece of pieces) {
    const text = decode(piece);
    if (text !== "") yield text;
  }
  const tail = decode();
  if (tail !== "") yield tail;
}

/** A line of a part, parsed. */
export interface Line {
  /** Starts at 1. */
  readonly number: number;
  readonly value: object;
}
/** The objects of a JSON Lines part. @throws BadArchive */
export async function* readLines(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Line, void> {
  let partial_line = "";
  let number = 0;
  for await (const text of readText(name, pieces)) {
    const lines = (partial_line + text).split("\n");
    partial_line = lines.pop()!;
    for (const line of lines) yield parsedLine(name, ++number, line);
    if (partial_line.length > line_length_max)
      throw badPart(name, `has a line of more than ${line_length_max} characters`);
  }
  if (partial_line !== "") throw badPart(name, `ends in the middle of line ${number + 1}`);
}

function parsedLine(name: string, number: number, line: string): Line {
  let value: object;
  try {
    value = JSON.parse(line);
  } catch {
    throw badPart(name, `has a line ${number} that is not JSON`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw badPart(name, `has a line ${number} that is not a JSON object`);
  return { number, value };
}
