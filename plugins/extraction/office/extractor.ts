/**
 * Office documents that are ZIP archives, and e-books. With a password they are compound files
 * instead, like older documents. formats.ts lists the formats.
 */
import type { ExtractionContext } from "../context";
import type { Extractor } from "../contract";
import { readInChild } from "../server/child-run";

/** Signatures of an archive, an empty archive, and one meant to be split over several disks. */
const signatures: readonly string[] = ["PK\x03\x04", "PK\x05\x06", "PK00PK\x03\x04"];

export const officeExtractor = (ctx: ExtractionContext): Extractor => ({
  rank: 80,
  recognises: (head) => {
    const start = Buffer.from(head.buffer, head.byteOffset, Math.min(8, head.length));
    return signatures.some((signature) => start.toString("latin1").startsWith(signature));
  },
  extract: (source, options) =>
    readInChild(ctx, source, options, (input, run_options) =>
      ctx.isolate("office", input, {
        ...run_options,
        onMessage: ({ progress }) => options.onProgress(progress),
      }),
    ),
});
