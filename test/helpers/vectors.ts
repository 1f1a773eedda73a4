/** Vectors of segments in memory, searched as the index searches those of a database. */
import type { Hit } from "../../plugins/search-index/ranking/bm25";
import { nearestChunks } from "../../plugins/search-index/vectors/nearest-chunks";
import { VectorMemory } from "../../plugins/search-index/vectors/vector-memory";
import type { VectorMark, VectorReader } from "../../plugins/search-index/vectors/vector-reader";
import { no_pauses, type Pauses } from "../../plugins/search-index/workers/worker-protocol";

/** A store of vectors that records reads. */
export function vectorsInMemory(blocks: Readonly<Record<number, Uint8Array>>) {
  const stored = new Map(Object.entries(blocks).map(([id, block]) => [Number(id), block]));
  /** Segments in the order in which they got vectors. */
  const added = [...stored.keys()];
  const store = {
    /** Segments that were requested, in order. */
    requested_ids: [] as number[],
    add(id: number, block: Uint8Array): void {
      stored.set(id, block);
      added.push(id);
    },
    reader: {
      async vectors(_set_id, _dimensions, ids) {
        store.requested_ids.push(...ids);
        return new Map(ids.map((id) => [id, stored.get(id)?.slice() ?? null]));
      },
      async vectorsSince(set_id, mark) {
        const segment_ids = mark === null ? null : added.slice(mark.id);
        const last: VectorMark = { id: added.length, set_id, segment_id: 0 };
        return { mark: last, segment_ids };
      },
    } satisfies VectorReader as VectorReader,
    ids: () => Float64Array.from(stored.keys()).sort(),
  };
  return store;
}

/** The nearest chunks among `ids`; default: all. */
export const nearestOf = (
  { ids: all, reader }: ReturnType<typeof vectorsInMemory>,
  query: Float32Array,
  limit: number,
  ids: Float64Array = all(),
  memory = new VectorMemory(query.length, 2 ** 24),
  pauses: Pauses = no_pauses,
): Promise<Hit[]> =>
  nearestChunks(ids, { set_id: 1, data: query }, { memory, reader, limit, pauses }).then(
    ({ hits }) => hits,
  );
