/** PDF files, with page numbers. */
import type { ExtractionContext } from "../context";
import type { Extractor } from "../contract";
import { readPagedFile } from "../server/paged-file";

const signature = "%PDF-";
/** The signature need not be the first bytes of the file. */
const signature_within_bytes = 1024;

export const pdfExtractor = (ctx: ExtractionContext): Extractor => ({
  rank: 100,
  recognises: (head) =>
    Buffer.from(
      head.buffer,
      head.byteOffset,
      Math.min(head.length, signature_within_bytes),
    ).includes(signature),
  extract: ({ path }, options) =>
    readPagedFile(ctx, { noun: "PDF", media_type: "application/pdf" }, options, (input, run) =>
      ctx.isolate("pdf", { path, ...input }, run),
    ),
});
