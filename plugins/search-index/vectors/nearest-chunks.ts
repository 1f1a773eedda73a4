/** The chunks in scope whose vectors are most similar to that of a query; only positive cosines. */
import type { Hit } from "../ranking/bm25";
import { wholeQuery } from "./vector-block";
import { Comparison, type VectorMemory } from "./vector-memory";
import type { NearSegments, VectorReader } from "./vector-reader";
import type { QueryVector } from "./vector-math";
import type { Pauses } from "../workers/worker-protocol";

const none: ReadonlyMap<number, null> = new Map();

/** See `VectorReader.near`. */
type FindNearest = (
  query: Float32Array,
  segments: number,
) => Promise<NearSegments | null | undefined>;

/** Where the vectors are, and how many chunks are wanted. */
export interface NearestOptions {
  /** Of the same set. */
  readonly memory: VectorMemory;
  readonly reader: VectorReader;
  readonly limit: number;
  readonly pauses: Pauses;
  /**
   * Asks the database for the nearest ones, if it can: when there are more than memory can keep.
   */
  readonly near?: FindNearest | undefined;
  /** The nearest ones, if a search backend has found them. */
  readonly nearest?: NearSegments | undefined;
}

/** The most similar chunks, and what they were compared with. */
export interface NearestChunks {
  /** Best first. */
  readonly hits: Hit[];
  /** The number of chunks with vectors, and the mean of their cosines. */
  readonly compared: number;
  readonly mean: number;
  /** By the place of a segment: 1 when it has no vectors yet; empty: not known. */
  readonly without_vectors: Uint8Array;
  /** There are more than the memory can keep, and the database could not tell the nearest. */
  readonly is_beyond: boolean;
}

/** About this many segments are used to estimate what vectors have in common. */
const sample_segments = 256;
/** The database must know all but this many to be of use. */
const unknown_segments_max = 64;

/** `ids`: the segments, ascending; those without vectors of this set are skipped. */
export async function nearestChunks(
  ids: Float64Array,
  vector: QueryVector,
  options: NearestOptions,
): Promise<NearestChunks> {
  const {
    nearest = options.memory.hasRoomFor(ids.length)
      ? undefined
      : await options.near?.(vector.scale?.adjusted_query ?? vector.data, ids.length),
  } = options;
  return nearest
    ? nearestAmong(ids, vector, nearest, options)
    : { ...(await compareAll(ids, vector, options)), is_beyond: nearest === null };
}

/**
 * The database has found the nearest ones: these are compared, and a constant sample of others, to
 * estimate what all have in common.
 */
async function nearestAmong(
  ids: Float64Array,
  vector: QueryVector,
  { near, unknown }: NearSegments,
  options: NearestOptions,
): Promise<NearestChunks> {
  const sample = ids.filter((id) => shareOf(id) * ids.length < sample_segments);
  const { compared, mean } = await compareAll(sample, vector, { ...options, limit: 1 });
  const nearest_ids = new Set([...near, ...unknown]);
  const places: number[] = [];
  for (let place = 0; place < ids.length; place++)
    if (nearest_ids.has(ids[place]!)) places.push(place);
  const compared_ids = Float64Array.from(places, (place) => ids[place]!);
  const { hits } = await compareAll(compared_ids, vector, options);
  return {
    hits: hits.map((hit) => ({ ...hit, segment: places[hit.segment]! })),
    compared: Math.round((compared * ids.length) / Math.max(1, sample.length)),
    mean,
    without_vectors: new Uint8Array(0),
    is_beyond: unknown.length > unknown_segments_max,
  };
}

/** Pseudo-random from 0 to 1, and the same each time. */
const shareOf = (id: number): number => (Math.imul(id % 2 ** 32, 0x9e37_79b1) >>> 0) / 2 ** 32;

async function compareAll(
  ids: Float64Array,
  { set_id, data, scale }: QueryVector,
  { memory, reader, limit, pauses }: NearestOptions,
): Promise<Omit<NearestChunks, "is_beyond">> {
  const search = memory.beginSearch();
  const comparison = new Comparison(search, wholeQuery(scale?.adjusted_query ?? data), {
    limit,
    segments: ids.length,
  });
  try {
    const { mark, segment_ids } = await reader.vectorsSince(set_id, memory.mark);
    memory.mark = mark;
    memory.forgetAbsent(segment_ids);
    for (let start = 0; start < ids.length;) {
      const { end, missing } = memory.nextBatch(ids, start);
      const blocks =
        missing.length === 0 ? none : await reader.vectors(set_id, data.length, missing);
      // Another search may have evicted some meanwhile: then they are read.
      if (memory.compare(comparison, ids, { start, end }, blocks)) start = end;
      freeBlocks(blocks.values());
      if (pauses.due) await pauses.pause();
    }
  } finally {
    memory.endSearch(search);
  }
  const { compared, mean, without_vectors } = comparison;
  return { hits: comparison.top.sorted(), compared, mean, without_vectors };
}

/** Smaller blocks are left to the garbage collector. */
const collected_bytes = 1_000;
/**
 * Frees blocks at once: in a large scope they are hundreds of megabytes, which the garbage
 * collector would free late.
 */
function freeBlocks(blocks: Iterable<Uint8Array | null>): void {
  for (const block of blocks)
    if (block !== null && block.length > collected_bytes) (block.buffer as ArrayBuffer).transfer(0);
}
