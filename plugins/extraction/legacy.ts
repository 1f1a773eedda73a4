/** Word, Excel and PowerPoint files of before 2007, and RTF: read in a child, within limits. */
import type { Isolate } from "../../core/sdk";
import type { Extracted, Extractor, ExtractionSource, ExtractionWatch } from "./contract";
import { compound_mark } from "./legacy/compound";
import { createDeadline, explain, withOutput, type ReadingParts } from "./reading";
import type { tasks } from "./tasks";

export interface LegacyParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: { readonly memory_max_bytes: number; readonly timeout_ms: number; readonly characters_max: number };
}

const startsWith = (head: Uint8Array, mark: string): boolean => Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, mark.length)).equals(Buffer.from(mark, "latin1"));

export const legacyExtractor = (parts: LegacyParts): Extractor => ({
  name: "Word, Excel and PowerPoint before 2007",
  rank: 70,
  recognises: (head) => startsWith(head, compound_mark),
  extract: (source, watch) => readInChild(parts, "legacy", source, watch),
});

/** A byte order mark or white space may come first. */
const rtf_mark = /^(?:\xef\xbb\xbf)?\s{0,64}\{\\rtf/;

export const rtfExtractor = (parts: LegacyParts): Extractor => ({
  name: "RTF",
  rank: 70,
  recognises: (head) => rtf_mark.test(Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 100)).toString("latin1")),
  extract: (source, watch) => readInChild(parts, "rtf", source, watch),
});

function readInChild(parts: LegacyParts, task: "legacy" | "rtf", { path }: ExtractionSource, watch: ExtractionWatch): Promise<Extracted> {
  return withOutput(parts, async (output) => {
    const { isolate, limits } = parts;
    const deadline = createDeadline(watch);
    try {
      const input = { path, output, characters_max: limits.characters_max };
      const read = await isolate(task, input, { timeout_ms: limits.timeout_ms, memory_max_bytes: limits.memory_max_bytes, signal: deadline.signal });
      return { ...read, text: await Bun.file(output).text() };
    } catch (error) {
      watch.signal.throwIfAborted();
      throw explain(error, deadline);
    }
  });
}
