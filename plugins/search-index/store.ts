/**
 * Every SQL statement that writes the index, and the reads of its maintenance; vectors have a file
 * of their own. The database is the first parameter, so that the caller decides the transaction.
 */
import { batchesOf } from "../../core/lib/batch";
import { nextTurn } from "../../core/lib/chunked-work";
import { insertRows, prepared, preparedFirst, sql, toNumber, type Db } from "../../core/sdk";

/** The published index of a document. */
export interface DocumentRow {
  readonly document_id: string;
  /** The published index version: the id of its first segment. */
  readonly edition: number;
  readonly version: number;
  readonly title: string;
  readonly analyzer: number;
  readonly chunker: number;
  readonly chunks: number;
  /** JSON: the heading spans marked in the document; null when there are none. */
  readonly headings: string | null;
  /** JSON: when the text is spoken in a recording; null when it is not a recording. */
  readonly times: string | null;
  readonly owner_id: string;
}
/** The positions of a segment's chunks in a text that is stored elsewhere: chunk-places.ts. */
export interface StoredPlaces {
  readonly text_id: number;
  /** 1 when all are in its first piece, which is then read with them. */
  readonly in_first_piece: 0 | 1;
  readonly places: Uint8Array;
}
type OrNull<T> = { readonly [K in keyof T]: T[K] | null };
/** A segment in its stored form; without places where its chunks contain their text. */
export interface SegmentRow extends OrNull<StoredPlaces> {
  readonly id: number;
  /** The index version that it belongs to. */
  readonly edition: number;
  readonly document_id: string;
  readonly data: Uint8Array;
}
/** A chunk of a document whose text the index stores itself. */
export interface ChunkRow {
  readonly segment_id: number;
  readonly ordinal: number;
  /** Code points into the document's content. */
  readonly first_point: number;
  readonly end_point: number;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly heading: string | null;
  /** Seconds into a recording. */
  readonly time_start: number | null;
  readonly time_end: number | null;
  /** The chunk and the white space after it. */
  readonly text: string;
}
/** An unpublished index version: it will be published, or waits to be deleted. */
export interface StagedRow {
  readonly edition: number;
  readonly document_id: string;
  /** The process that may still publish it; empty when none will. */
  readonly node: string;
}
export interface IndexTables {
  index_documents: DocumentRow;
  index_staged: StagedRow;
  index_segments: SegmentRow;
  index_chunks: ChunkRow;
  index_scope: { readonly folder_id: string; readonly segment_id: number };
  index_packs: { readonly id: number; readonly owner_id: string; readonly head: Uint8Array };
  index_pack_parts: {
    readonly pack_id: number;
    readonly part: number;
    readonly data: Uint8Array;
  };
  index_packed: { readonly segment_id: number; readonly pack_id: number };
  index_vector_sets: VectorSetRow;
  index_vectors: VectorsRow & { readonly id: number };
  index_float_vectors: VectorsRow;
  index_vector_references: Omit<VectorsRow, "segment_id"> & { readonly version: number };
  index_vectors_waiting: WaitingRow;
  index_backend: BackendRow;
  index_backend_waiting: BackendWaitingRow;
}
/** A published segment that waits for its vectors. */
export interface WaitingRow {
  readonly segment_id: number;
  readonly document_id: string;
  readonly owner_id: string;
  /** Approximate: those of the document, divided among its segments. */
  readonly passages: number;
  /** Failed attempts. */
  readonly tries: number;
}
/**
 * Vectors of a segment's chunks: in `index_vectors` as in `vector-block.ts`, and in
 * `index_float_vectors` as stored by earlier versions, until they are converted.
 */
