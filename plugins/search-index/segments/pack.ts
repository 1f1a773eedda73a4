/**
 * A pack: the inverted index of some hundred segments of one owner, so that a search over many
 * documents reads only what its terms need. Derived from the segments, and immutable like them.
 * Bytes are little-endian.
 *
 * Head: u32 format, analyzer, segments, chunks · f64 id[segments] ascending · u16
 * first_chunk[segments + 1] · u16 length[chunks].
 * A part holds the terms of one range of hashes: u32 terms, with the highest bit set when `end` is
 * wide · u32 hash[terms] ascending · u16 or u32 end[terms] · postings in bytes, each list ending at
 * `end` from the first one's start.
 * A posting: varint of `(chunks skipped since the last posting) << 1 | more`, then, when `more`, a
 * byte: min(tf, 255).
 */
import { lowerBound } from "../../../core/lib/binary-search";
import { radixSort, release } from "./radix-sort";
import {
  analyzerOf,
  chunkCount,
  countedLength,
  hashAt,
  lengthOf,
  postingAt,
  postingsAt,
  termCount,
  type Segment,
} from "./segment";
import type { Pauses } from "../workers/worker-protocol";

/** The most chunks in a pack. */
export const pack_chunks_max = 2_048;
/**
 * Reached before the limit of chunks only by Chinese, Japanese and the like, of which a chunk has
 * ten times as many terms: the pack is in memory while it is made, and written in one transaction.
 */
export const pack_postings_max = 2 ** 19;
/** The number of parts of a pack, by the highest bits of the hash. */
export const pack_parts = 64;
const part_shift = 26;
const format = 1;
const head_words = 4;
const wide = 0x8000_0000;

/** The part of a pack that contains the term with this hash. */
export const partOf = (hash: number): number => hash >>> part_shift;

/** A pack before it is stored. */
export interface BuiltPack {
  readonly segment_ids: readonly number[];
  readonly head: Uint8Array;
  readonly parts: readonly Uint8Array[];
}
/** A segment that becomes part of a pack. */
export interface PackMember {
  readonly id: number;
  readonly segment: Segment;
}

/** Postings as hash and `chunk << 8 | tf`: part after part, each sorted by chunk. */
interface Postings {
  readonly hashes: Uint32Array;
  readonly postings: Uint32Array;
  /** The end of each part. */
  readonly ends: Uint32Array;
}

/**
 * The pack of these segments: of one analyzer, ids ascending, at most `pack_chunks_max` chunks. It
 * pauses between segments and between parts.
 */
export async function buildPack(
  members: readonly PackMember[],
  pauses: Pauses,
): Promise<BuiltPack> {
  const { hashes, postings, ends } = await postingsByPart(members, pauses);
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const end of ends) {
    const sorted = radixSort(hashes.slice(start, end), postings.slice(start, end));
    parts.push(buildPart(sorted.keys, sorted.values));
    release(sorted);
    start = end;
    if (pauses.due) await pauses.pause();
  }
  release({ keys: hashes, values: postings });
  return { segment_ids: members.map(({ id }) => id), head: buildHead(members), parts };
}

async function postingsByPart(members: readonly PackMember[], pauses: Pauses): Promise<Postings> {
  const ends = new Uint32Array(pack_parts);
  for (const { segment } of members) {
    for (let term = 0; term < termCount(segment); term++) {
      const range = postingsAt(segment, term);
      ends[partOf(hashAt(segment, term))]! += (range & 0xffff) - (range >>> 16);
    }
    if (pauses.due) await pauses.pause();
  }
  const count = ends.reduce((sum, of_part) => sum + of_part, 0);
  const by_part = { hashes: new Uint32Array(count), postings: new Uint32Array(count), ends };
  // Each is the start of its part first, and its end once every posting has been written.
  for (let part = 0, start = 0; part < pack_parts; part++) {
    const of_part = ends[part]!;
    ends[part] = start;
    start += of_part;
  }
  let first_chunk = 0;
  for (const { segment } of members) {
    addPostings(by_part, segment, first_chunk);
    first_chunk += chunkCount(segment);
    if (pauses.due) await pauses.pause();
  }
  return by_part;
}

function addPostings(
  { hashes, postings, ends }: Postings,
  segment: Segment,
  first_chunk: number,
): void {
  for (let term = 0; term < termCount(segment); term++) {
    const hash = hashAt(segment, term);
    const range = postingsAt(segment, term);
    const part = partOf(hash);
    let at = ends[part]!;
    for (let place = range >>> 16; place < (range & 0xffff); place++) {
      hashes[at] = hash;
      postings[at++] = (first_chunk << 8) + postingAt(segment, place);
    }
    ends[part] = at;
  }
}

function buildHead(members: readonly PackMember[]): Uint8Array {
  const chunks = members.reduce((sum, { segment }) => sum + chunkCount(segment), 0);
  const head = new Uint8Array(head_words * 4 + members.length * 10 + 2 + chunks * 2);
  new Uint32Array(head.buffer, 0, head_words).set([
    format,
    members.length === 0 ? 0 : analyzerOf(members[0]!.segment),
    members.length,
    chunks,
  ]);
  new Float64Array(head.buffer, head_words * 4, members.length).set(members.map(({ id }) => id));
  const halves = new Uint16Array(head.buffer, head_words * 4 + members.length * 8);
  let chunk = 0;
  members.forEach(({ segment }, member) => {
    halves[member] = chunk;
    for (let ordinal = 0; ordinal < chunkCount(segment); ordinal++)
      halves[members.length + 1 + chunk++] = lengthOf(segment, ordinal);
  });
  halves[members.length] = chunk;
  return head;
}

