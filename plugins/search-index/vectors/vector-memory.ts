/**
 * Vectors of one set in memory, where the kernel compares them with a query: as many as fit the
 * limit stay there, in slabs; the rest of what a search needs passes through a separate area.
 */
import { TopHits, type Hit } from "../ranking/bm25";
import { vector_layout } from "../worker-contract";
import { hit_bytes, openKernel, totals_bytes, type Nearest } from "./nearest-kernel";
import { segment_chunks_max } from "../segments/segment";
import { blockBytes, strideOf, type WholeQuery } from "./vector-block";
import { absent, unknown, VectorDirectory } from "./vector-directory";
import type { VectorMark } from "./vector-reader";

const page_bytes = 65_536;
/** What WebAssembly can address, minus the other areas. */
const slabs_bytes_max = 3 * 2 ** 30;
/** A slab has space for at least two segments of the largest usual size. */
const slab_bytes_min = 2 ** 20;
const slab_rows_min = 2 * segment_chunks_max;
/** The minimum size of the area for blocks that are only passed through. */
const transit_bytes_min = 4 * 2 ** 20;
/** Segments compared per call, which is short because others are waiting. */
const batch_segments_max = 256;
const batch_bytes_max = 4 * 2 ** 20;
/** The intended and the maximum size of one read, whatever the size of segments. */
const read_bytes_target = 2 * 2 ** 20;
const read_bytes_max = 32 * 2 ** 20;
/** The number of latest blocks from which their size is estimated. */
const averaged_blocks = 100;
/** The maximum number of segments without vectors that are remembered. */
const directory_max = 4_000_000;

/** A search over segments that are compared a few at a time. */
export class Comparison {
  readonly top: TopHits<Hit>;
  /** The number of chunks with vectors, and the sum of their cosines. */
  compared = 0;
  sum = 0;
  /** By the place of a segment: 1 when it has no vectors. */
  readonly without_vectors: Uint8Array;
  /** `search`: from `VectorMemory.beginSearch`. */
  constructor(
    readonly search: number,
    readonly query: WholeQuery,
    { limit, segments }: { readonly limit: number; readonly segments: number },
  ) {
    this.without_vectors = new Uint8Array(segments);
    this.top = new TopHits(limit);
  }
  /** The mean of all cosines; 0 when there are none. */
  get mean(): number {
    return this.compared === 0 ? 0 : this.sum / this.compared;
  }
}

/** A part of the memory that is filled, and freed, as a whole. */
interface Slab {
  used_bytes: number;
  /** The number of the last search that needed something in it. */
  used_by: number;
}

/** Compares the vectors of segments with that of a query. */
export class VectorMemory {
  private readonly memory: WebAssembly.Memory;
  private readonly nearest: Nearest;
  private readonly directory = new VectorDirectory();
  private bytes: Uint8Array;
  private words: Uint32Array;

  /** Addresses of the kernel's input and output. */
  private readonly query_at = page_bytes;
  private readonly blocks_at: number;
  private readonly hits_at: number;
  private readonly transit_at: number;
  private readonly slabs_at: number;
  private readonly transit_bytes: number;

  private readonly slab_bytes: number;
  private readonly slabs: Slab[] = [];
  private readonly free: number[] = [];
  private filling = -1;
  private slabs_max: number;

  /** The latest vectors at the time when missing segments were last checked. */
  mark: VectorMark | null = null;
  private last_search = 0;
  /** Bytes for which there was no space, by search in progress. */
  private readonly missed = new Map<number, number>();
  /** The average size of recently read blocks. */
  private usual_bytes: number;
  private readonly places = new Uint32Array(batch_segments_max);
  private readonly segments = new Uint32Array(batch_segments_max);

