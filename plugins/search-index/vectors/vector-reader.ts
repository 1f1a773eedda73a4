/** Reads the vectors of segments for searches. */
import type { ReadConnection } from "../../../core/worker-sdk";
import { blockOfFloats, isBlockOf } from "./vector-block";

/** The latest vectors at some moment. */
export interface VectorMark {
  readonly id: number;
  readonly set_id: number;
  readonly segment_id: number;
}
/** Where searches read vectors from. */
export interface VectorReader {
  /**
   * The vectors of each segment in a set, as in `vector-block.ts`, with this length; null also
   * where there are none yet. The bytes belong to the caller.
   */
  vectors(
    set_id: number,
    dimensions: number,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, Uint8Array | null>>;
  /** Segments that have got vectors in a set since `mark`; null: too many to tell. */
  vectorsSince(
    set_id: number,
    mark: VectorMark | null,
  ): Promise<{ readonly mark: VectorMark; readonly segment_ids: readonly number[] | null }>;
  /**
   * Segments with the vectors most similar to a query, if the database can tell; null: it can't
   * yet; undefined: comparing all of them is faster. Inside a snapshot, which an error makes
   * unusable.
   */
  readonly near?: (request: NearRequest) => Promise<NearSegments | null | undefined>;
}
/** What the nearest segments are looked for with. */
export interface NearRequest {
  readonly set_id: number;
  readonly folder_ids: readonly string[];
  /** The number of segments in scope. */
  readonly segments: number;
  readonly query: Float32Array;
}
/** The segments with the vectors most similar to a query. */
export interface NearSegments {
  readonly near: readonly number[];
  /** Segments that it does not know yet. */
  readonly unknown: readonly number[];
}

/** Segments per statement, largest number first. */
const batch_sizes = [64, 8, 1] as const;
const listed_max = 1_000;

/** Reads them from the embedded database. */
export class SqliteVectorReader implements VectorReader {
  private readonly statements: ReturnType<typeof prepareAll>;

  constructor(connection: ReadConnection) {
    this.statements = prepareAll(connection);
  }

  async vectors(
    set_id: number,
    dimensions: number,
    ids: readonly number[],
  ): Promise<Map<number, Uint8Array | null>> {
    const { statements } = this;
    const blocks = new Map<number, Uint8Array | null>(ids.map((id) => [id, null]));
    for (let at = 0; at < ids.length;) {
      const remaining = ids.length - at;
      const size = batch_sizes.find(
        (size_option) => size_option <= remaining || (size_option === 8 && remaining > 1),
      )!;
      const batch = Array.from({ length: size }, (_, i) => ids[Math.min(at + i, ids.length - 1)]!);
      for (const row of statements.vectors_of[size].values(set_id, ...batch)) {
        const [id, data] = row as [number, Uint8Array];
        if (isBlockOf(data, dimensions)) blocks.set(id, data);
      }
      at += size;
    }
    if (statements.any_floats.values().length > 0)
      for (const id of ids) {
        if (blocks.get(id) !== null) continue;
        const row = statements.floats_of.values(set_id, id)[0];
        if (row) blocks.set(id, blockOfFloats(row[0] as Uint8Array, dimensions));
      }
    return blocks;
  }

  async vectorsSince(set_id: number, mark: VectorMark | null) {
    const { statements } = this;
    const newest = statements.last.get() ?? { id: 0, set_id: 0, segment_id: 0 };
    if (mark === null || !this.isThere(mark)) return { mark: newest, segment_ids: null };
    const rows = statements.since.values(mark.id, set_id, listed_max);
    return {
      mark: newest,
      segment_ids: rows.length === listed_max ? null : rows.map(([id]) => id as number),
    };
  }

  /** If so, later ones have larger ids: ids are reused only when the last ones are deleted. */
  private isThere({ id, set_id, segment_id }: VectorMark): boolean {
    const row = this.statements.at.get(id);
    return id === 0 || (row?.set_id === set_id && row.segment_id === segment_id);
  }
}

const prepareAll = (connection: ReadConnection) => {
  const vectorsOf = (count: number) =>
    connection.prepare<unknown, number[]>(
      "select segment_id, data from index_vectors where set_id = ? and segment_id in (" +
        `${Array(count).fill("?").join(", ")})`,
    );
  return {
    vectors_of: { 64: vectorsOf(64), 8: vectorsOf(8), 1: vectorsOf(1) },
    any_floats: connection.prepare<unknown, []>("select 1 from index_float_vectors limit 1"),
    floats_of: connection.prepare<unknown, [number, number]>(
      "select data from index_float_vectors where set_id = ? and segment_id = ?",
    ),
    last: connection.prepare<VectorMark, []>(
      "select id, set_id, segment_id from index_vectors order by id desc limit 1",
    ),
    at: connection.prepare<VectorMark, [number]>(
      "select id, set_id, segment_id from index_vectors where id = ?",
    ),
    since: connection.prepare<unknown, [number, number, number]>(
      "select segment_id from index_vectors where id > ? and set_id = ? order by id limit ?",
    ),
  };
};