export interface VectorsRow {
  readonly set_id: number;
  readonly segment_id: number;
  readonly data: Uint8Array;
}
/** A set of vectors: those of one model with one length. */
export interface VectorSetRow {
  readonly id: number;
  readonly model: string;
  /** The requested length of vectors; 0: as the model returns them. */
  readonly asked_dimensions: number;
  /** The length of each vector; 0 before there is one. */
  readonly dimensions: number;
  /** 1 for the set that queries are compared with; at most one. */
  readonly serving: number;
  /** 1 while its length is known only from imported vectors. */
  readonly adopted: number;
  /** 1 for the set whose missing vectors are waited for; at most one. */
  readonly followed: number;
  /** The last document examined for vectors missing in this set; null when all were. */
  readonly looked_to: string | null;
}
/** The content of a search backend; one row while there is one. */
export interface BackendRow {
  readonly id: number;
  readonly name: string;
  /** Identifies the content: when it changes, everything is sent again. */
  readonly contents: string;
  /** The set of its vectors, and the length of each; 0: none. */
  readonly set_id: number;
  readonly dimensions: number;
  /** 1 once `begin` was called for it. */
  readonly begun: number;
  /** Segments that existed before are waiting up to this one; null: all are. */
  readonly filled_to: number | null;
}
/** A segment to be sent to a search backend: its current state, or its deletion. */
export interface BackendWaitingRow {
  readonly segment_id: number;
  /** Empty when it is deleted: then no search waits for it. */
  readonly owner_id: string;
  /** Different for each change. */
  readonly revision: string;
}
export type IndexDb = Db<IndexTables>;

/** A segment as it is stored. */
export interface SegmentRows {
  readonly row: SegmentRow;
  /** Chunks with their text; empty when it is stored elsewhere. */
  readonly chunks: readonly ChunkRow[];
  /** Null unless they came with the segment. */
  readonly vectors: VectorsRow | null;
}

/** Keeps the parameters of a statement far below the limits of the engines. */
export const ids_max = 500;

