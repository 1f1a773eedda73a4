/**
 * Runs in the child: the formats of documents in ZIP archives, with their detection and readers. A
 * new format needs a reader beside this file, an entry in one of the tables here, and its name in
 * names.ts; a new family of formats also a function in `families`.
 */
import type { Page } from "../child/blocks";
import { ExtractionFailure } from "../contract";
import { readDocx } from "./docx";
import { readEpub } from "./epub";
import { readOdfPages, readOdfSheets, readOdfText } from "./odf";
import type { OfficePackage, Progress } from "./package";
import { readPptx } from "./pptx";
import { readXlsx } from "./xlsx";
import { scanTags } from "./xml";

/** A document that was detected in a package. */
export interface OfficeDocument {
  readonly media_type: string;
  /** The part without which there is no document. */
  readonly main_part: string;
  /** @throws ExtractionFailure */
  readonly read: (progress: Progress) => readonly Page[];
}

interface OpenXmlFormat {
  /** Matches the content type of the main part, in all its variants. */
  readonly content_type: RegExp;
  /** The usual name of the main part. */
  readonly main_part: string;
  readonly media_type: string;
  readonly read: (pkg: OfficePackage, main_part: string, progress: Progress) => readonly Page[];
}
const openxml = "application/vnd.openxmlformats-officedocument";
const openxml_formats: readonly OpenXmlFormat[] = [
  {
    content_type: /wordprocessingml|ms-word/i,
    main_part: "word/document.xml",
    media_type: `${openxml}.wordprocessingml.document`,
    read: readDocx,
  },
  {
    content_type: /spreadsheetml|ms-excel/i,
    main_part: "xl/workbook.xml",
    media_type: `${openxml}.spreadsheetml.sheet`,
    read: readXlsx,
  },
  {
    content_type: /presentationml|ms-powerpoint/i,
    main_part: "ppt/presentation.xml",
    media_type: `${openxml}.presentationml.presentation`,
    read: readPptx,
  },
];

interface OpenDocumentFormat {
  /** The name in its media type, and in that of OpenOffice before OpenDocument. */
  readonly keyword: string;
  readonly old_keyword: string;
  readonly read: (pkg: OfficePackage, progress: Progress) => readonly Page[];
}
const opendocument_formats: readonly OpenDocumentFormat[] = [
  { keyword: "text", old_keyword: "writer", read: readOdfText },
  { keyword: "presentation", old_keyword: "impress", read: readOdfPages },
  { keyword: "graphics", old_keyword: "draw", read: readOdfPages },
  { keyword: "spreadsheet", old_keyword: "calc", read: readOdfSheets },
];

const families: readonly ((pkg: OfficePackage) => OfficeDocument | null)[] = [
  findOpenDocument,
  findEpub,
  findOpenXml,
];

/** The document in this package. @throws ExtractionFailure `unsupported_type` */
export function findDocument(pkg: OfficePackage): OfficeDocument {
  for (const find of families) {
    const document = find(pkg);
    if (document !== null) return document;
  }
  throw unsupported("This is a ZIP archive, but not a document that can be read");
}

const unsupported = (problem: string): ExtractionFailure =>
  new ExtractionFailure(
    "unsupported_type",
    `${problem}. Similar files that can be read are Word, Excel and PowerPoint files from 2007 ` +
      "or later, OpenDocument files and e-books (EPUB).",
  );

function findOpenXml(pkg: OfficePackage): OfficeDocument | null {
  const [declared_part] = pkg.related("", "officeDocument");
  const content_type = declared_part === undefined ? undefined : pkg.contentType(declared_part);
  if (content_type !== undefined && /sheet\.binary/i.test(content_type))
    throw unsupported("This is a binary Excel workbook (.xlsb), which can't be read");
  const format =
    openxml_formats.find(
      (format) => content_type !== undefined && format.content_type.test(content_type),
    ) ?? openxml_formats.find((format) => pkg.archive.has(format.main_part));
  if (format === undefined) return null;
  const main_part =
    declared_part !== undefined && pkg.archive.has(declared_part)
      ? declared_part
      : format.main_part;
  return {
    media_type: openXmlMediaType(content_type) ?? format.media_type,
    main_part,
    read: (progress) => format.read(pkg, main_part, progress),
  };
}

/** Derived from the content type of the main part. With macros, it ends in a version number. */
function openXmlMediaType(content_type: string | undefined): string | null {
  const base_type = /^(application\/[\w.-]+?)\.main\+xml$/.exec(content_type?.trim() ?? "")?.[1];
  return base_type === undefined
    ? null
    : base_type.endsWith("macroEnabled")
      ? `${base_type}.12`
      : base_type;
}

const opendocument_prefix = "application/vnd.oasis.opendocument.";
const old_opendocument_prefix = "application/vnd.sun.xml.";

function findOpenDocument(pkg: OfficePackage): OfficeDocument | null {
  const media_type = openDocumentType(pkg);
  if (media_type === null) return null;
  const prefix = [opendocument_prefix, old_opendocument_prefix].find((prefix) =>
    media_type.startsWith(prefix),
  );
  const word = /^[a-z]*/.exec(media_type.slice(prefix?.length ?? media_type.length))![0];
  const format = opendocument_formats.find(
    (format) => format.keyword === word || format.old_keyword === word,
  );
  if (format === undefined) throw unsupported("This type of OpenDocument file can't be read");
  return {
    media_type,
    main_part: "content.xml",
    read: (progress) => format.read(pkg, progress),
  };
}

/** By its `mimetype`, its manifest, or its content; null if it is not an OpenDocument file. */
function openDocumentType(pkg: OfficePackage): string | null {
  if (!pkg.archive.has("content.xml")) return null;
  const type = mimetypeOf(pkg);
  if (type.startsWith(opendocument_prefix) || type.startsWith(old_opendocument_prefix)) return type;
  return manifestType(pkg) ?? contentType(pkg.xml("content.xml") ?? "");
}

function manifestType(pkg: OfficePackage): string | null {
  let type: string | null = null;
  scanTags(pkg.xml("META-INF/manifest.xml") ?? "", (tag) => {
    if (tag.name === "manifest:file-entry" && tag.get("full-path") === "/")
      type = tag.get("media-type") ?? null;
  });
  return type;
}

const body_element =
  /<office:body\b[^>]{0,200}>\s{0,200}<office:(text|presentation|drawing|spreadsheet)\b/;
function contentType(content: string): string | null {
  const word = body_element.exec(content)?.[1];
  return word === undefined
    ? null
    : `${opendocument_prefix}${word === "drawing" ? "graphics" : word}`;
}

/** The file `mimetype` of a package, which OpenDocument files and e-books have. */
const mimetypeOf = ({ archive }: OfficePackage): string =>
  archive.has("mimetype")
    ? Buffer.from(archive.read("mimetype")?.subarray(0, 200) ?? [])
        .toString("latin1")
        .trim()
    : "";

const epub = "application/epub+zip";
function findEpub(pkg: OfficePackage): OfficeDocument | null {
  const container = "META-INF/container.xml";
  const opf = pkg.archive.names.find((name) => name.toLowerCase().endsWith(".opf"));
  if (mimetypeOf(pkg) !== epub && opf === undefined) return null;
  return {
    media_type: epub,
    main_part: pkg.archive.has(container) ? container : (opf ?? container),
    read: (progress) => readEpub(pkg, progress),
  };
}
