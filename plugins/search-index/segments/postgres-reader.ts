/**
 * Reads the published segments from PostgreSQL: each request of a search is one round trip.
 * Whatever is read repeatedly is cached by the caller (segment-cache.ts, pack-directory.ts).
 */
import { batchesOf } from "../../../core/lib/batch";
import { readUnits } from "../../../core/lib/text-reader";
import type { PostgresReadSession } from "../../../core/worker-sdk";
import { firstPieceSql, piecesOfSession } from "../../texts/worker-contract";
import { ChunkPlaces } from "../chunks/chunk-places";
import { PackPart } from "./pack";
import type { Segment } from "./segment";
import type { ChunkKey, PublishedChunk, SegmentReader } from "./segment-reader";
import { fromStoredOrNull } from "./stored-segment";
import type { ChunkRow } from "../store";
import { blockOfFloats, isBlockOf } from "../vectors/vector-block";
import { nearSegments } from "../vectors/pgvector-reader";
import type { NearRequest, NearSegments, VectorMark, VectorReader } from "../vectors/vector-reader";

/** Rows per statement, by key. */
const rows_together = 256;
const listed_max = 1_000;

/**
 * Placeholders and values for `in`: padded to a power of two, so that few statements are prepared.
 */
function inList<V>(values: readonly V[]) {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  const filled = Array.from({ length }, (_, i) => values[Math.min(i, values.length - 1)]!);
  return { marks: Array(length).fill("?").join(", "), values: filled };
}

/** Rows by key, in any order. `sqlOf` makes the statement for a list of placeholders. */
async function byKey<Row>(
  session: PostgresReadSession,
  keys: readonly number[],
  sqlOf: (marks: string) => string,
  keyOf: (row: Row) => number,
  before: readonly unknown[] = [],
): Promise<Map<number, Row[]>> {
  const rows_by_key = new Map<number, Row[]>();
  for (const batch of batchesOf([...new Set(keys)], rows_together)) {
    const { marks, values } = inList(batch);
    for (const row of await session.all<Row>(sqlOf(marks), ...before, ...values)) {
      const rows = rows_by_key.get(keyOf(row));
      if (rows) rows.push(row);
      else rows_by_key.set(keyOf(row), [row]);
    }
  }
  return rows_by_key;
}

/** A separate copy, in which wider numbers can be read in place: rows share their memory. */
const aligned = (data: Uint8Array): Uint8Array => new Uint8Array(data);

interface Bytes {
  readonly id: number;
  readonly data: Uint8Array;
}
interface Places {
  readonly segment_id: number;
  readonly text_id: number;
  readonly places: Uint8Array;
  readonly first: string | null;
}
interface PublishedDocument {
  readonly segment_id: number;
  readonly document_id: string;
  readonly version: number;
  readonly title: string;
}

const places_sql = (marks: string): string =>
  "select s.id as segment_id, s.text_id, s.places, " +
  `case when s.in_first_piece = 1 then ${firstPieceSql("s.text_id")} end as first ` +
  `from index_segments s where s.id in (${marks}) and s.text_id is not null`;

/** The same as `SqliteSegmentReader`, with fewer and larger reads. */
export class PostgresSegmentReader implements SegmentReader {
  readonly vectors: VectorReader;
  /** The database's description of its state, and the number that stands for it. */
  private moment = "";
  private number = 0;

  constructor(private readonly session: PostgresReadSession) {
    this.vectors = new PostgresVectorReader(session);
  }

  beginSnapshot(): Promise<() => void> {
    return this.session.beginSnapshot();
  }

  async version(): Promise<number> {
    const moment = await this.session.version();
    if (moment !== this.moment) {
      this.moment = moment;
      this.number++;
    }
    return this.number;
  }

  async segmentIds(folder_id: string, after: number, limit: number): Promise<Float64Array> {
    const rows = await this.session.all<{ segment_id: number }>(
      "select segment_id from index_scope where folder_id = ? and segment_id > ? " +
        "order by segment_id limit ?",
      folder_id,
      after,
      limit,
    );
    return Float64Array.from(rows, (row) => row.segment_id);
  }

