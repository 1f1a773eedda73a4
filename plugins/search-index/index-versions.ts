/**
 * An index version is one encoding of one version of a document, identified by the id of its first
 * segment (column `edition`). This file turns it into rows, and rows back into the input of the
 * encoder.
 */
import { isInFirstPiece } from "../../core/lib/text-pieces";
import type { HeadingSpan, PageSpan } from "../extraction/contract";
import { encodePlaces, type ChunkPlace } from "./chunks/chunk-places";
import { gap_chars_max } from "./chunks/chunker";
import type { EncodedSegment, EncoderRequest } from "./indexing/encoder";
import { toStored } from "./segments/stored-segment";
import type {
  ChunkRow,
  DocumentRow,
  SegmentRow,
  SegmentRows,
  StoredPlaces,
  VectorsRow,
} from "./store";

/** A segment whose text is stored elsewhere, in the form of its rows. */
export interface PlacedSegment extends Omit<StoredPlaces, "text_id"> {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly places: Uint8Array<ArrayBuffer>;
  readonly chunk_count: number;
  /** Present only if they came with the segment. */
  readonly vectors?: Omit<VectorsRow, "segment_id"> | null;
}
/** The segment in the form in which it is stored, for a text that is stored separately. */
export const placed = ({
  data,
  chunks,
}: Pick<EncodedSegment, "data"> & { readonly chunks: readonly ChunkPlace[] }): PlacedSegment => ({
  data: toStored(data),
  places: encodePlaces(chunks),
  chunk_count: chunks.length,
  in_first_piece: isInFirstPiece(chunks.at(-1)!) ? 1 : 0,
});

/**
 * Creates the rows of an index version, one segment late: where chunks contain the text, that of a
 * segment's last chunk includes the white space before the next segment.
 */
export class IndexVersionRows {
  private last: EncodedSegment | PlacedSegment | undefined;
  private last_id = 0;
  /** The id of the first segment, which identifies the index version; 0 before there is one. */
  index_version = 0;
  segments = 0;
  chunks = 0;

  /** `text`: the id of a stored one, or the text itself. `nextId` returns ascending numbers. */
  constructor(
    private readonly document_id: string,
    private readonly text: number | string,
    private readonly nextId: () => number,
  ) {}

  /** Takes the next segment; returns the rows of the previous one. */
  add(segment: EncodedSegment | PlacedSegment): SegmentRows[] {
    const rows = this.end("chunks" in segment ? segment.chunks[0]?.start : undefined);
    this.last = segment;
    this.last_id = this.nextId();
    if (this.index_version === 0) this.index_version = this.last_id;
    this.segments++;
    this.chunks += "chunks" in segment ? segment.chunks.length : segment.chunk_count;
    return rows;
  }

  /** The rows of the last segment; `next_start` is the start of the chunk after it. */
  end(next_start?: number): SegmentRows[] {
    if (this.last === undefined) return [];
    const { text, last_id: segment_id, last } = this;
    const rowOf = (data: Uint8Array, places: StoredPlaces | null): SegmentRow => ({
      id: segment_id,
      edition: this.index_version,
      document_id: this.document_id,
      text_id: places?.text_id ?? null,
      in_first_piece: places?.in_first_piece ?? null,
      places: places?.places ?? null,
      data,
    });
    if (typeof text === "number") {
      const { data, places, in_first_piece, vectors } = "chunks" in last ? placed(last) : last;
      return [
        {
          row: rowOf(data, { text_id: text, in_first_piece, places }),
          chunks: [],
          vectors: vectors ? { ...vectors, segment_id } : null,
        },
      ];
    }
    const { data, chunks } = last as EncodedSegment;
    return [
      {
        row: rowOf(toStored(data), null),
        vectors: null,
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
          text: text.slice(
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
 * The input that these chunks were made from: the same text at the same offsets, except for white
 * space outside the chunks.
 */
export function encoderInputOf(
  document: DocumentRow,
  chunks: readonly ChunkRow[],
): EncoderRequest & { readonly text: string } {
  const parts: string[] = [];
  const pages: PageSpan[] = [];
  let length = 0;
  let points = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
    points += part.length - (part.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
  };
  for (const chunk of chunks) {
    add("\n".repeat(chunk.first_point - points));
    const start = length;
    add(chunk.text);
    extendPages(pages, chunk, start, start + chunk.text.trimEnd().length);
  }
  return { ...spansOf(document, pages), text: parts.join("") };
}

/** The same for a stored text: the text itself, up to the end of the last chunk. */
export function storedInputOf(
  document: DocumentRow,
  text_id: number,
  places: readonly ChunkPlace[],
) {
  const pages: PageSpan[] = [];
  const { end: units, end_point: points } = places.at(-1)!;
  for (const place of places) extendPages(pages, place, place.start, place.end);
  return { ...spansOf(document, pages), text: null, stored: { id: text_id, units, points } };
}

const spansOf = ({ title, headings, times }: DocumentRow, pages: readonly PageSpan[]) => ({
  title,
  pages,
  headings: parsed<HeadingSpan[]>(headings),
  times,
});

const parsed = <T>(spans: string | null): T | undefined =>
  spans === null ? undefined : (JSON.parse(spans) as T);

/** The chunk lies between `start` and `end`. */
function extendPages(
  pages: PageSpan[],
  { page, page_end }: Pick<ChunkRow, "page" | "page_end">,
  start: number,
  end: number,
): void {
  if (page !== null) extendPage(pages, page, start, end);
  if (page_end !== null && page_end !== page) extendPage(pages, page_end, end - 1, end);
}
function extendPage(pages: PageSpan[], page: number, start: number, end: number): void {
  const last = pages.at(-1);
  if (last?.page === page) pages[pages.length - 1] = { ...last, end };
  else pages.push({ page, start, end });
}
