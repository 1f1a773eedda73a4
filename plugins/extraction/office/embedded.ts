/** Runs in the child: documents embedded in a document by another program. */
import { paragraph, type Block } from "../child/blocks";
import { ExtractionFailure, type Warning } from "../contract";
import { declaredCharset } from "../html/charset";
import { readPage } from "../html/page";
import { compound_signature, openCompoundFile } from "../legacy/compound-file";
import { readCompoundFile } from "../legacy/reader";
import { readRtfDocument } from "../rtf/document";
import { openEmbeddedArchive, type Archive } from "./archive";
import { findDocument } from "./formats";
import { OfficePackage } from "./package";

/** The nesting limit of embedded documents. */
const depth_max = 3;
/** Inflated size of all embedded documents together. */
const bytes_max = 64 * 1024 * 1024;
const entries_max = 2_000;
const unread_named_max = 5;

/** Objects without text, such as formulas, drawings and sounds, which need no warning. */
const without_text = /\.(?:vsdx?|emf|wmf|png|jpe?g|gif)$/i;
/** Most of these have no text either, except those of Word, PowerPoint or Excel. */
const ole_object = /\.bin$/i;

/** Reads embedded documents, with limits for all of them together. */
export class EmbeddedDocuments {
  private depth = 0;
  private bytes_left = bytes_max;
  private readonly unread: string[] = [];
  /** A hostile file may refer to one part many times. */
  private readonly read_already = new WeakMap<Archive, Set<string>>();

  /** The longest text of each of them, in UTF-16 units. */
  constructor(private readonly characters_max: number) {}

  /**
   * A part that is a document by its bytes: an Office file, new or old, RTF, a web page, or plain
   * text. Nothing if it can't be read, or was read before.
   */
  read(archive: Archive, part: string): readonly Block[] {
    if (without_text.test(part) || this.isRepeated(archive, part)) return [];
    if (this.depth === depth_max || this.bytes_left <= 0) return this.addUnread(part);
    this.depth++;
    try {
      const bytes = archive.read(part);
      if (bytes === null) return this.addUnread(part);
      this.bytes_left -= bytes.length;
      return this.readBytes(bytes);
    } catch (error) {
      if (!(error instanceof ExtractionFailure)) throw error;
      // A part that inflates to this size is not tried again under another name.
      if (error.code === "too_large") this.bytes_left = 0;
      return this.addUnread(part);
    } finally {
      this.depth--;
    }
  }

  /** One warning about all embedded files that could not be read. */
  warnings(): Warning[] {
    const { length } = this.unread;
    if (length === 0) return [];
    const names = this.unread
      .slice(0, unread_named_max)
      .map((part) => part.slice(part.lastIndexOf("/") + 1))
      .join(", ");
    const files = length === 1 ? "A file" : `${length} files`;
    return [
      {
        code: "embedded_unreadable",
        message: `${files} inside this file (${names}) could not be read.`,
        page: null,
      },
    ];
  }

  private isRepeated(archive: Archive, part: string): boolean {
    const parts = this.read_already.get(archive) ?? new Set();
    this.read_already.set(archive, parts);
    if (parts.has(part)) return true;
    parts.add(part);
    return false;
  }
  private addUnread(part: string): readonly Block[] {
    if (!ole_object.test(part)) this.unread.push(part);
    return [];
  }

  private readBytes(bytes: Uint8Array): readonly Block[] {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.length)).toString(
      "latin1",
    );
    if (head.startsWith("PK")) return this.readArchive(bytes);
    if (head.startsWith(compound_signature)) return this.readCompound(bytes);
    if (/^(?:\xef\xbb\xbf)?\s*\{\\rtf/.test(head))
      return readRtfDocument(bytes, this.characters_max).flatMap(({ blocks }) => blocks);
    const is_utf16 = /^(?:\xff\xfe|\xfe\xff)/.test(head);
    if (/^mime-version:/im.test(head) || (head.includes("\0") && !is_utf16))
      throw new ExtractionFailure(
        "unsupported_type",
        "This kind of file is not read inside another file.",
      );
    return readText(bytes, is_utf16);
  }

  private readArchive(bytes: Uint8Array): readonly Block[] {
    const archive = openEmbeddedArchive(bytes, {
      entries_max,
      entry_bytes_max: this.bytes_left,
      total_bytes_max: this.bytes_left,
    });
    const pkg = new OfficePackage(archive, this.characters_max, (part) => this.read(archive, part));
    return findDocument(pkg)
      .read(() => {})
      .flatMap(({ blocks }) => blocks);
  }

  /** An old Office file, or a new one wrapped in an OLE object. */
  private readCompound(bytes: Uint8Array): readonly Block[] {
    const file = openCompoundFile(bytes);
    const packaged = file.has("Package") ? file.stream("Package") : null;
    return packaged === null
      ? readCompoundFile(file, this.characters_max).pages.flatMap(({ blocks }) => blocks)
      : this.readArchive(packaged);
  }
}

/** A web page, or paragraphs of plain text. */
function readText(bytes: Uint8Array, is_utf16: boolean): readonly Block[] {
  const text = is_utf16
    ? new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes)
    : decode(bytes);
  return /<(?:html|body|p|div|h[1-6]|table|ul|!doctype)\b/i.test(text.slice(0, 4096))
    ? readPage(text)
    : text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .map((line) => paragraph(line));
}

/** In the declared encoding, or otherwise as UTF-8 if it is valid. */
function decode(bytes: Uint8Array): string {
  const declared = declaredCharset(bytes.subarray(0, 4096));
  try {
    return new TextDecoder((declared ?? "utf-8") as Bun.Encoding, {
      fatal: declared === null || declared === "utf-8",
    }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
