/** Runs in the child: what a PDF calls its pages: `iv`, `A-3`. */
import type { PdfiumAccess } from "./pdfium";

/** A longer label is none, bytes of UTF-16. */
const label_bytes_max = 256;

/** Empty when the document has no labels. */
export function readPageLabel(
  { engine, memory }: PdfiumAccess,
  document: number,
  index: number,
): string {
  const bytes = engine.FPDF_GetPageLabel(document, index, 0, 0);
  // The zero at the end counts.
  if (bytes <= 2 || bytes > label_bytes_max) return "";
  const buffer = engine.malloc(bytes);
  try {
    engine.FPDF_GetPageLabel(document, index, buffer, bytes);
    return new TextDecoder("utf-16le")
      .decode(new Uint8Array(memory(), buffer, bytes - 2))
      .replaceAll("\0", "")
      .trim();
  } finally {
    engine.free(buffer);
  }
}