  constructor(
    private readonly dimensions: number,
    bytes_max: number,
  ) {
    this.usual_bytes = blockBytes(segment_chunks_max, dimensions);
    this.slab_bytes = roundUp(Math.max(slab_bytes_min, blockBytes(slab_rows_min, dimensions)));
    this.slabs_max = Math.floor(Math.min(bytes_max, slabs_bytes_max) / this.slab_bytes);
    this.transit_bytes = roundUp(
      Math.max(transit_bytes_min, blockBytes(vector_layout.rows_max, dimensions)),
    );
    this.blocks_at = this.query_at + roundUp(2 * strideOf(dimensions));
    this.hits_at = this.blocks_at + roundUp(4 * batch_segments_max);
    this.transit_at =
      this.hits_at +
      roundUp(totals_bytes + batch_segments_max * vector_layout.rows_max * hit_bytes);
    this.slabs_at = this.transit_at + this.transit_bytes;
    // Untouched pages take no memory.
    this.memory = new WebAssembly.Memory({
      initial: this.slabs_at / page_bytes,
      maximum: (this.slabs_at + this.slabs_max * this.slab_bytes) / page_bytes,
    });
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Uint32Array(this.memory.buffer);
    this.nearest = openKernel(this.memory);
  }

  /** Returns the number of the search, for `endSearch`. */
  beginSearch(): number {
    this.missed.set(++this.last_search, 0);
    return this.last_search;
  }

  /**
   * Makes space for what it missed, by freeing what it did not need itself, least recently used
   * first.
   */
  endSearch(search: number): void {
    let missed_bytes = this.missed.get(search)!;
    this.missed.delete(search);
    const is_full = this.directory.size > directory_max;
    if (missed_bytes === 0 && !is_full) return;
    const unused = [...this.slabs.keys()]
      .filter((at) => this.slabs[at]!.used_bytes > 0 && this.slabs[at]!.used_by < search)
      .sort((one, other) => this.slabs[one]!.used_by - this.slabs[other]!.used_by);
    const freed = new Set<number>();
    for (const at of unused) {
      if (missed_bytes <= 0) break;
      missed_bytes -= this.slab_bytes;
      freed.add(at);
    }
    if (freed.size === 0 && !is_full) return;
    this.directory.rebuild((place) =>
      place === absent ? !is_full : !freed.has(this.slabOf(place)),
    );
    for (const at of freed) {
      this.slabs[at]!.used_bytes = 0;
      if (this.filling === at) this.filling = -1;
      this.free.push(at);
    }
  }

  /** Whether the vectors of this many segments may all stay here, as far as is known. */
  hasRoomFor(segments: number): boolean {
    return segments * this.usual_bytes <= this.slabs_max * this.slab_bytes;
  }

  /** These segments have vectors now; null: any may have. */
  forgetAbsent(segment_ids: readonly number[] | null): void {
    if (segment_ids === null) this.directory.rebuild((place) => place !== absent);
    else
      for (const id of segment_ids) {
        this.directory.fill(Float64Array.of(id), 0, 1, this.places);
        if (this.places[0] === absent) this.directory.set(id, unknown);
      }
  }

  /**
   * The next segments of `ids`, from `start` on: up to which index one call compares them, and
   * which of them have to be read for it.
   */
  nextBatch(
    ids: Float64Array,
    start: number,
  ): { readonly end: number; readonly missing: number[] } {
    const end_max = Math.min(ids.length, start + batch_segments_max);
    const missing: number[] = [];
    const missing_max = Math.min(
      read_bytes_target / this.usual_bytes,
      read_bytes_max / blockBytes(segment_chunks_max, this.dimensions),
    );
    this.directory.fill(ids, start, end_max, this.places);
    let end = start;
    for (let bytes = 0; end < end_max && bytes < batch_bytes_max; end++) {
      const place = this.places[end - start]!;
      if (place === absent) continue;
      if (place === unknown && missing.length > 0 && missing.length + 1 > missing_max) break;
      if (place === unknown) missing.push(ids[end]!);
      bytes += place === unknown ? this.usual_bytes : this.bytesAt(place);
    }
    return { end, missing };
  }

