/** Office documents that are ZIP archives, and e-books: read in a child, within limits. */
import type { Isolate } from "../../core/sdk";
import { ExtractionFailure, type Extracted, type Extractor } from "./contract";
import { isEncryptedPackage, isOle2 } from "./office/ole2";
import { createDeadline, explain, withOutput, type ReadingParts } from "./reading";
import type { tasks } from "./tasks";

export interface OfficeParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: { readonly memory_max_bytes: number; readonly timeout_ms: number; readonly characters_max: number };
}

const isZip = (head: Uint8Array): boolean => head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6) || (head[2] === 0x30 && head[3] === 0x30));

export const officeExtractor = (parts: OfficeParts): Extractor => ({
  name: "Word, Excel and PowerPoint since 2007, OpenDocument, EPUB",
  rank: 80,
  recognises: (head, _tail, { path }) => isZip(head) || (isOle2(head) && isEncryptedPackage(path)),
  extract: async (source, watch) => {
    if (isOle2(await Bun.file(source.path).slice(0, 8).bytes())) throw new ExtractionFailure("encrypted", "This file is protected by a password.");
    return await withOutput(parts, async (output): Promise<Extracted> => {
      const { isolate, limits } = parts;
      const deadline = createDeadline(watch);
      try {
        const input = { path: source.path, output, characters_max: limits.characters_max };
        const onMessage = ({ progress }: { readonly progress: number }): void => watch.onProgress(progress);
        const read = await isolate("office", input, { timeout_ms: limits.timeout_ms, memory_max_bytes: limits.memory_max_bytes, signal: deadline.signal, onMessage });
        return { ...read, text: await Bun.file(output).text() };
      } catch (error) {
        watch.signal.throwIfAborted();
        throw explain(error, deadline);
      }
    });
  },
});
