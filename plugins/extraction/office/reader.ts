/** Runs in the child: reads a document in a ZIP archive. formats.ts lists the formats. */
import type { Page } from "../child/blocks";
import { writeDocument, type DocumentOutput } from "../child/text-assembly";
import type { ReaderInput } from "../child/output";
import { ExtractionFailure, type Warning } from "../contract";
import { openArchive, type Archive } from "./archive";
import { EmbeddedDocuments } from "./embedded";
import { findDocument } from "./formats";
import { OfficePackage } from "./package";

/** What the reader reports while it works. */
export interface OfficeMessage {
  /** Progress from 0 to 1. */
  readonly progress: number;
}

/** @throws ExtractionFailure */
export async function readOffice(
  input: ReaderInput,
  send: (message: OfficeMessage) => void,
): Promise<DocumentOutput> {
  const archive = openArchive(input.path);
  try {
    const embedded = new EmbeddedDocuments(input.characters_max);
    const pkg = new OfficePackage(archive, input.characters_max, (part) =>
      embedded.read(archive, part),
    );
    const { media_type, main_part, read } = findDocument(pkg);
    const pages = read((progress) => send({ progress }));
    const is_damaged = archive.salvaged || archive.damaged.size > 0;
    if (archive.damaged.has(main_part) || !archive.has(main_part) || (is_damaged && isBlank(pages)))
      throw new ExtractionFailure("corrupt", "This file is damaged: its text can't be read.");
    const written = writeDocument(pages, input);
    return {
      media_type,
      ...written,
      warnings: [...damageWarnings(archive), ...embedded.warnings(), ...written.warnings],
    };
  } finally {
    archive.close();
  }
}

const isBlank = (pages: readonly Page[]): boolean =>
  pages.every(({ blocks }) => blocks.length === 0);

const parts_named_max = 5;

function damageWarnings({ damaged, salvaged }: Archive): Warning[] {
  const warnings: Warning[] = [];
  if (salvaged)
    warnings.push({
      code: "damaged_file",
      message: "The end of the file is damaged. Some of its content may be missing.",
      page: null,
    });
  if (damaged.size > 0) {
    const parts = damaged.size === 1 ? "A part" : `${damaged.size} parts`;
    const names = [...damaged].slice(0, parts_named_max).join(", ");
    warnings.push({
      code: "part_damaged",
      message: `${parts} of the file (${names}) could not be read or may be wrong.`,
      page: null,
    });
  }
  return warnings;
}
