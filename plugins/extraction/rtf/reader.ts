/** Runs in the child: reads an RTF file. */
import { readFileSync, statSync } from "node:fs";
import { writeDocument, type DocumentOutput } from "../child/text-assembly";
import type { ReaderInput } from "../child/output";
import { ExtractionFailure } from "../contract";
import { readRtfDocument } from "./document";

/** The whole file is held in memory. */
const file_bytes_max = 256 * 1024 * 1024;

/** @throws ExtractionFailure */
export async function readRtf(input: ReaderInput): Promise<DocumentOutput> {
  if (statSync(input.path).size > file_bytes_max)
    throw new ExtractionFailure("too_large", "This RTF file is larger than the limit of 256 MiB.");
  const pages = readRtfDocument(readFileSync(input.path), input.characters_max);
  return { media_type: "application/rtf", ...writeDocument(pages, input) };
}