function buildPart(hashes: Uint32Array, postings: Uint32Array): Uint8Array {
  // At most two bytes of varint and one of tf.
  const bytes = new Uint8Array(postings.length * 3);
  const terms: number[] = [];
  const ends: number[] = [];
  let end = 0;
  for (let at = 0, last_chunk = -1; at < hashes.length; at++) {
    if (at === 0 || hashes[at] !== hashes[at - 1]) {
      if (at > 0) ends.push(end);
      terms.push(hashes[at]!);
      last_chunk = -1;
    }
    const chunk = postings[at]! >>> 8;
    const tf = postings[at]! & 0xff;
    let value = ((chunk - last_chunk - 1) << 1) | Number(tf !== 1);
    for (; value > 0x7f; value >>>= 7) bytes[end++] = (value & 0x7f) | 0x80;
    bytes[end++] = value;
    if (tf !== 1) bytes[end++] = tf;
    last_chunk = chunk;
  }
  if (terms.length > 0) ends.push(end);
  return packedPart(terms, ends, bytes.subarray(0, end));
}

function packedPart(
  terms: readonly number[],
  ends: readonly number[],
  bytes: Uint8Array,
): Uint8Array {
  const is_wide = bytes.length > 0xffff;
  const ends_at = 4 + terms.length * 4;
  const bytes_at = ends_at + terms.length * (is_wide ? 4 : 2);
  const part = new Uint8Array(bytes_at + bytes.length);
  new Uint32Array(part.buffer, 0, 1)[0] = terms.length + (is_wide ? wide : 0);
  new Uint32Array(part.buffer, 4, terms.length).set(terms);
  new (is_wide ? Uint32Array : Uint16Array)(part.buffer, ends_at, terms.length).set(ends);
  part.set(bytes, bytes_at);
  return part;
}

/** What a search needs of every pack in its scope. */
export class PackHead {
  readonly analyzer: number;
  /** The ids of its segments, ascending. */
  readonly ids: Float64Array;
  /** The first chunk of each segment, plus the end. */
  readonly first_chunks: Uint16Array;
  /** The length of each chunk in terms. */
  readonly lengths: Uint16Array;
  /** The sum of the chunk lengths of each segment. */
  readonly length_sums: Float64Array;
  /** The segment of each chunk. */
  readonly segment_of: Uint16Array;

  /** `bytes` must be aligned to eight. */
  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset } = bytes;
    const [, analyzer, segments, chunks] = new Uint32Array(buffer, byteOffset, head_words);
    this.analyzer = analyzer!;
    let at = byteOffset + head_words * 4;
    this.ids = new Float64Array(buffer, at, segments!);
    at += this.ids.byteLength;
    this.first_chunks = new Uint16Array(buffer, at, segments! + 1);
    at += this.first_chunks.byteLength;
    this.lengths = new Uint16Array(buffer, at, chunks!);
    this.segment_of = new Uint16Array(chunks!);
    this.length_sums = new Float64Array(segments!);
    for (let segment = 0; segment < segments!; segment++)
      for (
        let chunk = this.first_chunks[segment]!;
        chunk < this.first_chunks[segment + 1]!;
        chunk++
      ) {
        this.segment_of[chunk] = segment;
        this.length_sums[segment]! += countedLength(this.lengths[chunk]!);
      }
  }

  /** The number of chunks in the pack. */
  get chunks(): number {
    return this.lengths.length;
  }
  /** The bytes that the head takes in memory. */
  get byteLength(): number {
    return this.ids.byteLength * 3 + this.chunks * 4;
  }
}

/** The terms of one range of hashes. */
export class PackPart {
  private readonly hashes: Uint32Array;
  private readonly ends: Uint16Array | Uint32Array;
  private readonly postings: Uint8Array;
  readonly byteLength: number;

  /** `bytes` must be aligned to four. */
  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset, byteLength } = bytes;
    const first = new Uint32Array(buffer, byteOffset, 1)[0]!;
    const terms = first & ~wide;
    const ends_at = byteOffset + 4 + terms * 4;
    this.hashes = new Uint32Array(buffer, byteOffset + 4, terms);
    this.ends =
      first >= wide
        ? new Uint32Array(buffer, ends_at, terms)
        : new Uint16Array(buffer, ends_at, terms);
    const bytes_at = 4 + terms * 4 + this.ends.byteLength;
    this.postings = new Uint8Array(buffer, byteOffset + bytes_at, byteLength - bytes_at);
    this.byteLength = byteLength;
  }

  /**
   * Writes the postings of a term to `into` as `chunk << 8 | tf`, and returns their number. `into`
   * must have space for one per chunk of the pack.
   */
  read(hash: number, into: Uint32Array): number {
    const term = this.placeOf(hash);
    if (term < 0) return 0;
    const { postings } = this;
    // Beyond it, when it is damaged.
    const end = Math.min(this.ends[term]!, postings.length);
    let count = 0;
    let chunk = -1;
    for (let at = term === 0 ? 0 : this.ends[term - 1]!; at < end && count < into.length;) {
      let byte = postings[at++]!;
      let value = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = postings[at++]!;
        value |= (byte & 0x7f) << shift;
      }
      chunk += (value >>> 1) + 1;
      into[count++] = (chunk << 8) | ((value & 1) === 1 ? postings[at++]! : 1);
    }
    return count;
  }

  /** -1 when there is no such term. */
  private placeOf(hash: number): number {
    const place = lowerBound(this.hashes, hash);
    return this.hashes[place] === hash ? place : -1;
  }
}
