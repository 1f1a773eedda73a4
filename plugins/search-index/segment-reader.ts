/**
 * Where a search reads from. Whatever holds the published segments stands behind `SegmentReader`;
 * `SqliteSegmentReader` reads them from the tables of the index.
 */
import type { ReadStatement, ReadConnection } from "../../core/sdk";
import type { Segment } from "./segment";
import type { ChunkRow, DocumentRow } from "./store";

/** Names a chunk: the id of its segment, and its place among the chunks of that segment. */
export interface ChunkKey {
  readonly segment_id: number;
  readonly ordinal: number;
}
/** A chunk with what a passage says of its document. */
export interface PublishedChunk {
  readonly document: Pick<DocumentRow, "document_id" | "version" | "title">;
  readonly chunk: ChunkRow;
  /** Every folder in which the document is found. */
  readonly folder_ids: readonly string[];
}

/** Results come in the order of the arguments. */
export interface SegmentReader {
  /** Everything that `work` reads belongs to one moment. */
  snapshot<R>(work: () => Promise<R>): Promise<R>;
  /**
   * Ids of the segments in these folders, each once, ascending; only those of `document_ids` when
   * given.
   */
  segmentIds(
    folder_ids: readonly string[],
    document_ids: readonly string[] | undefined,
  ): Promise<Float64Array>;
  segments(ids: readonly number[]): Promise<Segment[]>;
  /** The vectors of each segment in a set; null where there are none (yet). */
  vectors(set_id: number, ids: readonly number[]): Promise<(Float32Array | null)[]>;
  /** The text of each chunk. */
  texts(keys: readonly ChunkKey[]): Promise<string[]>;
  chunks(keys: readonly ChunkKey[]): Promise<PublishedChunk[]>;
}

/** Prepared statements on a connection of its own. */
export class SqliteSegmentReader implements SegmentReader {
  private readonly ids_of_folder: ReadStatement<unknown, [string]>;
  private readonly ids_of_document: ReadStatement<unknown, [string]>;
  private readonly segment: ReadStatement<unknown, [number]>;
  private readonly vectors_of_segment: ReadStatement<unknown, [number, number]>;
  private readonly text: ReadStatement<unknown, [number, number]>;
  private readonly chunk: ReadStatement<ChunkRow, [number, number]>;
  private readonly document: ReadStatement<PublishedChunk["document"], [number]>;
  private readonly folders: ReadStatement<unknown, [number]>;

  constructor(private readonly connection: ReadConnection) {
    this.ids_of_folder = connection.prepare(
      "select segment_id from index_scope where folder_id = ? order by segment_id",
    );
    this.ids_of_document = connection.prepare(
      "select s.id from index_documents d join index_segments s on s.edition = d.edition where " +
        "d.document_id = ?",
    );
    this.segment = connection.prepare("select data from index_segments where id = ?");
    this.vectors_of_segment = connection.prepare(
      "select data from index_vectors where set_id = ? and segment_id = ?",
    );
    this.text = connection.prepare(
      "select text from index_chunks where segment_id = ? and ordinal = ?",
    );
    this.chunk = connection.prepare(
      "select * from index_chunks where segment_id = ? and ordinal = ?",
    );
    this.document = connection.prepare(
      "select d.document_id, d.version, d.title from index_segments s join index_documents d on " +
        "d.document_id = s.document_id where s.id = ?",
    );
    this.folders = connection.prepare("select folder_id from index_scope where segment_id = ?");
  }

  snapshot<R>(work: () => Promise<R>): Promise<R> {
    return this.connection.snapshot(work);
  }

  async segmentIds(
    folder_ids: readonly string[],
    document_ids: readonly string[] | undefined,
  ): Promise<Float64Array> {
    const ids: number[] = [];
    for (const folder_id of folder_ids)
      for (const row of this.ids_of_folder.values(folder_id)) ids.push(row[0] as number);
    const sorted = Float64Array.from(ids);
    const scope = folder_ids.length > 1 ? withoutRepeats(sorted.sort()) : sorted;
    if (document_ids === undefined) return scope;
    const wanted = new Set(
      document_ids.flatMap((id) => this.ids_of_document.values(id).map((row) => row[0] as number)),
    );
    return scope.filter((id) => wanted.has(id));
  }

  async segments(ids: readonly number[]): Promise<Segment[]> {
    return ids.map((id) => {
      const data = aligned(this.segment.values(id)[0]![0] as Uint8Array);
      return new Uint32Array(data.buffer, data.byteOffset, data.byteLength >>> 2);
    });
  }

  async vectors(set_id: number, ids: readonly number[]): Promise<(Float32Array | null)[]> {
    return ids.map((id) => {
      const row = this.vectors_of_segment.values(set_id, id)[0];
      if (row === undefined) return null;
      const data = aligned(row[0] as Uint8Array);
      return new Float32Array(data.buffer, data.byteOffset, data.byteLength >>> 2);
    });
  }

  async texts(keys: readonly ChunkKey[]): Promise<string[]> {
    return keys.map((key) => this.text.values(key.segment_id, key.ordinal)[0]![0] as string);
  }

  async chunks(keys: readonly ChunkKey[]): Promise<PublishedChunk[]> {
    return keys.map(({ segment_id, ordinal }) => ({
      document: this.document.get(segment_id)!,
      chunk: this.chunk.get(segment_id, ordinal)!,
      folder_ids: this.folders.values(segment_id).map((row) => row[0] as string),
    }));
  }
}

/** Bytes that 32-bit numbers can be read from in place. */
const aligned = (data: Uint8Array): Uint8Array => (data.byteOffset % 4 === 0 ? data : data.slice());

function withoutRepeats(sorted: Float64Array): Float64Array {
  let kept = 0;
  for (const id of sorted) if (kept === 0 || sorted[kept - 1] !== id) sorted[kept++] = id;
  return sorted.subarray(0, kept);
}
