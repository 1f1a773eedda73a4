/** The chunks in scope whose vectors are nearest to that of a query; only positive cosines. */
import type { Hit } from "./bm25";
import { wholeQuery } from "./vector-block";
import { Comparison, type VectorMemory } from "./vector-memory";
import type { VectorReader } from "./vector-reader";
import type { QueryVector } from "./vectors";
import type { Pauses } from "./worker-protocol";

const none: ReadonlyMap<number, null> = new Map();

export interface NearestOptions {
  /** Of the same set. */
  readonly memory: VectorMemory;
  readonly reader: VectorReader;
  readonly limit: number;
  readonly pauses: Pauses;
}

export interface NearestChunks {
  /** Best first. */
  readonly hits: Hit[];
  /** Of the chunks that have vectors: how many, and the mean of their cosines. */
  readonly compared: number;
  readonly mean: number;
}

/** `ids`: the segments, ascending; what has no vectors of this set is passed over. */
export async function nearestChunks(
  ids: Float64Array,
  { set_id, data, scale }: QueryVector,
  { memory, reader, limit, pauses }: NearestOptions,
): Promise<NearestChunks> {
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
