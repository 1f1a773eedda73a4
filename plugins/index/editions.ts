/** Turns an encoded document into rows, and rows back into the text they came from. */
import { gap_chars_max } from "./chunker";
import type { EncodedSegment, EncodeInput } from "./encode";
import type { ChunkRow, DocumentRow, SegmentRow } from "./store";

export interface EditionSegment { readonly row: SegmentRow; readonly chunks: readonly ChunkRow[] }

/** The rows of an edition. `nextId` gives ever growing numbers; the first one names the edition. */
export function rowsOf(document_id: string, text: string, segments: readonly EncodedSegment[], nextId: () => number): readonly EditionSegment[] {
  const ids = segments.map(nextId);
  return segments.map(({ data, chunks }, s) => ({
    row: { id: ids[s]!, edition: ids[0]!, document_id, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) },
    chunks: chunks.map((chunk, ordinal) => {
      const next = chunks[ordinal + 1] ?? segments[s + 1]?.chunks[0];
      return {
        segment_id: ids[s]!, ordinal, first_point: chunk.start_point, end_point: chunk.end_point, page: chunk.page, page_end: chunk.page_end, heading: chunk.heading,
        text: text.slice(chunk.start, Math.min(next?.start ?? chunk.end, chunk.end + gap_chars_max)),
      };
    }),
  }));
}

/** What the chunks were cut from: the same text at the same places, but for white space that no chunk can hold. */
export function inputOf(document: DocumentRow, chunks: readonly ChunkRow[]): EncodeInput {
  const parts: string[] = [], pages: { page: number; start: number; end: number }[] = [];
  let length = 0, points = 0;
  const add = (part: string): void => { parts.push(part); length += part.length; points += part.length - (part.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0); };
  for (const chunk of chunks) {
    add("\n".repeat(chunk.first_point - points));
    const start = length;
    add(chunk.text);
    const end = start + chunk.text.trimEnd().length;
    if (chunk.page !== null) extend(pages, chunk.page, start, end);
    if (chunk.page_end !== null && chunk.page_end !== chunk.page) extend(pages, chunk.page_end, end - 1, end);
  }
  return { title: document.title, text: parts.join(""), pages, headings: document.headings === null ? undefined : JSON.parse(document.headings) };
}

function extend(pages: { page: number; start: number; end: number }[], page: number, start: number, end: number): void {
  const last = pages.at(-1);
  if (last?.page === page) last.end = end;
  else pages.push({ page, start, end });
}
