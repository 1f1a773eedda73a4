/**
 * The child's part of reading Office documents and e-books: what kind of document a ZIP archive is,
 * by its content, and its text.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { ExtractionFailure, type HeadingSpan, type PageSpan, type Warning } from "../contract";
import { readDocx } from "./docx";
import { readEpub } from "./epub";
import { readEmbedded, type Embedding } from "./embedded";
import { assemble, type Block, type Page } from "../child/block-builder";
import { readOdf, type OdfKind } from "./odf";
import { openParts, type Parts } from "./package";
import { readPptx } from "./pptx";
import { readXlsx } from "./xlsx";
import { openArchive, openEmbeddedArchive, type Archive } from "./archive";
import { scanOfficeXml } from "./xml";

export interface OfficeInput {
  readonly path: string;
  /** Where the text goes, as UTF-8: a file that does not exist yet. */
  readonly output: string;
  /** UTF-16 units. */
  readonly characters_max: number;
}
/** How much is done, 0 to 1. */
export interface OfficeMessage {
  readonly progress: number;
}
export interface OfficeOutput {
  readonly media_type: string;
  readonly pages: readonly PageSpan[];
  readonly page_count: number | null;
  readonly headings: readonly HeadingSpan[];
  readonly warnings: readonly Warning[];
}

type Progress = (share: number) => void;
interface Kind {
  readonly media_type: string;
  /** The part without which there is no document. */
  readonly main: string;
  readonly read: (progress: Progress) => readonly Page[];
}

/** @throws ExtractionFailure */
export async function readOffice(
  { path, output, characters_max }: OfficeInput,
  send: (message: OfficeMessage) => void,
): Promise<OfficeOutput> {
  const archive = openArchive(path);
  try {
    const embedding: Embedding = {
      depth: embedded_depth_max,
      bytes_left: embedded_bytes_max,
      unread: [],
      characters_max,
      readArchive,
    };
    const parts = openParts(archive, characters_max, (part) =>
      readEmbedded(archive, part, embedding),
    );
    const kind = kindOf(parts);
    if (kind === null) throw unsupported();
    const pages = kind.read((progress) => send({ progress }));
    if (archive.damaged.has(kind.main) || !archive.has(kind.main))
      throw new ExtractionFailure("corrupt", "This file is damaged: its text can't be read.");
    const { text, ...spans } = assemble(pages, characters_max);
    write(output, text);
    return {
      ...spans,
      media_type: kind.media_type,
      page_count: pages.every(({ page }) => page === null) ? null : pages.length,
      warnings: [...warningsOf(archive), ...unreadIn(embedding)],
    };
  } finally {
    archive.close();
  }
}

/** How deep documents in documents are read, and how much of them in all, inflated. */
const embedded_depth_max = 3;
const embedded_bytes_max = 64 * 1024 * 1024;

/** A document that is an archive inside another. */
function readArchive(bytes: Uint8Array, embedding: Embedding): readonly Block[] {
  const limits = {
    entries_max: 2_000,
    entry_bytes_max: embedding.bytes_left,
    total_bytes_max: embedding.bytes_left,
  };
  const archive = openEmbeddedArchive(bytes, limits);
  const parts = openParts(archive, embedding.characters_max, (part) =>
    readEmbedded(archive, part, embedding),
  );
  const kind = kindOf(parts);
  if (kind === null) throw unsupported();
  return kind.read(() => {}).flatMap(({ blocks }) => blocks);
}
function unreadIn({ unread }: Embedding): Warning[] {
  const names = unread
    .slice(0, 5)
    .map((part) => part.slice(part.lastIndexOf("/") + 1))
    .join(", ");
  return unread.length === 0
    ? []
    : [
        {
          code: "embedded_unreadable",
          message: `${unread.length === 1 ? "A file" : `${unread.length} files`} inside this file (${names}) could not be read.`,
          page: null,
        },
      ];
}

const unsupported = (
  what = "This is a ZIP archive, but no document that can be read",
): ExtractionFailure =>
  new ExtractionFailure(
    "unsupported_type",
    `${what}. Of this kind, Word, Excel and PowerPoint files since 2007, OpenDocument files and e-books (EPUB) can be read.`,
  );

function kindOf(parts: Parts): Kind | null {
  return openDocumentKind(parts) ?? epubKind(parts) ?? officeKind(parts);
}

