/** The chunks in scope whose vectors are nearest to that of a query; only positive cosines. */
import type { Hit } from "./bm25";
import { wholeQuery } from "./vector-block";
import { Comparison, type VectorMemory } from "./vector-memory";
import type { NearSegments, VectorReader } from "./vector-reader";
import type { QueryVector } from "./vectors";
import type { Pauses } from "./worker-protocol";

const none: ReadonlyMap<number, null> = new Map();

/** As `VectorReader.near`. */
type NearestAsked = (
  query: Float32Array,
  segments: number,
) => Promise<NearSegments | null | undefined>;

export interface NearestOptions {
  /** Of the same set. */
  readonly memory: VectorMemory;
  readonly reader: VectorReader;
  readonly limit: number;
  readonly pauses: Pauses;
  /** Asks the database what is near, where it can tell: when there is more than memory holds. */
  readonly near?: NearestAsked | undefined;
  /** What is near, where somebody else has told already. */
  readonly found?: NearSegments | undefined;
}

export interface NearestChunks {
  /** Best first. */
  readonly hits: Hit[];
  /** Of the chunks that have vectors: how many, and the mean of their cosines. */
  readonly compared: number;
  readonly mean: number;
  /** There are more than the memory holds, and the database could not tell which are near. */
  readonly is_beyond: boolean;
}

/** By so many segments, or a little more, it is judged what vectors have in common. */
const judged_segments = 256;
/** That the database does not know of so many is as if it could not tell. */
const unknown_segments = 64;

/** `ids`: the segments, ascending; what has no vectors of this set is passed over. */
export async function nearestChunks(
  ids: Float64Array,
  vector: QueryVector,
  options: NearestOptions,
): Promise<NearestChunks> {
  const {
    found = options.memory.hasRoomFor(ids.length)
      ? undefined
      : await options.near?.(vector.scale?.own ?? vector.data, ids.length),
  } = options;
  return found
    ? nearestAmong(ids, vector, found, options)
    : { ...(await compareAll(ids, vector, options)), is_beyond: found === null };
}

/**
 * Where the database has found what is near: these are compared, and some others, which stay the
 * same ones, for what all have in common.
 */
async function nearestAmong(
  ids: Float64Array,
  vector: QueryVector,
  { near, unknown }: NearSegments,
  options: NearestOptions,
): Promise<NearestChunks> {
  const judged = ids.filter((id) => shareOf(id) * ids.length < judged_segments),
    { compared, mean } = await compareAll(judged, vector, { ...options, limit: 1 });
  const wanted = new Set([...near, ...unknown]),
    places: number[] = [];
  for (let place = 0; place < ids.length; place++) if (wanted.has(ids[place]!)) places.push(place);
  const some = Float64Array.from(places, (place) => ids[place]!),
    { hits } = await compareAll(some, vector, options);
  return {
    hits: hits.map((hit) => ({ ...hit, segment: places[hit.segment]! })),
    compared: Math.round((compared * ids.length) / Math.max(1, judged.length)),
    mean,
    is_beyond: unknown.length > unknown_segments,
  };
}

/** From 0 to 1, as if by chance, and the same each time. */
const shareOf = (id: number): number => (Math.imul(id % 2 ** 32, 0x9e37_79b1) >>> 0) / 2 ** 32;

async function compareAll(
  ids: Float64Array,
  { set_id, data, scale }: QueryVector,
  { memory, reader, limit, pauses }: NearestOptions,
): Promise<Omit<NearestChunks, "is_beyond">> {
  const search = memory.beginSearch(),
    comparison = new Comparison(search, wholeQuery(scale?.own ?? data), limit);
  try {
    const { mark, segment_ids } = await reader.vectorsSince(set_id, memory.mark);
    memory.mark = mark;
    memory.forgetAbsent(segment_ids);
    for (let start = 0; start < ids.length;) {
      const { end, missing } = memory.next(ids, start),
        blocks = missing.length === 0 ? none : await reader.vectors(set_id, data.length, missing);
      // Another search may have taken some away meanwhile: then they are read.
      if (memory.compare(comparison, ids, { start, end }, blocks)) start = end;
      giveBack(blocks.values());
      if (pauses.due) await pauses.pause();
    }
  } finally {
    memory.endSearch(search);
  }
  const { compared, mean } = comparison;
  return { hits: comparison.top.sorted(), compared, mean };
}

/** Smaller ones are the collector's own. */
const collected_bytes = 1_000;
/** What was read is hundreds of megabytes in a large scope, which the collector would see late. */
function giveBack(blocks: Iterable<Uint8Array | null>): void {
  for (const block of blocks)
    if (block !== null && block.length > collected_bytes) (block.buffer as ArrayBuffer).transfer(0);
}
