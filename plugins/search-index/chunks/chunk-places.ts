/**
 * A segment's chunks without their text: their positions and headings. One block of bytes per
 * segment, little-endian, decoded one chunk at a time:
 *
 *     u32 chunks, columns (a bit for each group that is present)
 *     u32 start[chunks], end[chunks]                        UTF-16 units into the text
 *     u32 start_point[chunks], end_point[chunks]            where they differ from these
 *     u32 page[chunks], page_end[chunks]                    one more than the page; 0: none
 *     u32 heading[chunks]                                   index into the list, from 1; 0: none
 *     f64 time_start[chunks], time_end[chunks]              NaN: none
 *     the list of headings as JSON, UTF-8
 */
import type { ChunkPlace } from "../contract";

export type { ChunkPlace } from "../contract";

const has_points = 1;
const has_pages = 2;
const has_headings = 4;
const has_times = 8;
const header_bytes = 8;

/** The block of bytes for the chunks of a segment. */
export function encodePlaces(chunks: readonly ChunkPlace[]): Uint8Array<ArrayBuffer> {
  const headings = [...new Set(chunks.flatMap(({ heading }) => heading ?? []))];
  const number_of = new Map(headings.map((heading, at) => [heading, at + 1]));
  const columns =
    (chunks.some(({ start, end, ...at }) => at.start_point !== start || at.end_point !== end)
      ? has_points
      : 0) |
    (chunks.some(({ page }) => page !== null) ? has_pages : 0) |
    (headings.length > 0 ? has_headings : 0) |
    (chunks.some(({ time_start }) => time_start !== null) ? has_times : 0);
  const list = headings.length > 0 ? new TextEncoder().encode(JSON.stringify(headings)) : null;
  const list_start = listStart(chunks.length, columns);
  const bytes = new Uint8Array(list_start + (list?.length ?? 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  const put = (value: number): void => {
    view.setUint32(at, value, true);
    at += 4;
  };
  const putTime = (value: number | null): void => {
    view.setFloat64(at, value ?? Number.NaN, true);
    at += 8;
  };
  put(chunks.length);
  put(columns);
  for (const { start } of chunks) put(start);
  for (const { end } of chunks) put(end);
  if (columns & has_points) {
    for (const { start_point } of chunks) put(start_point);
    for (const { end_point } of chunks) put(end_point);
  }
  if (columns & has_pages) {
    for (const { page } of chunks) put(page === null ? 0 : page + 1);
    for (const { page_end } of chunks) put(page_end === null ? 0 : page_end + 1);
  }
  if (columns & has_headings)
    for (const { heading } of chunks) put(heading === null ? 0 : number_of.get(heading)!);
  if (columns & has_times) {
    for (const { time_start } of chunks) putTime(time_start);
    for (const { time_end } of chunks) putTime(time_end);
  }
  if (list) bytes.set(list, list_start);
  return bytes;
}

/** Where the columns end. */
const listStart = (chunks: number, columns: number): number =>
  header_bytes +
  chunks *
    (8 +
      (columns & has_points ? 8 : 0) +
      (columns & has_pages ? 8 : 0) +
      (columns & has_headings ? 4 : 0) +
      (columns & has_times ? 16 : 0));

/** The positions of a segment's chunks, decoded on demand. */
export class ChunkPlaces {
  readonly count: number;
  private readonly view: DataView;
  private readonly columns: number;
  private headings: readonly string[] | undefined;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.count = this.view.getUint32(0, true);
    this.columns = this.view.getUint32(4, true);
  }

  /** The place of one chunk. */
  at(ordinal: number): ChunkPlace {
    const { columns, count, view } = this;
    let column = header_bytes;
    const next = (): number => {
      const value = view.getUint32(column + 4 * ordinal, true);
      column += 4 * count;
      return value;
    };
    const nextTime = (): number | null => {
      const value = view.getFloat64(column + 8 * ordinal, true);
      column += 8 * count;
      return Number.isNaN(value) ? null : value;
    };
    const start = next();
    const end = next();
    const points = columns & has_points ? [next(), next()] : [start, end];
    const pages = columns & has_pages ? [next(), next()] : [0, 0];
    const heading = columns & has_headings ? next() : 0;
    const times = columns & has_times ? [nextTime(), nextTime()] : [null, null];
    return {
      start,
      end,
      start_point: points[0]!,
      end_point: points[1]!,
      page: pages[0] === 0 ? null : pages[0]! - 1,
      page_end: pages[1] === 0 ? null : pages[1]! - 1,
      heading: heading === 0 ? null : this.headingList()[heading - 1]!,
      time_start: times[0]!,
      time_end: times[1]!,
    };
  }

  /** As `at`, but null when the bytes are damaged. */
  find(ordinal: number): ChunkPlace | null {
    try {
      const place = this.at(ordinal);
      return place.start <= place.end && place.heading !== undefined ? place : null;
    } catch {
      return null;
    }
  }

  /** The places of all chunks. */
  all(): ChunkPlace[] {
    return Array.from({ length: this.count }, (_, ordinal) => this.at(ordinal));
  }

  private headingList(): readonly string[] {
    return (this.headings ??= JSON.parse(
      new TextDecoder().decode(this.bytes.subarray(listStart(this.count, this.columns))),
    ) as string[]);
  }
}
