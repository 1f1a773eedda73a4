/**
 * The source of a search's data. `SegmentReader` abstracts from where published segments are
 * stored; `SqliteSegmentReader` reads them from the tables of the index.
 */
import { readUnits, type ReadPieces } from "../../../core/lib/text-reader";
import type { ReadConnection } from "../../../core/worker-sdk";
import { firstPieceSql, piecesOfConnection } from "../../texts/worker-contract";
import { ChunkPlaces, type ChunkPlace } from "../chunks/chunk-places";
import { PackPart } from "./pack";
import type { Segment } from "./segment";
import { fromStoredOrNull } from "./stored-segment";
import { RecentTexts, type SegmentText } from "./recent-texts";
import type { ChunkRow, DocumentRow } from "../store";
import { SqliteVectorReader, type VectorReader } from "../vectors/vector-reader";

/** Identifies a chunk: the id of its segment, and its index among the chunks of that segment. */
export interface ChunkKey {
  readonly segment_id: number;
  readonly ordinal: number;
}
/** A chunk with the properties of its document for a passage. */
export interface PublishedChunk {
  readonly document: Pick<DocumentRow, "document_id" | "version" | "title">;
  readonly chunk: Omit<ChunkRow, "segment_id" | "ordinal">;
  /** Every folder in which the document is found. */
  readonly folder_ids: readonly string[];
}

/** Results are in the order of the arguments; null for what is deleted. */
export interface SegmentReader {
  /** Until the returned function is called, everything is read from one snapshot. */
  beginSnapshot(): Promise<() => void>;
  /** Changes whenever anything may have been written since the last call. */
  version(): Promise<number>;
  /** Ids of the segments in this folder above `after`, ascending: the first `limit`. */
  segmentIds(folder_id: string, after: number, limit: number): Promise<Float64Array>;
  /**
   * Ids of all segments in these folders, at most `folders_read_max`; in no order and with
   * repetitions. Null when there are more than `limit`.
   */
  allSegmentIds(folder_ids: readonly string[], limit: number): Promise<Float64Array | null>;
  /** Ids of the published segments of a document. */
  segmentIdsOf(document_id: string): Promise<number[]>;
  segments(ids: readonly number[]): Promise<(Segment | null)[]>;
  /** Ids of the packs of an owner, ascending. */
  packIds(owner_id: string): Promise<number[]>;
  /** Aligned to eight bytes. */
  packHeads(ids: readonly number[]): Promise<(Uint8Array | null)[]>;
  packParts(pack_id: number, parts: readonly number[]): Promise<(PackPart | null)[]>;
  readonly vectors: VectorReader;
  /** The text of each chunk; null also for what is damaged. */
  texts(keys: readonly ChunkKey[]): Promise<(string | null)[]>;
  /** The page on which each chunk begins. */
  pages(keys: readonly ChunkKey[]): Promise<(number | null)[]>;
  chunks(keys: readonly ChunkKey[]): Promise<(PublishedChunk | null)[]>;
}

/** Folders whose segments are listed in one read. */
export const folders_read_max = 256;
const folder_marks = Array(folders_read_max).fill("?").join(", ");

/** The size of the cache for texts that were read a moment ago. */
const recent_bytes_max = 8 * 2 ** 20;

/** Prepared statements on a connection of its own. */
export class SqliteSegmentReader implements SegmentReader {
  private readonly statements: ReturnType<typeof prepareAll>;
  private readonly pieces: ReadPieces;
  /** Used only within snapshots, during which nothing changes. */
  private readonly recent_texts = new RecentTexts(recent_bytes_max);
  private in_snapshot = false;
  readonly vectors: VectorReader;

  constructor(private readonly connection: ReadConnection) {
    this.statements = prepareAll(connection);
    this.pieces = piecesOfConnection(connection);
    this.vectors = new SqliteVectorReader(connection);
  }

  async beginSnapshot(): Promise<() => void> {
    const end = await this.connection.beginSnapshot();
    this.recent_texts.beginAt(this.connection.version());
    this.in_snapshot = true;
    return () => {
      this.in_snapshot = false;
      end();
    };
  }

  async version(): Promise<number> {
    return this.connection.version();
  }

  async segmentIds(folder_id: string, after: number, limit: number): Promise<Float64Array> {
    const rows = this.statements.ids_of_folder.values(folder_id, after, limit);
    return Float64Array.from(rows, (row) => row[0] as number);
  }

  async allSegmentIds(folder_ids: readonly string[], limit: number): Promise<Float64Array | null> {
    const ids = Array.from({ length: folders_read_max }, (_, at) => folder_ids[at] ?? "");
    const rows = this.statements.ids_of_folders.values(...ids, limit + 1);
    return rows.length > limit ? null : Float64Array.from(rows, (row) => row[0] as number);
  }

  async segmentIdsOf(document_id: string): Promise<number[]> {
    return this.statements.ids_of_document.values(document_id).map((row) => row[0] as number);
  }

  async segments(ids: readonly number[]): Promise<(Segment | null)[]> {
    return ids.map((id) => {
      const data = bytesOf(this.statements.segment.values(id), 4);
      return data && fromStoredOrNull(data);
    });
  }

  async packIds(owner_id: string): Promise<number[]> {
    return this.statements.packs_of_owner.values(owner_id).map((row) => row[0] as number);
  }

  async packHeads(ids: readonly number[]): Promise<(Uint8Array | null)[]> {
    return ids.map((id) => bytesOf(this.statements.pack_head.values(id), 8));
  }

