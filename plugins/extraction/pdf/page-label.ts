/** Runs in the child: page labels of a PDF, such as `iv` or `A-3`. */
import type { PdfiumAccess } from "./pdfium";

/** A longer label is ignored; bytes of UTF-16. */
const label_bytes_max = 256;

/** Empty if the document has no labels. */
export function readPageLabel(
  { engine, memory }: PdfiumAccess,
  document: number,
  index: number,
): string {
  const bytes = engine.FPDF_GetPageLabel(document, index, 0, 0);
  // The terminating zero counts.
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