/** Calls `work` for as many ids at a time as a statement can take. */
export async function inIdBatches<T>(
  ids: readonly T[],
  work: (batch: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (const batch of batchesOf(ids, ids_max)) await work(batch);
}

const chunk_columns = [
  "segment_id",
  "ordinal",
  "first_point",
  "end_point",
  "page",
  "page_end",
  "heading",
  "time_start",
  "time_end",
  "text",
] as const satisfies readonly (keyof ChunkRow)[];

/** Inserts a segment with everything that belongs to it. */
export async function insertSegment(
  tx: IndexDb,
  { row, chunks, vectors }: SegmentRows,
): Promise<void> {
  await insertSegmentRow(tx, row);
  if (vectors) await insertVectorsRow(tx, vectors);
  await insertRows(tx, "index_chunks", chunk_columns, chunks);
}

/** Ids ascend with the time of insertion: a later reader only needs those that came since. */
export const insertVectorsRow = (tx: IndexDb, row: VectorsRow) =>
  tx
    .insertInto("index_vectors")
    .values({ ...row, id: sql<number>`(select coalesce(max(id), 0) + 1 from index_vectors)` })
    .execute();
const insertSegmentRow = prepared((tx: IndexDb, row: SegmentRow) =>
  tx.insertInto("index_segments").values(row),
);

export const findDocument = (db: IndexDb, document_id: string): Promise<DocumentRow | undefined> =>
  findOne(db, { document_id });
const findOne = preparedFirst((db: IndexDb, { document_id }: Pick<DocumentRow, "document_id">) =>
  db.selectFrom("index_documents").selectAll().where("document_id", "=", document_id),
);
/** The published index versions of these documents. */
export async function editionsOf(
  db: IndexDb,
  document_ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const editions = new Map<string, number>();
  await inIdBatches(document_ids, async (batch) => {
    signal.throwIfAborted();
    const rows = await db
      .selectFrom("index_documents")
      .select(["document_id", "edition"])
      .where("document_id", "in", batch)
      .execute();
    for (const { document_id, edition } of rows) editions.set(document_id, toNumber(edition));
    await nextTurn();
  });
  return editions;
}
/** Ids of published documents, ascending. */
export const documentIds = async (db: IndexDb, after: string, limit: number): Promise<string[]> =>
  (
    await db
      .selectFrom("index_documents")
      .select("document_id")
      .where("document_id", ">", after)
      .orderBy("document_id")
      .limit(limit)
      .execute()
  ).map(({ document_id }) => document_id);
/** Inserts or replaces a document, whose owner stays the one that it was first published for. */
export const upsertDocument = prepared((tx: IndexDb, row: DocumentRow) => {
  const { document_id: _id, owner_id: _owner, ...values } = row;
  return tx
    .insertInto("index_documents")
    .values(row)
    .onConflict((conflict) => conflict.column("document_id").doUpdateSet(values));
});

/** Makes every segment of an index version visible in these folders, where it is not already. */
export async function insertScopes(
  tx: IndexDb,
  folder_ids: readonly string[],
  index_version: number,
): Promise<void> {
  if (folder_ids.length === 0) return;
  if (folder_ids.length === 1)
    await insertIntoScope(tx, { folder_id: folder_ids[0]!, index_version });
  else
    for (const segment_id of await segmentsOf(tx, index_version))
      for (const batch of batchesOf(folder_ids, folders_at_once))
        await tx
          .insertInto("index_scope")
          .values(batch.map((folder_id) => ({ folder_id, segment_id })))
          .onConflict((conflict) => conflict.columns(["folder_id", "segment_id"]).doNothing())
          .execute();
}
/** Rows of one statement. */
const folders_at_once = 500;
const insertIntoScope = prepared(
  (tx: IndexDb, { folder_id, index_version }: { folder_id: string; index_version: number }) =>
    tx
      .insertInto("index_scope")
      .columns(["folder_id", "segment_id"])
      .expression((build) =>
        build
          .selectFrom("index_segments")
          .select([sql<string>`${folder_id}`.as("folder_id"), "id"])
          .where("edition", "=", index_version),
      )
      .onConflict((conflict) => conflict.columns(["folder_id", "segment_id"]).doNothing()),
);
/** The same for the few segments of a document that is in no folder yet. */
export async function insertNewScope(
  tx: IndexDb,
  folder_id: string,
  segment_ids: readonly number[],
): Promise<void> {
  for (const segment_id of segment_ids) await insertScopeRow(tx, { folder_id, segment_id });
}
const insertScopeRow = prepared((tx: IndexDb, row: IndexTables["index_scope"]) =>
  tx.insertInto("index_scope").values(row),
);
/** Takes documents out of a folder. */
export const deleteScope = (
  tx: IndexDb,
  document_ids: readonly string[],
  folder_id: string,
): Promise<void> =>
  inIdBatches(document_ids, (batch) =>
    tx
      .deleteFrom("index_scope")
      .where("folder_id", "=", folder_id)
      .where(
        "segment_id",
        "in",
        tx
          .selectFrom("index_documents as d")
          .innerJoin("index_segments as s", "s.edition", "d.edition")
          .select("s.id")
          .where("d.document_id", "in", batch),
      )
      .execute(),
  );

/** Folders in which an index version is visible. */
export const foldersOf = async (db: IndexDb, index_version: number): Promise<string[]> =>
  (
    await db
      .selectFrom("index_scope")
      .select("folder_id")
      .where("segment_id", "=", index_version)
      .execute()
  ).map((row) => row.folder_id);

/** Ids of the segments of an index version, in order. */
export const segmentsOf = async (db: IndexDb, index_version: number): Promise<number[]> =>
  (
    await db
      .selectFrom("index_segments")
      .select("id")
      .where("edition", "=", index_version)
      .orderBy("id")
      .execute()
  ).map(({ id }) => toNumber(id));
export const findSegment = (
  db: IndexDb,
  id: number,
): Promise<Pick<SegmentRow, "data"> | undefined> =>
  db.selectFrom("index_segments").select("data").where("id", "=", id).executeTakeFirst();
/** Undefined when the text is stored in its chunks. */
export const placesOf = async (
  db: IndexDb,
  segment_id: number,
): Promise<Pick<StoredPlaces, "text_id" | "places"> | undefined> => {
  const row = await db
    .selectFrom("index_segments")
    .select(["text_id", "places"])
    .where("id", "=", segment_id)
    .where("text_id", "is not", null)
    .$castTo<Pick<StoredPlaces, "text_id" | "places">>()
    .executeTakeFirst();
  return row && { ...row, text_id: toNumber(row.text_id) };
};
/** The chunks of a segment in order, if they contain their text. */
export const chunksOf = (db: IndexDb, segment_id: number): Promise<ChunkRow[]> =>
  db
    .selectFrom("index_chunks")
    .selectAll()
    .where("segment_id", "=", segment_id)
    .orderBy("ordinal")
    .execute();

/** The largest id of all segments and packs; 0 when there are none. */
export async function largestId(db: IndexDb): Promise<number> {
  const largest = await Promise.all(
    (["index_segments", "index_packs"] as const).map((table) =>
      db
        .selectFrom(table)
        .select(sql<number | null>`max(id)`.as("id"))
        .executeTakeFirst(),
    ),
  );
  return Math.max(...largest.map((row) => toNumber(row?.id)));
}
