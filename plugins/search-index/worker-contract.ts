/**
 * The part of the index's contract that its workers know: the layout of its bytes, and the
 * validation of bytes from elsewhere.
 */

/** Identifies a set of vectors: only those of one set are compared. */
export interface VectorKind {
  readonly model: string;
  /** As requested; 0: as many as the model returns. */
  readonly asked_dimensions: number;
  /** The length of each vector. */
  readonly dimensions: number;
}
/** The same, with the layout of the bytes. */
export interface VectorCopyKind extends VectorKind {
  /** `vector_layout.layout`; absent: 32-bit floats, little-endian, one vector per chunk. */
  readonly layout?: number;
}
/** The position of a chunk in a text, in UTF-16 units and code points, with its headings. */
export interface ChunkPlace {
  readonly start: number;
  readonly end: number;
  readonly start_point: number;
  readonly end_point: number;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly heading: string | null;
  readonly time_start: number | null;
  readonly time_end: number | null;
}

/** A published segment, for export to another server. */
export interface SegmentCopy {
  /** Its chunks in order; offsets into the text that they were made from. */
  readonly chunks: readonly ChunkPlace[];
  /** See `segment.ts`. */
  readonly data: Uint8Array;
  /** See `vector-block.ts`, or the layout in `VectorKind.layout`; null when there are none. */
  readonly vectors: Uint8Array | null;
}
/** The layout of vectors, see `vector-block.ts`. */
export const vector_layout = {
  layout: 1,
  header_bytes: 16,
  alignment: 16,
  /** Vectors per text. */
  of_text_max: 16,
  /** Rows per segment. */
  rows_max: 16 * 256,
} as const;

/** The layout of a segment, see `segment.ts`. */
export const segment_format = 1;

const segment_header_words = 6;
const listing_length = 65_535;

/** What is wrong with the bytes of a segment with this many chunks; null: nothing is. */
export function segmentFault(data: Uint8Array, chunks: number, analyzer: number): string | null {
  if (data.length % 4 !== 0 || data.length < segment_header_words * 4) return "its length is wrong";
  const words = new Uint32Array(data.slice().buffer);
  const made_by = words[0]!;
  const terms = words[1]!;
  const count = words[2]!;
  const postings = words[3]!;
  const length_sum = words[4]!;
  const zero = words[5]!;
  if (made_by !== analyzer || zero !== 0) return "its header is wrong";
  if (count !== chunks || chunks < 1) return "it has other passages than are listed";
  const halves_at = (segment_header_words + terms) * 2;
  const halves_count = chunks + terms + 1 + postings;
  if (words.length !== segment_header_words + terms + ((halves_count + 1) >>> 1))
    return "its length is wrong";
  for (let at = segment_header_words + 1; at < segment_header_words + terms; at++)
    if (words[at]! <= words[at - 1]!) return "its terms are not in order";
  const halves = new Uint16Array(words.buffer, halves_at * 2, halves_count);
  // Every length but that of a listing is smaller.
  const sum = halves.subarray(0, chunks).reduce((all, one) => all + (one % listing_length), 0);
  if (sum !== length_sum) return "its lengths are wrong";
  return postingsFault(halves.subarray(chunks), terms, postings, chunks);
}

/** `halves`: the start of each term's postings, and the postings. */
function postingsFault(
  halves: Uint16Array,
  terms: number,
  postings: number,
  chunks: number,
): string | null {
  if (halves[0] !== 0 || halves[terms] !== postings) return "its postings are cut off";
  for (let term = 0; term < terms; term++) {
    const start = halves[term]!;
    const end = halves[term + 1]!;
    if (end <= start || end > postings) return "a term has no postings";
    for (let at = start, last = -1; at < end; at++) {
      const posting = halves[terms + 1 + at]!;
      const chunk = posting >>> 8;
      if (chunk >= chunks || chunk <= last || (posting & 255) === 0) return "a posting is wrong";
      last = chunk;
    }
  }
  return null;
}

/** The maximum size of a segment's vectors, in any layout. */
export const vectorBytesMax = (dimensions: number): number =>
  vector_layout.rows_max * (dimensions + 32);

/** What is wrong with the vectors of a segment with this many chunks; null: nothing is. */
export function vectorsFault(data: Uint8Array, chunks: number, dimensions: number): string | null {
  const { layout, header_bytes, alignment, rows_max } = vector_layout;
  const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;
  if (data.length < header_bytes) return "they are cut off";
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [made_as, rows, numbers, zero] = [0, 4, 8, 12].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  if (made_as !== layout || zero !== 0) return "their header is wrong";
  if (numbers !== dimensions) return `they have ${numbers} numbers each, not ${dimensions}`;
  if (rows > rows_max) return `they are ${rows} vectors`;
  if (data.length !== aligned(header_bytes + 5 * rows) + rows * aligned(dimensions))
    return "their length is wrong";
  for (let row = 0, last = 0; row < rows; row++) {
    const scale = view.getFloat32(header_bytes + 4 * row, true);
    const chunk = data[header_bytes + 4 * rows + row]!;
    if (!(scale >= 0 && scale <= scale_max)) return "they are not of length 1";
    if (chunk < last || chunk >= chunks) return "they are of no passage of it";
    last = chunk;
  }
  return null;
}
/** With numbers up to 127 and no component above 1, apart from rounding. */
const scale_max = 1.001 / 127;
