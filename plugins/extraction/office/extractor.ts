/**
 * Office documents that are ZIP archives, and e-books: read in a child, within limits. One with a
 * password is no ZIP archive, but a file of the older kind.
 */
import type { Isolate } from "../../../core/sdk";
import type { Extractor } from "../contract";
import { readInChild, type ChildLimits } from "../server/child-run";
import type { ReadingParts } from "../server/deadline";
import type { tasks } from "../tasks";

export interface OfficeParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: ChildLimits;
}

/** How an archive begins; also an empty one, and one that was meant for several disks. */
const marks: readonly string[] = ["PK\x03\x04", "PK\x05\x06", "PK00PK\x03\x04"];

export const officeExtractor = (parts: OfficeParts): Extractor => ({
  name: "Word, Excel and PowerPoint since 2007, OpenDocument, EPUB",
  rank: 80,
  recognises: (head) => {
    const beginning = Buffer.from(head.buffer, head.byteOffset, Math.min(8, head.length)).toString(
      "latin1",
    );
    return marks.some((mark) => beginning.startsWith(mark));
  },
  extract: (source, watch) =>
    readInChild(parts, watch, (where, within) => {
      const onMessage = ({ progress }: { readonly progress: number }): void =>
        watch.onProgress(progress);
      return parts.isolate("office", { path: source.path, ...where }, { ...within, onMessage });
    }),
});
