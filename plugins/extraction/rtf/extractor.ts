/** RTF documents, detected by their first bytes. */
import type { ExtractionContext } from "../context";
import type { Extractor } from "../contract";
import { readInChild } from "../server/child-run";

/** A byte order mark or white space may come first. */
const signature = /^(?:\xef\xbb\xbf)?\s{0,64}\{\\rtf/;

export const rtfExtractor = (ctx: ExtractionContext): Extractor => ({
  rank: 70,
  recognises: (head) =>
    signature.test(
      Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 100)).toString("latin1"),
    ),
  extract: (source, options) =>
    readInChild(ctx, source, options, (input, run_options) =>
      ctx.isolate("rtf", input, run_options),
    ),
});
