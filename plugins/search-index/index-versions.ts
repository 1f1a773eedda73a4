/** Turns an encoded document into rows, and rows back into the text they came from. */
import { gap_chars_max } from "./chunker";
import type { EncodedSegment, EncodeInput } from "./encoder";
import type { ChunkRow, DocumentRow, SegmentRow } from "./store";

export interface EditionSegment {
  readonly row: SegmentRow;
  readonly chunks: readonly ChunkRow[];
}

/**
 * The rows of an edition, one segment behind: the last chunk of a segment keeps the white space up
 * to the next one.
 */
export class EditionRows {
  private last: EncodedSegment | undefined;
  private last_id = 0;
  /** The id of the first segment, which names the edition; 0 before there is one. */
  edition = 0;
  segments = 0;
  chunks = 0;

  /** `nextId` gives ever growing numbers. */
  constructor(
    private readonly document_id: string,
    private readonly text: string,
    private readonly nextId: () => number,
  ) {}

  /** Takes the next segment; gives the rows of the one before it. */
  add(segment: EncodedSegment): EditionSegment[] {
    const rows = this.end(segment.chunks[0]?.start);
    this.last = segment;
    this.last_id = this.nextId();
    if (this.edition === 0) this.edition = this.last_id;
    this.segments++;
    this.chunks += segment.chunks.length;
    return rows;
  }

  /** The rows of the last segment; `next_start` is where the chunk behind it begins. */
  end(next_start?: number): EditionSegment[] {
    if (this.last === undefined) return [];
    const { data, chunks } = this.last,
      segment_id = this.last_id;
    return [
      {
        row: {
          id: segment_id,
          edition: this.edition,
          document_id: this.document_id,
          data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
        },
        chunks: chunks.map((chunk, ordinal) => ({
          segment_id,
          ordinal,
          first_point: chunk.start_point,
          end_point: chunk.end_point,
          page: chunk.page,
          page_end: chunk.page_end,
          heading: chunk.heading,
          time_start: chunk.time_start,
          time_end: chunk.time_end,
          text: this.text.slice(
            chunk.start,
            Math.min(
              chunks[ordinal + 1]?.start ?? next_start ?? chunk.end,
              chunk.end + gap_chars_max,
            ),
          ),
        })),
      },
    ];
  }
}

/**
 * What the chunks were cut from: the same text at the same places, but for white space that no
 * chunk can hold.
 */
export function inputOf(document: DocumentRow, chunks: readonly ChunkRow[]): EncodeInput {
  const parts: string[] = [],
    pages: { page: number; start: number; end: number }[] = [];
  let length = 0,
    points = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
    points += part.length - (part.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
  };
  for (const chunk of chunks) {
    add("\n".repeat(chunk.first_point - points));
    const start = length;
    add(chunk.text);
    const end = start + chunk.text.trimEnd().length;
    if (chunk.page !== null) extend(pages, chunk.page, start, end);
    if (chunk.page_end !== null && chunk.page_end !== chunk.page)
      extend(pages, chunk.page_end, end - 1, end);
  }
  return {
    title: document.title,
    text: parts.join(""),
    pages,
    headings: parsed(document.headings),
    times: parsed(document.times),
  };
}

const parsed = <T>(spans: string | null): T | undefined =>
  spans === null ? undefined : (JSON.parse(spans) as T);

function extend(
  pages: { page: number; start: number; end: number }[],
  page: number,
  start: number,
  end: number,
): void {
  const last = pages.at(-1);
  if (last?.page === page) last.end = end;
  else pages.push({ page, start, end });
}
