/** PDF files: read in a child, within limits, with page numbers. */
import type { Isolate } from "../../../core/sdk";
import type { Extractor } from "../contract";
import { readPages, type PageReadingParts } from "../server/paged-reading";
import type { tasks } from "../tasks";

export interface PdfParts extends PageReadingParts {
  readonly isolate: Isolate<typeof tasks>;
}

/** The mark stands near the beginning, not always at it. */
const mark = "%PDF-";
const mark_within_bytes = 1024;
export const isPdf = (head: Uint8Array): boolean =>
  Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, mark_within_bytes)).includes(
    mark,
  );

export const pdfExtractor = (parts: PdfParts): Extractor => ({
  name: "PDF",
  rank: 100,
  recognises: isPdf,
  extract: ({ path }, watch) =>
    readPages(parts, { what: "PDF", media_type: "application/pdf" }, watch, (input, options) =>
      parts.isolate("pdf", { path, ...input }, options),
    ),
});