  async allSegmentIds(folder_ids: readonly string[], limit: number): Promise<Float64Array | null> {
    const rows = await this.session.all<{ segment_id: number }>(
      "select segment_id from index_scope where folder_id = any(string_to_array(?, ' ')) limit ?",
      folder_ids.join(" "),
      limit + 1,
    );
    return rows.length > limit ? null : Float64Array.from(rows, (row) => row.segment_id);
  }

  async segmentIdsOf(document_id: string): Promise<number[]> {
    const rows = await this.session.all<{ id: number }>(
      "select s.id from index_documents d join index_segments s on s.edition = d.edition where " +
        "d.document_id = ? order by s.id",
      document_id,
    );
    return rows.map(({ id }) => id);
  }

  async segments(ids: readonly number[]): Promise<(Segment | null)[]> {
    const data_by_id = await this.bytes(ids, "select id, data from index_segments where id in");
    return ids.map((id) =>
      data_by_id.has(id) ? fromStoredOrNull(aligned(data_by_id.get(id)!)) : null,
    );
  }

  async packIds(owner_id: string): Promise<number[]> {
    const rows = await this.session.all<{ id: number }>(
      "select id from index_packs where owner_id = ? order by id",
      owner_id,
    );
    return rows.map(({ id }) => id);
  }

  async packHeads(ids: readonly number[]): Promise<(Uint8Array | null)[]> {
    const heads_by_id = await this.bytes(
      ids,
      "select id, head as data from index_packs where id in",
    );
    return ids.map((id) => (heads_by_id.has(id) ? aligned(heads_by_id.get(id)!) : null));
  }

  async packParts(pack_id: number, parts: readonly number[]): Promise<(PackPart | null)[]> {
    const rows_by_part = await byKey<{ part: number; data: Uint8Array }>(
      this.session,
      parts,
      (marks) => `select part, data from index_pack_parts where pack_id = ? and part in (${marks})`,
      ({ part }) => part,
      [pack_id],
    );
    return parts.map((part) => {
      const data = rows_by_part.get(part)?.[0]?.data;
      return data === undefined ? null : new PackPart(aligned(data));
    });
  }

  async texts(keys: readonly ChunkKey[]): Promise<(string | null)[]> {
    const chunks = await this.placedChunks(keys);
    return chunks.map((chunk) => chunk?.text ?? null);
  }

  async pages(keys: readonly ChunkKey[]): Promise<(number | null)[]> {
    const ids = keys.map(({ segment_id }) => segment_id);
    const places = await this.bytes(
      ids,
      "select id, places as data from index_segments where text_id is not null and id in",
    );
    const rows = await this.ownChunks(ids.filter((id) => !places.has(id)));
    return keys.map(({ segment_id, ordinal }) => {
      const data = places.get(segment_id);
      if (data !== undefined) return new ChunkPlaces(data).find(ordinal)?.page ?? null;
      return rows.get(segment_id)?.find((chunk) => chunk.ordinal === ordinal)?.page ?? null;
    });
  }

  async chunks(keys: readonly ChunkKey[]): Promise<(PublishedChunk | null)[]> {
    const ids = keys.map(({ segment_id }) => segment_id);
    const [chunks, documents, folders] = await Promise.all([
      this.placedChunks(keys),
      byKey<PublishedDocument>(
        this.session,
        ids,
        (marks) =>
          "select s.id as segment_id, d.document_id, d.version, d.title from index_segments s " +
          `join index_documents d on d.document_id = s.document_id where s.id in (${marks})`,
        ({ segment_id }) => segment_id,
      ),
      byKey<{ folder_id: string; segment_id: number }>(
        this.session,
        ids,
        (marks) =>
          "select segment_id, folder_id from index_scope " +
          `where segment_id in (${marks}) order by folder_id`,
        ({ segment_id }) => segment_id,
      ),
    ]);
    return keys.map(({ segment_id }, i) => {
      const chunk = chunks[i] ?? null;
      const document = documents.get(segment_id)?.[0];
      const folder_ids = (folders.get(segment_id) ?? []).map(({ folder_id }) => folder_id);
      if (chunk === null || document === undefined) return null;
      const { document_id, version, title } = document;
      return { chunk, document: { document_id, version, title }, folder_ids };
    });
  }

