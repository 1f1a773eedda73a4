/** Word, Excel and PowerPoint files from before 2007, which are compound files. */
import type { ExtractionContext } from "../context";
import type { Extractor } from "../contract";
import { readInChild } from "../server/child-run";
import { compound_signature } from "./compound-file";

export const legacyExtractor = (ctx: ExtractionContext): Extractor => ({
  rank: 70,
  recognises: (head) =>
    Buffer.from(compound_signature, "latin1").equals(head.subarray(0, compound_signature.length)),
  extract: (source, options) =>
    readInChild(ctx, source, options, (input, run_options) =>
      ctx.isolate("legacy", input, run_options),
    ),
});
