/** Documents inside a document: what another program put in as a whole. */
import { ExtractionFailure } from "../contract";
import { namedCharset } from "../html/charset";
import { readPage } from "../html/page";
import { compound_mark, compoundIn } from "../legacy/compound-file";
import { readCompound } from "../legacy/reader";
import { readRtf } from "../rtf/document";
import { paragraph, type Block } from "../child/block-builder";
import type { Archive } from "./archive";

/** What is left for all that is embedded, and what of it could not be read. */
export interface Embedding {
  depth: number;
  /** Inflated, and counted before it is read. */
  bytes_left: number;
  readonly unread: string[];
  /** Of each of them, UTF-16 units. */
  readonly characters_max: number;
  readonly readArchive: (bytes: Uint8Array, embedding: Embedding) => readonly Block[];
}

/**
 * Objects of programs that are not read here: formulas, drawings, sounds. Nobody misses a warning
 * about them.
 */
const other_objects = /\.(?:vsdx?|emf|wmf|png|jpe?g|gif)$/i;
/** So are these, unless it turns out that Word, PowerPoint or Excel made them. */
const objects = /\.bin$/i;

/**
 * A part that is a document by its bytes: an Office file, new or old, RTF, a web page, or plain
 * text.
 */
export function readEmbedded(
  archive: Archive,
  part: string,
  embedding: Embedding,
): readonly Block[] {
  if (other_objects.test(part)) return [];
  if (embedding.depth === 0 || embedding.bytes_left <= 0) return leaveOut(part, embedding);
  embedding.depth--;
  try {
    const bytes = archive.read(part);
    if (bytes === null) return leaveOut(part, embedding);
    embedding.bytes_left -= bytes.length;
    return blocksOf(bytes, embedding);
  } catch (error) {
    if (!(error instanceof ExtractionFailure)) throw error;
    // Whatever swells like this is not tried again under another name.
    if (error.code === "too_large") embedding.bytes_left = 0;
    return leaveOut(part, embedding);
  } finally {
    embedding.depth++;
  }
}
function leaveOut(part: string, { unread }: Embedding): readonly Block[] {
  if (!objects.test(part)) unread.push(part);
  return [];
}

function blocksOf(bytes: Uint8Array, embedding: Embedding): readonly Block[] {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.length)).toString(
    "latin1",
  );
  if (head.startsWith("PK")) return embedding.readArchive(bytes, embedding);
  if (head.startsWith(compound_mark)) return blocksOfObject(bytes, embedding);
  if (/^(?:\xef\xbb\xbf)?\s*\{\\rtf/.test(head))
    return readRtf(bytes, embedding.characters_max).flatMap(({ blocks }) => blocks);
  const is_wide = /^(?:\xff\xfe|\xfe\xff)/.test(head);
  if (/^mime-version:/im.test(head) || (head.includes("\0") && !is_wide))
    throw new ExtractionFailure(
      "unsupported_type",
      "This kind of file is not read inside another.",
    );
  const text = is_wide
    ? new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes)
    : decoded(bytes);
  return /<(?:html|body|p|div|h[1-6]|table|ul|!doctype)\b/i.test(text.slice(0, 4096))
    ? readPage(text)
    : text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .map((line) => paragraph(line));
}
/** An old Office file, or a new one in the wrapping of objects. */
function blocksOfObject(bytes: Uint8Array, embedding: Embedding): readonly Block[] {
  const object = compoundIn(bytes);
  const wrapped = object.has("Package") ? object.stream("Package") : null;
  return wrapped === null
    ? readCompound(object, embedding.characters_max).pages.flatMap(({ blocks }) => blocks)
    : embedding.readArchive(wrapped, embedding);
}

/** As it says itself; else UTF-8 where it is that. */
function decoded(bytes: Uint8Array): string {
  const named = namedCharset(bytes.subarray(0, 4096));
  try {
    return new TextDecoder((named ?? "utf-8") as Bun.Encoding, {
      fatal: named === null || named === "utf-8",
    }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