  async packParts(pack_id: number, parts: readonly number[]): Promise<(PackPart | null)[]> {
    return parts.map((part) => {
      const data = bytesOf(this.statements.pack_part.values(pack_id, part), 4);
      return data && new PackPart(data);
    });
  }

  async texts(keys: readonly ChunkKey[]): Promise<(string | null)[]> {
    const texts: (string | null)[] = [];
    for (const key of keys) {
      const stored = this.storedChunk(key);
      if (stored !== undefined) texts.push(stored && (await this.textOf(stored)));
      else {
        const row = this.statements.text.values(key.segment_id, key.ordinal)[0];
        texts.push(row === undefined ? null : (row[0] as string));
      }
    }
    return texts;
  }

  async pages(keys: readonly ChunkKey[]): Promise<(number | null)[]> {
    return keys.map((key) => {
      const stored = this.storedChunk(key);
      if (stored !== undefined) return stored?.place.page ?? null;
      const row = this.statements.page.values(key.segment_id, key.ordinal)[0];
      return row === undefined ? null : (row[0] as number | null);
    });
  }

  async chunks(keys: readonly ChunkKey[]): Promise<(PublishedChunk | null)[]> {
    const chunks: (PublishedChunk | null)[] = [];
    for (const key of keys) {
      const { segment_id } = key;
      const chunk = await this.chunkOf(key);
      const document = this.statements.document.get(segment_id);
      const folder_ids = this.statements.folders.values(segment_id).map((row) => row[0] as string);
      chunks.push(chunk && document && { chunk, document, folder_ids });
    }
    return chunks;
  }

  private async chunkOf(key: ChunkKey): Promise<PublishedChunk["chunk"] | null> {
    const stored = this.storedChunk(key);
    if (stored === undefined) return this.statements.chunk.get(key.segment_id, key.ordinal);
    if (stored === null) return null;
    const { start_point, end_point, ...place } = stored.place;
    const text = await this.textOf(stored);
    return text === null ? null : { ...place, first_point: start_point, end_point, text };
  }

  /** Undefined where the index stores the text itself; null when its place is damaged. */
  private storedChunk({ segment_id, ordinal }: ChunkKey): StoredChunk | null | undefined {
    const segment_text = this.in_snapshot
      ? this.recent_texts.get(segment_id, this.readText)
      : this.readText(segment_id);
    if (segment_text === undefined) return undefined;
    const { text_id, places, first } = segment_text;
    const place = new ChunkPlaces(places).find(ordinal);
    if (place === null) return null;
    return { text_id, place, text: first === null ? null : first.slice(place.start, place.end) };
  }
  private readonly readText = (segment_id: number): SegmentText | undefined => {
    const row = this.statements.places.values(segment_id)[0];
    if (row === undefined) return undefined;
    const [text_id, places, first] = row as [number, Uint8Array, string | null];
    return { text_id, places, first };
  };
  private async textOf({ text_id, place, text }: StoredChunk): Promise<string | null> {
    return text ?? (await readUnits(this.pieces, text_id, place.start, place.end)) ?? null;
  }
}

/** A chunk whose text is stored elsewhere. */
interface StoredChunk {
  readonly text_id: number;
  readonly place: ChunkPlace;
  /** Null when it has to be read. */
  readonly text: string | null;
}

const prepareAll = (connection: ReadConnection) => ({
  ids_of_folder: connection.prepare<unknown, [string, number, number]>(
    "select segment_id from index_scope where folder_id = ? and segment_id > ? " +
      "order by segment_id limit ?",
  ),
  ids_of_folders: connection.prepare<unknown, (string | number)[]>(
    `select segment_id from index_scope where folder_id in (${folder_marks}) limit ?`,
  ),
  ids_of_document: connection.prepare<unknown, [string]>(
    "select s.id from index_documents d join index_segments s on s.edition = d.edition where " +
      "d.document_id = ?",
  ),
  segment: connection.prepare<unknown, [number]>("select data from index_segments where id = ?"),
  packs_of_owner: connection.prepare<unknown, [string]>(
    "select id from index_packs where owner_id = ? order by id",
  ),
  pack_head: connection.prepare<unknown, [number]>("select head from index_packs where id = ?"),
  pack_part: connection.prepare<unknown, [number, number]>(
    "select data from index_pack_parts where pack_id = ? and part = ?",
  ),
  places: connection.prepare<unknown, [number]>(
    "select s.text_id, s.places, " +
      `case when s.in_first_piece = 1 then ${firstPieceSql("s.text_id")} end ` +
      "from index_segments s where s.id = ? and s.text_id is not null",
  ),
  text: connection.prepare<unknown, [number, number]>(
    "select text from index_chunks where segment_id = ? and ordinal = ?",
  ),
  page: connection.prepare<unknown, [number, number]>(
    "select page from index_chunks where segment_id = ? and ordinal = ?",
  ),
  chunk: connection.prepare<ChunkRow, [number, number]>(
    "select * from index_chunks where segment_id = ? and ordinal = ?",
  ),
  document: connection.prepare<PublishedChunk["document"], [number]>(
    "select d.document_id, d.version, d.title from index_segments s join index_documents d on " +
      "d.document_id = s.document_id where s.id = ?",
  ),
  folders: connection.prepare<unknown, [number]>(
    "select folder_id from index_scope where segment_id = ?",
  ),
});

/**
 * The bytes of the first row, if there is one, aligned so that wider numbers can be read in place.
 */
function bytesOf(rows: readonly (readonly unknown[])[], alignment: 4 | 8): Uint8Array | null {
  const data = rows[0]?.[0] as Uint8Array | undefined;
  if (data === undefined) return null;
  return data.byteOffset % alignment === 0 ? data : data.slice();
}