  /**
   * Compares the segments from `start` to `end`. `blocks`: those that were missing, in order; null
   * where there are none. False when others are missing now.
   */
  compare(
    comparison: Comparison,
    ids: Float64Array,
    { start, end }: { readonly start: number; readonly end: number },
    blocks: ReadonlyMap<number, Uint8Array | null>,
  ): boolean {
    const { search } = comparison;
    this.directory.fill(ids, start, end, this.places);
    const isPresent = (at: number): boolean =>
      this.places[at - start] !== unknown || blocks.has(ids[at]!);
    for (let at = start; at < end; at++) if (!isPresent(at)) return false;
    let count = 0;
    let transit_used = 0;
    const compareThese = (): void => {
      this.run(count, comparison);
      count = 0;
      transit_used = 0;
    };
    for (let at = start; at < end; at++) {
      let place = this.places[at - start]!;
      if (place === unknown) {
        const block = blocks.get(ids[at]!)!;
        place = block === null ? absent : this.store(search, block);
        if (place !== unknown) this.directory.set(ids[at]!, place);
        else {
          // Only for this call.
          if (transit_used + block!.length > this.transit_bytes) compareThese();
          place = this.transit_at + transit_used;
          this.write(block!, place);
          transit_used += block!.length;
        }
      } else if (place !== absent) this.slabs[this.slabOf(place)]!.used_by = search;
      if (place === absent) {
        comparison.without_vectors[at] = 1;
        continue;
      }
      this.words[this.blocks_at / 4 + count] = place;
      this.segments[count++] = at;
    }
    compareThese();
    return true;
  }

  /** Bytes of vectors in memory. */
  get held_bytes(): number {
    return this.slabs.reduce((sum, { used_bytes }) => sum + used_bytes, 0);
  }

  private run(count: number, comparison: Comparison): void {
    if (count === 0) return;
    const { blocks_at, query_at, hits_at, memory } = this;
    const { top, query } = comparison;
    new Int16Array(memory.buffer, query_at).set(query.numbers);
    const hits = this.nearest(blocks_at, count, query_at, query.scale, top.threshold, hits_at);
    const totals = new DataView(memory.buffer, hits_at, totals_bytes);
    const words = new Uint32Array(memory.buffer, hits_at + totals_bytes, (hits * hit_bytes) / 4);
    const scores = new Float32Array(memory.buffer, words.byteOffset, words.length);
    comparison.sum += totals.getFloat64(0, true);
    comparison.compared += totals.getUint32(8, true);
    for (let at = 0; at < words.length; at += 3) {
      const segment = this.segments[words[at]!]!;
      const chunk = words[at + 1]!;
      const score = scores[at + 2]!;
      if (top.admits(score, segment, chunk)) top.add({ segment, chunk, score, document_score: 0 });
    }
  }

  /** Where the block is kept; `unknown` when there is no space. */
  private store(search: number, block: Uint8Array): number {
    this.usual_bytes += (block.length - this.usual_bytes) / averaged_blocks;
    if (block.length > this.slab_bytes) return unknown;
    const slab = this.slabFor(block.length);
    if (slab < 0) {
      this.missed.set(search, this.missed.get(search)! + block.length);
      return unknown;
    }
    const place = this.slabs_at + slab * this.slab_bytes + this.slabs[slab]!.used_bytes;
    this.write(block, place);
    this.slabs[slab]!.used_bytes += block.length;
    this.slabs[slab]!.used_by = Math.max(search, this.slabs[slab]!.used_by);
    return place;
  }

  /** A slab with this much space; -1 when there is none. */
  private slabFor(bytes: number): number {
    if (this.filling >= 0 && this.slabs[this.filling]!.used_bytes + bytes <= this.slab_bytes)
      return this.filling;
    const next = this.free.pop() ?? this.grow();
    if (next >= 0) this.filling = next;
    return next;
  }
  private grow(): number {
    if (this.slabs.length === this.slabs_max) return -1;
    try {
      this.memory.grow(this.slab_bytes / page_bytes);
    } catch {
      // The machine has no more memory: the existing slabs have to suffice.
      this.slabs_max = this.slabs.length;
      return -1;
    }
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Uint32Array(this.memory.buffer);
    return this.slabs.push({ used_bytes: 0, used_by: 0 }) - 1;
  }

  private write(block: Uint8Array, place: number): void {
    this.bytes.set(block, place);
  }
  private bytesAt(place: number): number {
    return blockBytes(this.words[place / 4 + 1]!, this.dimensions);
  }
  private slabOf(place: number): number {
    return Math.floor((place - this.slabs_at) / this.slab_bytes);
  }
}

/** To whole pages. */
const roundUp = (bytes: number): number => Math.ceil(bytes / page_bytes) * page_bytes;
