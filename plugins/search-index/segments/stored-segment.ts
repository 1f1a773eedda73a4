/**
 * The stored form of a segment, in about half of its bytes. Decoding it yields the same segment.
 * One block of bytes, little-endian:
 *
 *     u32 1 << 31 | analyzer     a segment that is stored unencoded begins with its analyzer alone
 *     varint terms, chunks, postings
 *     varint length[chunks]
 *     bits: for each term in order, a 0 for each step of its hash's highest byte, then a 1
 *     u24 hash[terms]            the lower bytes
 *     for each posting: u8 last of its term << 7 | code; step: from the chunk before
 *         code 0 to 111: step << 3 | tf - 1, both small
 *         code 112 to 126: tf + 111, then u8 step
 *         code 127: u8 step, u8 tf
 */
import {
  analyzerOf,
  chunkCount,
  hashAt,
  lengthOf,
  newSegment,
  postingAt,
  postingCount,
  postingsAt,
  sealed,
  termCount,
  type Segment,
  type SegmentColumns,
} from "./segment";

const is_stored = 0x8000_0000;
const header_bytes = 4;
const last_posting = 0x80;
/** Codes from which on the step, and then the tf, have bytes of their own. */
const far = 112;
const far_and_often = 127;

/** Encodes a segment. */
export function toStored(segment: Segment): Uint8Array<ArrayBuffer> {
  const chunks = chunkCount(segment);
  const terms = termCount(segment);
  const postings = postingCount(segment);
  const out = new Writer(bytesMax(chunks, terms, postings));
  out.u32(is_stored + analyzerOf(segment));
  out.varint(terms);
  out.varint(chunks);
  out.varint(postings);
  for (let chunk = 0; chunk < chunks; chunk++) out.varint(lengthOf(segment, chunk));
  out.highBytes(segment, terms);
  for (let term = 0; term < terms; term++) out.u24(hashAt(segment, term) & 0xff_ffff);
  for (let term = 0; term < terms; term++) {
    const range = postingsAt(segment, term);
    const end = range & 0xffff;
    let before = 0;
    for (let place = range >>> 16; place < end; place++) {
      const posting = postingAt(segment, place);
      out.posting((posting >> 8) - before, posting & 0xff, place === end - 1);
      before = posting >> 8;
    }
  }
  return out.written();
}

/** As `fromStored`, but null for damaged bytes that can't be decoded. */
export function fromStoredOrNull(bytes: Uint8Array): Segment | null {
  try {
    return fromStored(bytes);
  } catch {
    return null;
  }
}

/**
 * Also for an unencoded one: `bytes` must be aligned to four then. @throws RangeError for bytes
 * that can't be decoded.
 */
export function fromStored(bytes: Uint8Array): Segment {
  const analyzer = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (analyzer < is_stored)
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  const from = new Reader(bytes, header_bytes);
  const [terms, chunks, postings] = [from.varint(), from.varint(), from.varint()] as const;
  // The fewest bytes that they can take.
  if (3 * terms + chunks + postings > bytes.length) throw damaged();
  const columns = newSegment(analyzer - is_stored, terms, chunks, postings);
  for (let chunk = 0; chunk < chunks; chunk++) columns.lengths[chunk] = from.varint();
  from.hashes(columns.hashes);
  from.postings(columns);
  return sealed(columns);
}

/** The maximum size: a count or a length takes three bytes, and so does a posting. */
const bytesMax = (chunks: number, terms: number, postings: number): number =>
  header_bytes + 9 + 3 * chunks + ((terms + 256) >> 3) + 1 + 3 * terms + 3 * postings;

class Writer {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private at = 0;
  constructor(bytes_max: number) {
    this.bytes = new Uint8Array(bytes_max);
  }
  u8(value: number): void {
    this.bytes[this.at++] = value;
  }
  u24(value: number): void {
    for (let shift = 0; shift < 24; shift += 8) this.u8(value >>> shift);
  }
  u32(value: number): void {
    this.u24(value);
    this.u8(value >>> 24);
  }
  varint(value: number): void {
    for (; value > 0x7f; value >>>= 7) this.u8((value & 0x7f) | 0x80);
    this.u8(value);
  }
  highBytes(segment: Segment, terms: number): void {
    let high = 0;
    let bit = 0;
    for (let term = 0; term < terms; term++) {
      const next = hashAt(segment, term) >>> 24;
      bit += next - high;
      high = next;
      this.bytes[this.at + (bit >> 3)]! |= 1 << (bit & 7);
      bit++;
    }
    this.at += (bit + 7) >> 3;
  }
  posting(step: number, tf: number, last: boolean): void {
    const flag = last ? last_posting : 0;
    const near = (step << 3) | (tf - 1);
    if (near < far && tf <= 8) return this.u8(flag | near);
    this.u8(flag | Math.min(far + tf - 1, far_and_often));
    this.u8(step);
    if (far + tf - 1 >= far_and_often) this.u8(tf);
  }
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.at);
  }
}

class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.bytes[this.at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw damaged();
  }
  hashes(into: Uint32Array): void {
    const { bytes } = this;
    let bit = this.at << 3;
    let high = 0;
    for (let term = 0; term < into.length; term++, bit++) {
      for (; ((bytes[bit >> 3]! >> (bit & 7)) & 1) === 0; bit++) if (++high > 0xff) throw damaged();
      into[term] = high << 24;
    }
    let at = (bit + 7) >> 3;
    for (let term = 0; term < into.length; term++, at += 3)
      into[term]! |= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    this.at = at;
  }
  postings({ starts, postings }: SegmentColumns): void {
    const { bytes } = this;
    let { at } = this;
    let term = 1;
    let chunk = 0;
    for (let place = 0; place < postings.length; place++) {
      const byte = bytes[at++]!;
      const code = byte & 0x7f;
      chunk += code < far ? code >> 3 : bytes[at++]!;
      const tf = code < far ? (code & 7) + 1 : code < far_and_often ? code - far + 1 : bytes[at++]!;
      postings[place] = (chunk << 8) | tf;
      if (byte < last_posting) continue;
      starts[term++] = place + 1;
      chunk = 0;
    }
    if (at !== bytes.length || term !== starts.length) throw damaged();
  }
}
const damaged = (): RangeError => new RangeError("a segment of the index is damaged");
