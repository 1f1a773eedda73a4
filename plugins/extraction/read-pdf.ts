/** The child's part of reading a PDF: page after page, the text goes into a file and word of it to the parent, so that a kill keeps what is done. */
import { closeSync, openSync, writeSync } from "node:fs";
import { ExtractionFailure } from "./contract";
import { joinLines } from "./paragraphs";
import { EngineFailure, openPdf, type PdfDocument } from "./pdfium";

export interface PdfInput {
  readonly path: string;
  /** Where the text goes: a file that does not exist yet. */
  readonly output: string;
  readonly pages_max: number;
  /** UTF-16 units. */
  readonly characters_max: number;
}
export type PdfMessage =
  | { readonly step: "started" }
  | { readonly step: "opened"; readonly page_count: number }
  /** The page is in the output, up to its byte `bytes`; `start` and `end` are UTF-16 indices. */
  | { readonly step: "page"; readonly page: number; readonly kind: "text"; readonly start: number; readonly end: number; readonly bytes: number }
  | { readonly step: "page"; readonly page: number; readonly kind: PageWithoutText };
/** Nothing on it; a picture of text, it seems; letters without a meaning; broken. */
export type PageWithoutText = "blank" | "scanned" | "garbled" | "damaged";

/** What stands between the texts of two pages. */
const between_pages = "\n\n";
/** An engine that failed with this much memory, bytes, failed for want of more. */
const engine_bytes_max = 512 * 1024 * 1024;

/** @throws ExtractionFailure */
export async function readPdf(input: PdfInput, send: (message: PdfMessage) => void): Promise<null> {
  send({ step: "started" });
  let page = 0;
  try {
    const document = await openPdf(input.path);
    if (document === "encrypted") throw new ExtractionFailure("encrypted", "This PDF is protected by a password.");
    if (document === "corrupt") throw new ExtractionFailure("corrupt", "This PDF is damaged and can't be opened.");
    try {
      checkPageCount(document, input.pages_max);
      send({ step: "opened", page_count: document.page_count });
      readPages(document, input, (message) => { page = message.page; send(message); });
    } finally {
      document.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const where = page === 0 ? "" : ` after page ${page}`;
    throw error.engine_bytes > engine_bytes_max
      ? new ExtractionFailure("out_of_memory", `Reading this PDF needed too much memory${where}.`)
      : new ExtractionFailure("corrupt", `This PDF is damaged: it could not be read on${where}.`);
  }
}

function checkPageCount({ page_count }: PdfDocument, pages_max: number): void {
  if (page_count < 1) throw new ExtractionFailure("corrupt", "This PDF has no pages.");
  if (page_count > pages_max) throw new ExtractionFailure("too_large", `This PDF has ${page_count} pages; at most ${pages_max} are read.`);
}

function readPages(document: PdfDocument, { output, characters_max }: PdfInput, send: (message: PdfMessage & { readonly step: "page" }) => void): void {
  const file = openSync(output, "wx", 0o600);
  try {
    let characters = 0;
    let bytes = 0;
    for (let page = 1; page <= document.page_count; page++) {
      const read = textOf(document, page);
      if (typeof read === "string") {
        send({ step: "page", page, kind: read });
        continue;
      }
      const separator = characters === 0 ? "" : between_pages;
      const start = characters + separator.length;
      characters = start + read.text.length;
      if (characters > characters_max) throw new ExtractionFailure("too_large", `The text of this PDF is longer than ${characters_max} characters.`);
      bytes += write(file, separator + read.text);
      send({ step: "page", page, kind: "text", start, end: characters, bytes });
    }
  } finally {
    closeSync(file);
  }
}

function textOf(document: PdfDocument, page: number): { readonly text: string } | PageWithoutText {
  const read = document.page(page - 1);
  if (read === null) return "damaged";
  if (read.garbled) return "garbled";
  if (read.lines.length === 0) return read.has_content ? "scanned" : "blank";
  return { text: joinLines(read.lines) };
}

function write(file: number, text: string): number {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  return bytes.length;
}
