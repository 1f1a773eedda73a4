/** The content of a new version before it is indexed: a file, a text, or both. */
import type { IngestRequest, ReadyText } from "../contract";
import { measureText, mediaType } from "../texts/content-measures";
import { toStoredSpans, toStoredTimes, type DocumentRow, type VersionRow } from "../store";

/** The columns of a version before it has a number. */
export type NewVersion = Omit<VersionRow, "document_id" | "version">;

/** Properties that are unknown before a version is indexed. */
export const not_extracted = {
  pages: "[]",
  page_labels: null,
  headings: null,
  times: null,
  text_ready: 0,
  text_id: null,
  text_units: null,
  text_points: null,
  content: null,
} as const;

/** A version whose text will be extracted from its file. @throws Error without a file */
export function fileVersion(file: IngestRequest["file"], declared_type: string | null): NewVersion {
  if (file === null) throw new Error("a document needs a file or a text");
  return {
    ...not_extracted,
    sha256: file.sha256,
    size_bytes: file.size_bytes,
    media_type: mediaType(declared_type),
    in_files: 1,
  };
}

/** Neither repair moves an offset. */
export const repaired = (content: string): string => content.toWellFormed().replaceAll("\0", " ");

/** A version with a given text, and the file that it was made from, if any. */
export async function textVersion(
  text: ReadyText,
  file: IngestRequest["file"],
  declared_type: string | null,
): Promise<NewVersion> {
  const ready = {
    ...not_extracted,
    ...toStoredSpans({ pages: [], ...text, times: await toStoredTimes(text.times) }),
    text_ready: 1,
  } as const;
  if (file === null)
    return {
      ...ready,
      ...(await measureText(text.content)),
      media_type: text.media_type,
      in_files: 0,
    };
  const { sha256, size_bytes } = file;
  const media_type = mediaType(declared_type ?? text.media_type);
  return { ...ready, sha256, size_bytes, media_type, in_files: 1 };
}

/** False for a file with its text, because the text may be longer than the file. */
export const isText = ({ in_files }: NewVersion): boolean => in_files === 0;

/** Inserts a new document within the transaction of its creation: document-insertion.ts. */
export interface Insertion {
  readonly folder_ids: readonly string[];
  /** Call it once. `state`: columns that differ from those of a document that waits. */
  write(state?: Partial<DocumentRow>): Promise<void>;
}
