/** Word, Excel and PowerPoint files of before 2007, and RTF: read in a child, within limits. */
import type { Isolate } from "../../../core/sdk";
import type { Extracted, Extractor, ExtractionSource, ExtractionWatch } from "../contract";
import { readInChild, type ChildLimits } from "../server/child-run";
import { compound_mark } from "./compound-file";
import type { ReadingParts } from "../server/deadline";
import type { tasks } from "../tasks";

export interface LegacyParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: ChildLimits;
}

const startsWith = (head: Uint8Array, mark: string): boolean =>
  Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, mark.length)).equals(
    Buffer.from(mark, "latin1"),
  );

export const legacyExtractor = (parts: LegacyParts): Extractor => ({
  name: "Word, Excel and PowerPoint before 2007",
  rank: 70,
  recognises: (head) => startsWith(head, compound_mark),
  extract: (source, watch) => readBy(parts, "legacy", source, watch),
});

/** A byte order mark or white space may come first. */
const rtf_mark = /^(?:\xef\xbb\xbf)?\s{0,64}\{\\rtf/;

export const rtfExtractor = (parts: LegacyParts): Extractor => ({
  name: "RTF",
  rank: 70,
  recognises: (head) =>
    rtf_mark.test(
      Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 100)).toString("latin1"),
    ),
  extract: (source, watch) => readBy(parts, "rtf", source, watch),
});

const readBy = (
  parts: LegacyParts,
  task: "legacy" | "rtf",
  { path }: ExtractionSource,
  watch: ExtractionWatch,
): Promise<Extracted> =>
  readInChild(parts, watch, (where, within) => parts.isolate(task, { path, ...where }, within));
