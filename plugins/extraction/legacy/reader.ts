/**
 * Runs in the child: reads the text of Office files from before 2007, which are told apart by their
 * streams.
 */
import { writeDocument, type DocumentOutput } from "../child/text-assembly";
import { type Page } from "../child/blocks";
import type { ReaderInput } from "../child/output";
import { ExtractionFailure } from "../contract";
import { damagedFile, withCompoundFile, type CompoundFile } from "./compound-file";
import { readDoc } from "./doc";
import { readPpt } from "./ppt";
import { readXls } from "./xls";

interface LegacyFormat {
  /** The stream that identifies a compound file of this format. */
  readonly stream: string;
  readonly media_type: string;
  /** @throws ExtractionFailure */
  readonly read: (file: CompoundFile, characters_max: number) => readonly Page[];
}
const formats: readonly LegacyFormat[] = [
  { stream: "WordDocument", media_type: "application/msword", read: readDoc },
  { stream: "PowerPoint Document", media_type: "application/vnd.ms-powerpoint", read: readPpt },
  { stream: "Workbook", media_type: "application/vnd.ms-excel", read: readXls },
  { stream: "Book", media_type: "application/vnd.ms-excel", read: readXls },
];

/** @throws ExtractionFailure */
export async function readLegacy(input: ReaderInput): Promise<DocumentOutput> {
  return withCompoundFile(input.path, (file) => {
    const { media_type, pages } = readCompoundFile(file, input.characters_max);
    return { media_type, ...writeDocument(pages, input) };
  });
}

/** @throws ExtractionFailure */
export function readCompoundFile(
  file: CompoundFile,
  characters_max: number,
): { readonly media_type: string; readonly pages: readonly Page[] } {
  const format = formats.find(({ stream }) => file.has(stream));
  if (format === undefined) throw unsupported(file);
  return { media_type: format.media_type, pages: format.read(file, characters_max) };
}

/** Compound files that can't be read, by a stream in them. */
const other_formats: readonly { readonly stream: string; readonly description: string }[] = [
  { stream: "__properties_version1.0", description: "an Outlook message (.msg)" },
  { stream: "Quill", description: "a Publisher document" },
  { stream: "VisioDocument", description: "a Visio drawing" },
  { stream: "PP40", description: "a PowerPoint 4 presentation" },
  { stream: "PP95", description: "a PowerPoint 95 presentation" },
  { stream: "MatOST", description: "a Works document" },
  { stream: "Props12", description: "a Project plan" },
  { stream: "SwDocContentMgr", description: "a SolidWorks file" },
];
function unsupported(file: CompoundFile): ExtractionFailure {
  if (file.has("EncryptedPackage"))
    return new ExtractionFailure("encrypted", "This file is protected by a password.");
  if (file.names().length === 0) return damagedFile();
  const description =
    other_formats.find(({ stream }) => file.has(stream))?.description ??
    "a file of an older program";
  return new ExtractionFailure(
    "unsupported_type",
    `This is ${description}, which can't be read. Of the older formats, Word, Excel and ` +
      "PowerPoint files can be read.",
  );
}
