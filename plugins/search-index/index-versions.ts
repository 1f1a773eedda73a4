/**
 * An index version is one encoding of one version of a document, named by the id of its first
 * segment (column `edition`). Here it becomes rows, and rows become the input of the encoder again.
 */
import { gap_chars_max } from "./chunker";
import type { EncodedSegment, EncoderInput } from "./encoder";
import type { ChunkRow, DocumentRow, SegmentRow } from "./store";

/** A segment as it is stored. */
export interface SegmentRows {
  readonly row: SegmentRow;
  readonly chunks: readonly ChunkRow[];
}

/**
 * Makes the rows of an index version, one segment late: the text of a segment's last chunk includes
 * the white space before the next segment.
 */
export class IndexVersionRows {
  private last: EncodedSegment | undefined;
  private last_id = 0;
  /** The id of the first segment, which names the index version; 0 before there is one. */
  index_version = 0;
  segments = 0;
  chunks = 0;

  /** `nextId` gives ascending numbers. */
  constructor(
    private readonly document_id: string,
    private readonly text: string,
    private readonly nextId: () => number,
  ) {}

  /** Takes the next segment; returns the rows of the one before it. */
  add(segment: EncodedSegment): SegmentRows[] {
    const rows = this.end(segment.chunks[0]?.start);
    this.last = segment;
    this.last_id = this.nextId();
    if (this.index_version === 0) this.index_version = this.last_id;
    this.segments++;
    this.chunks += segment.chunks.length;
    return rows;
  }

  /** The rows of the last segment; `next_start` is where the chunk after it begins. */
  end(next_start?: number): SegmentRows[] {
    if (this.last === undefined) return [];
    const { data, chunks } = this.last,
      segment_id = this.last_id;
    return [
      {
        row: {
          id: segment_id,
          edition: this.index_version,
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
 * The input that these chunks were made of: the same text at the same offsets, except for white
 * space that no chunk holds.
 */
export function encoderInputOf(document: DocumentRow, chunks: readonly ChunkRow[]): EncoderInput {
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
    if (chunk.page !== null) extendPages(pages, chunk.page, start, end);
    if (chunk.page_end !== null && chunk.page_end !== chunk.page)
      extendPages(pages, chunk.page_end, end - 1, end);
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

function extendPages(
  pages: { page: number; start: number; end: number }[],
  page: number,
  start: number,
  end: number,
): void {
  const last = pages.at(-1);
  if (last?.page === page) last.end = end;
  else pages.push({ page, start, end });
}

/**
 * Makes the ids of segments, in memory. Safe in one process only: two processes over one database
 * could give the same id to different segments.
 */
export class SegmentIds {
  private last = 0;
  constructor(private readonly now_ms: () => number) {}

  /** Before the first `next`: ids continue after the largest stored one. */
  continueAfter(largest_stored: number): void {
    this.last = largest_stored;
  }
  /** Ascends for ever, across restarts too: no cached segment can be mistaken for another. */
  readonly next = (): number => (this.last = Math.max(this.last + 1, this.now_ms() * 1_024));
}