  private async bytes(ids: readonly number[], select: string): Promise<Map<number, Uint8Array>> {
    const rows_by_id = await byKey<Bytes>(
      this.session,
      ids,
      (marks) => `${select} (${marks})`,
      ({ id }) => id,
    );
    return new Map([...rows_by_id].map(([id, [row]]) => [id, row!.data]));
  }

  /** Chunks of earlier versions, whose text the index stores itself, by segment. */
  private async ownChunks(ids: readonly number[]): Promise<ReadonlyMap<number, ChunkRow[]>> {
    return ids.length === 0
      ? new Map<number, ChunkRow[]>()
      : byKey<ChunkRow>(
          this.session,
          ids,
          (marks) => `select * from index_chunks where segment_id in (${marks})`,
          ({ segment_id }) => segment_id,
        );
  }

  /**
   * Chunks whose text is stored elsewhere, and those of earlier versions, which the index stores
   * itself.
   */
  private async placedChunks(
    keys: readonly ChunkKey[],
  ): Promise<(PublishedChunk["chunk"] | null)[]> {
    const ids = keys.map(({ segment_id }) => segment_id);
    const places = await byKey<Places>(
      this.session,
      ids,
      places_sql,
      ({ segment_id }) => segment_id,
    );
    const rows = await this.ownChunks(ids.filter((id) => !places.has(id)));
    return Promise.all(
      keys.map(async ({ segment_id, ordinal }) => {
        const row = places.get(segment_id)?.[0];
        if (row === undefined)
          return rows.get(segment_id)?.find((chunk) => chunk.ordinal === ordinal) ?? null;
        const place = new ChunkPlaces(row.places).find(ordinal);
        if (place === null) return null;
        const { start_point, end_point, ...position } = place;
        const text =
          row.first === null
            ? await readUnits(piecesOfSession(this.session), row.text_id, place.start, place.end)
            : row.first.slice(place.start, place.end);
        return text === undefined
          ? null
          : { ...position, first_point: start_point, end_point, text };
      }),
    );
  }
}

class PostgresVectorReader implements VectorReader {
  constructor(private readonly session: PostgresReadSession) {}

  readonly near = (request: NearRequest): Promise<NearSegments | null | undefined> =>
    nearSegments(this.session, request);

  async vectors(
    set_id: number,
    dimensions: number,
    ids: readonly number[],
  ): Promise<Map<number, Uint8Array | null>> {
    const blocks = new Map<number, Uint8Array | null>(ids.map((id) => [id, null]));
    const select = (table: string) => (marks: string) =>
      `select segment_id as id, data from ${table} where set_id = ? and segment_id in (${marks})`;
    const rowsIn = (table: string, segment_ids: readonly number[]) =>
      byKey<Bytes>(this.session, segment_ids, select(table), ({ id }) => id, [set_id]);
    for (const [id, [row]] of await rowsIn("index_vectors", ids))
      if (isBlockOf(row!.data, dimensions)) blocks.set(id, aligned(row!.data));
    const missing = ids.filter((id) => blocks.get(id) === null);
    if (missing.length > 0)
      for (const [id, [row]] of await rowsIn("index_float_vectors", missing))
        blocks.set(id, blockOfFloats(row!.data, dimensions));
    return blocks;
  }

  async vectorsSince(set_id: number, mark: VectorMark | null) {
    const [newest] = await this.session.all<VectorMark>(
      "select id, set_id, segment_id from index_vectors order by id desc limit 1",
    );
    const last = newest ?? { id: 0, set_id: 0, segment_id: 0 };
    if (mark === null || !(await this.isThere(mark))) return { mark: last, segment_ids: null };
    const rows = await this.session.all<{ segment_id: number }>(
      "select segment_id from index_vectors where id > ? and set_id = ? order by id limit ?",
      mark.id,
      set_id,
      listed_max,
    );
    return {
      mark: last,
      segment_ids: rows.length === listed_max ? null : rows.map(({ segment_id }) => segment_id),
    };
  }

  /** If so, later ones have larger ids: ids are reused only when the last ones are deleted. */
  private async isThere({ id, set_id, segment_id }: VectorMark): Promise<boolean> {
    if (id === 0) return true;
    const [row] = await this.session.all<VectorMark>(
      "select id, set_id, segment_id from index_vectors where id = ?",
      id,
    );
    return row?.set_id === set_id && row.segment_id === segment_id;
  }
}