const opendocument = "application/vnd.oasis.opendocument.";
const kinds_of_opendocument: Readonly<Record<string, OdfKind>> = {
  text: "text",
  presentation: "pages",
  graphics: "pages",
  spreadsheet: "sheets",
};
function openDocumentKind(parts: Parts): Kind | null {
  const media_type = openDocumentType(parts);
  if (media_type === null) return null;
  const [, word] =
    /^(?:application\/vnd\.oasis\.opendocument\.|application\/vnd\.sun\.xml\.)([a-z]+)/.exec(
      media_type,
    ) ?? [];
  const kind =
    word === undefined
      ? undefined
      : kinds_of_opendocument[
          { writer: "text", impress: "presentation", draw: "graphics", calc: "spreadsheet" }[
            word
          ] ?? word
        ];
  if (kind === undefined)
    throw unsupported("This is an OpenDocument file of a kind that can't be read");
  return {
    media_type,
    main: "content.xml",
    read: (progress) => readOdf(parts, kind, parts.xml("content.xml") ?? "", progress),
  };
}
/** As the file says first of all, else as its list of parts says; null when it is none. */
function openDocumentType({ archive, xml }: Parts): string | null {
  if (!archive.has("content.xml")) return null;
  const first = textOf(archive, "mimetype");
  if (first.startsWith(opendocument) || first.startsWith("application/vnd.sun.xml.")) return first;
  let type: string | null = null;
  scanOfficeXml(xml("META-INF/manifest.xml") ?? "", {
    open: (tag) => {
      if (tag.name === "manifest:file-entry" && tag.get("full-path") === "/")
        type = tag.get("media-type") ?? null;
    },
    close: () => {},
    text: () => {},
  });
  return type ?? typeOfBody(xml("content.xml") ?? "");
}
function typeOfBody(content: string): string | null {
  const body =
    /<office:body\b[^>]{0,200}>\s{0,200}<office:(text|presentation|drawing|spreadsheet)\b/.exec(
      content,
    )?.[1];
  return body === undefined ? null : `${opendocument}${body === "drawing" ? "graphics" : body}`;
}
const textOf = (archive: Archive, name: string): string =>
  archive.has(name)
    ? Buffer.from(archive.read(name)?.subarray(0, 200) ?? [])
        .toString("latin1")
        .trim()
    : "";

const epub = "application/epub+zip";
function epubKind(parts: Parts): Kind | null {
  const container = "META-INF/container.xml";
  if (
    textOf(parts.archive, "mimetype") !== epub &&
    !parts.archive.names.some((name) => name.toLowerCase().endsWith(".opf"))
  )
    return null;
  return {
    media_type: epub,
    main: parts.archive.has(container)
      ? container
      : (parts.archive.names.find((name) => name.toLowerCase().endsWith(".opf")) ?? container),
    read: (progress) => readEpub(parts, progress),
  };
}

interface OfficeKind {
  readonly type: RegExp;
  readonly usual: string;
  readonly media_type: string;
  readonly read: (parts: Parts, main: string, progress: Progress) => readonly Page[];
}
const openxml = "application/vnd.openxmlformats-officedocument";
const kinds_of_office: readonly OfficeKind[] = [
  {
    type: /wordprocessingml|ms-word/i,
    usual: "word/document.xml",
    media_type: `${openxml}.wordprocessingml.document`,
    read: readDocx,
  },
  {
    type: /presentationml|ms-powerpoint/i,
    usual: "ppt/presentation.xml",
    media_type: `${openxml}.presentationml.presentation`,
    read: readPptx,
  },
  {
    type: /spreadsheetml|ms-excel/i,
    usual: "xl/workbook.xml",
    media_type: `${openxml}.spreadsheetml.sheet`,
    read: readXlsx,
  },
];
function officeKind(parts: Parts): Kind | null {
  const [named] = parts.related("", "officeDocument");
  const type = named === undefined ? undefined : parts.typeOf(named);
  if (type !== undefined && /sheet\.binary/i.test(type))
    throw unsupported("This is a binary Excel workbook (.xlsb), which can't be read");
  const kind =
    kinds_of_office.find((one) => type !== undefined && one.type.test(type)) ??
    kinds_of_office.find(({ usual }) => parts.archive.has(usual));
  if (kind === undefined) return null;
  const main = named !== undefined && parts.archive.has(named) ? named : kind.usual;
  return {
    media_type: mediaType(type) ?? kind.media_type,
    main,
    read: (progress) => kind.read(parts, main, progress),
  };
}
/** The type of a file by that of its main part; those with macros have a number behind. */
function mediaType(type: string | undefined): string | null {
  const bare = /^(application\/[\w.-]+?)\.main\+xml$/.exec(type?.trim() ?? "")?.[1];
  return bare === undefined ? null : bare.endsWith("macroEnabled") ? `${bare}.12` : bare;
}

function warningsOf({ damaged, salvaged }: Archive): Warning[] {
  const warnings: Warning[] = [];
  if (salvaged)
    warnings.push({
      code: "damaged_file",
      message: "The file is damaged at its end. What could be found was read; some may be missing.",
      page: null,
    });
  if (damaged.size > 0)
    warnings.push({
      code: "part_damaged",
      message: `${damaged.size === 1 ? "A part" : `${damaged.size} parts`} of the file (${[...damaged].slice(0, 5).join(", ")}) could not be read or may be wrong.`,
      page: null,
    });
  return warnings;
}

function write(output: string, text: string): void {
  const file = openSync(output, "wx", 0o600);
  try {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  } finally {
    closeSync(file);
  }
}
