/**
 * A segment: the inverted index of up to 256 chunks of one document, as one immutable block of
 * bytes, little-endian:
 *
 *     u32 analyzer, terms, chunks, postings, length sum, 0
 *     u32 hash[terms], ascending
 *     u16 length[chunks]
 *     u16 start[terms + 1]
 *     u16 posting[postings] = chunk << 8 | min(tf, 255)
 *
 * It is read through one Uint32Array, so that a cached segment costs one object.
 */
import { radixSort } from "./radix-sort";

/** The most chunks in a segment. */
export const segment_chunks_max = 256;
/**
 * The number of term occurrences after which a segment is closed, so that its postings fit 16 bits.
 */
export const segment_terms_max = 60_000;
const header_words = 6;
const length_max = 65_534;
const tf_max = 255;
/**
 * The length of a chunk in a table of contents or an index: it counts as so long that it ranks
 * behind everything else. It is not part of the mean length.
 */
export const listing_length = 65_535;

/** The block of bytes, as 32-bit words. */
export type Segment = Uint32Array;
/** The version of the analyzer that made the terms. */
export const analyzerOf = (segment: Segment): number => segment[0]!;
/** The number of terms. */
export const termCount = (segment: Segment): number => segment[1]!;
/** The number of chunks. */
export const chunkCount = (segment: Segment): number => segment[2]!;
/** The number of postings. */
export const postingCount = (segment: Segment): number => segment[3]!;
/** The sum of the lengths of all chunks, in terms. */
export const lengthSum = (segment: Segment): number => segment[4]!;

const half = (segment: Segment, at: number): number =>
  (segment[at >>> 1]! >>> ((at & 1) << 4)) & 0xffff;
/** The length of a chunk in terms, by which BM25 normalises, or `listing_length`. */
export const lengthOf = (segment: Segment, chunk: number): number =>
  half(segment, (header_words + segment[1]!) * 2 + chunk);

/**
 * The range of a term's postings, as `first << 16 | end`, unsigned; 0 when the segment lacks the
 * term.
 */
export function postingsOf(segment: Segment, hash: number): number {
  const terms = segment[1]!;
  const last = header_words + terms - 1;
  // Interpolation search: hashes are distributed evenly, so the guess is at most a few steps off.
  let at = header_words + Math.floor((hash * terms) / 4_294_967_296);
  let hash_at = segment[at]!;
  if (hash_at < hash)
    do {
      if (++at > last) return 0;
      hash_at = segment[at]!;
    } while (hash_at < hash);
  else
    while (hash_at > hash) {
      if (--at < header_words) return 0;
      hash_at = segment[at]!;
    }
  return hash_at === hash ? postingsAt(segment, at - header_words) : 0;
}
/** The hash of a term, by its index in the segment. */
export const hashAt = (segment: Segment, term: number): number => segment[header_words + term]!;
/** The range of a term's postings, by its index. */
export function postingsAt(segment: Segment, term: number): number {
  const starts = (header_words + segment[1]!) * 2 + segment[2]! + term;
  return ((half(segment, starts) << 16) | half(segment, starts + 1)) >>> 0;
}
/** The posting at an index in the range of `postingsOf`: `chunk << 8 | tf`. */
export const postingAt = (segment: Segment, place: number): number =>
  half(segment, (header_words + segment[1]!) * 2 + segment[2]! + segment[1]! + 1 + place);

/** Collects the terms of chunks, in order, and builds their segment. */
export class SegmentBuilder {
  /** The hash and the chunk of each occurrence, chunk by chunk: sorted, these are the postings. */
  private hashes = new Uint32Array(1_024);
  private places = new Uint32Array(1_024);
  private used = 0;
  private chunk_start = 0;
  private readonly lengths: number[] = [];

  /** Whether a chunk of this many terms still fits. */
  fits(terms: number): boolean {
    return (
      this.lengths.length === 0 ||
      (this.lengths.length < segment_chunks_max && this.used + terms <= segment_terms_max)
    );
  }

  /** Counts one term of the current chunk. */
  add(hash: number): void {
    if (this.used - this.chunk_start >= segment_terms_max || this.used === 65_535) return;
    if (this.used === this.hashes.length) {
      this.hashes = doubled(this.hashes);
      this.places = doubled(this.places);
    }
    this.hashes[this.used] = hash;
    this.places[this.used++] = this.lengths.length;
  }

  /** Ends the chunk. `length` is its length for BM25, or `listing_length`. */
  endChunk(length: number): void {
    this.lengths.push(length === listing_length ? length : Math.min(length, length_max));
    this.chunk_start = this.used;
  }

  /** The number of chunks added so far. */
  get chunks(): number {
    return this.lengths.length;
  }

  /** The segment of everything added; the builder is empty again. */
  finish(analyzer: number): Segment {
    const { used } = this;
    // Equal hashes keep their order, which is that of their chunks.
    const { keys, values } = radixSort(this.hashes.slice(0, used), this.places.slice(0, used));
    let terms = 0;
    let postings = 0;
    for (let at = 0; at < used; at++) {
      const is_new = at === 0 || keys[at] !== keys[at - 1];
      if (is_new) terms++;
      if (is_new || values[at] !== values[at - 1]) postings++;
    }
    const columns = newSegment(analyzer, terms, this.lengths.length, postings);
    columns.lengths.set(this.lengths);
    writePostings(columns, keys, values);
    this.used = 0;
    this.chunk_start = 0;
    this.lengths.length = 0;
    return sealed(columns);
  }
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** From occurrences sorted by hash, and then by chunk. */
function writePostings(
  { hashes, starts, postings }: SegmentColumns,
  keys: Uint32Array,
  chunks: Uint32Array,
): void {
  let term = 0;
  let posting = 0;
  for (let at = 0; at < keys.length;) {
    const hash = keys[at]!;
    const chunk = chunks[at]!;
    if (at === 0 || keys[at - 1] !== hash) {
      hashes[term] = hash;
      starts[term++] = posting;
    }
    let end = at + 1;
    while (end < keys.length && keys[end] === hash && chunks[end] === chunk) end++;
    postings[posting++] = (chunk << 8) | Math.min(end - at, tf_max);
    at = end;
  }
  starts[term] = posting;
}

/** A segment under construction, and its columns. */
export interface SegmentColumns {
  readonly segment: Segment;
  readonly hashes: Uint32Array;
  readonly lengths: Uint16Array;
  /** One more than there are terms: the last is the end of the postings. */
  readonly starts: Uint16Array;
  readonly postings: Uint16Array;
}
/** An empty segment of this size, to be filled column by column. */
export function newSegment(
  analyzer: number,
  terms: number,
  chunks: number,
  postings: number,
): SegmentColumns {
  const halves = chunks + terms + 1 + postings;
  const segment = new Uint32Array(header_words + terms + ((halves + 1) >>> 1));
  segment.set([analyzer, terms, chunks, postings]);
  let at = (header_words + terms) * 4;
  const column = (count: number): Uint16Array => {
    const start = at;
    at += count * 2;
    return new Uint16Array(segment.buffer, start, count);
  };
  return {
    segment,
    hashes: segment.subarray(header_words, header_words + terms),
    lengths: column(chunks),
    starts: column(terms + 1),
    postings: column(postings),
  };
}
/** The contribution of a length to the sum. */
export const countedLength = (length: number): number => (length === listing_length ? 0 : length);

/** Called once all columns are written. */
export function sealed({ segment, lengths }: SegmentColumns): Segment {
  segment[4] = lengths.reduce((sum, length) => sum + countedLength(length), 0);
  return segment;
}
