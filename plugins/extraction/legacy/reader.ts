/**
 * The child's part of reading old Office files and RTF: what a compound file is, by the streams in
 * it, and its text.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { ExtractionFailure, type HeadingSpan, type PageSpan, type Warning } from "../contract";
import { damaged, withCompound, type CompoundFile } from "./compound-file";
import { readDoc } from "./doc";
import { readPpt } from "./ppt";
import { readXls } from "./xls";
import { assemble, type Page } from "../child/block-builder";
import { readRtf } from "../rtf/document";

export interface LegacyInput {
  readonly path: string;
  /** Where the text goes, as UTF-8: a file that does not exist yet. */
  readonly output: string;
  /** UTF-16 units. */
  readonly characters_max: number;
}
export interface LegacyOutput {
  readonly media_type: string;
  readonly pages: readonly PageSpan[];
  readonly page_count: number | null;
  readonly headings: readonly HeadingSpan[];
  readonly warnings: readonly Warning[];
}

interface Kind {
  readonly stream: string;
  readonly media_type: string;
  readonly read: (compound: CompoundFile, characters_max: number) => readonly Page[];
}
const kinds: readonly Kind[] = [
  { stream: "WordDocument", media_type: "application/msword", read: readDoc },
  { stream: "PowerPoint Document", media_type: "application/vnd.ms-powerpoint", read: readPpt },
  { stream: "Workbook", media_type: "application/vnd.ms-excel", read: readXls },
  { stream: "Book", media_type: "application/vnd.ms-excel", read: readXls },
];

/** The longest RTF file that is read: it is held in memory as a whole. */
const rtf_bytes_max = 256 * 1024 * 1024;

/** @throws ExtractionFailure */
export async function readRtfFile({
  path,
  output,
  characters_max,
}: LegacyInput): Promise<LegacyOutput> {
  if (statSync(path).size > rtf_bytes_max)
    throw new ExtractionFailure(
      "too_large",
      "This RTF file is larger than 256 MiB, and that is more than can be read.",
    );
  return {
    media_type: "application/rtf",
    ...put(readRtf(readFileSync(path), characters_max), output, characters_max),
  };
}

/** A compound file. @throws ExtractionFailure */
export async function readLegacy({
  path,
  output,
  characters_max,
}: LegacyInput): Promise<LegacyOutput> {
  return withCompound(path, (compound) => {
    const { media_type, pages } = readCompound(compound, characters_max);
    return { media_type, ...put(pages, output, characters_max) };
  });
}
/** @throws ExtractionFailure */
export function readCompound(
  compound: CompoundFile,
  characters_max: number,
): { readonly media_type: string; readonly pages: readonly Page[] } {
  const kind = kinds.find(({ stream }) => compound.has(stream));
  if (kind === undefined) throw unreadable(compound);
  return { media_type: kind.media_type, pages: kind.read(compound, characters_max) };
}

function put(
  pages: readonly Page[],
  output: string,
  characters_max: number,
): Omit<LegacyOutput, "media_type"> {
  const { text, ...spans } = assemble(pages, characters_max);
  writeFileSync(output, text, { flag: "wx", mode: 0o600 });
  return {
    ...spans,
    page_count: pages.every(({ page }) => page === null) ? null : pages.length,
    warnings: [],
  };
}

const others: readonly { readonly stream: string; readonly what: string }[] = [
  { stream: "__properties_version1.0", what: "an Outlook message (.msg)" },
  { stream: "Quill", what: "a Publisher document" },
  { stream: "VisioDocument", what: "a Visio drawing" },
  { stream: "PP40", what: "a PowerPoint 4 presentation" },
  { stream: "PP95", what: "a PowerPoint 95 presentation" },
  { stream: "MatOST", what: "a Works document" },
  { stream: "Props12", what: "a Project plan" },
  { stream: "SwDocContentMgr", what: "a SolidWorks file" },
];
function unreadable(compound: CompoundFile): ExtractionFailure {
  if (compound.has("EncryptedPackage"))
    return new ExtractionFailure("encrypted", "This file is protected by a password.");
  if (compound.names().length === 0) return damaged();
  const what =
    others.find(({ stream }) => compound.has(stream))?.what ?? "a file of an older program";
  return new ExtractionFailure(
    "unsupported_type",
    `This is ${what}, which can't be read. Of this kind, Word, Excel and PowerPoint files can be read.`,
  );
}
