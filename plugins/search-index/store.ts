/**
 * Every SQL statement that writes the index, and the reads of its upkeep; vectors have their own
 * file. The database comes first, so that the caller decides the transaction.
 */
import { CompiledQuery, sql, toNumber, type Db } from "../../core/sdk";

export interface DocumentRow {
  readonly document_id: string;
  readonly edition: number;
  readonly version: number;
  readonly title: string;
  readonly analyzer: number;
  readonly chunker: number;
  readonly chunks: number;
  /** JSON: the heading spans that the document marks; null when it marks none. */
  readonly headings: string | null;
  /** JSON: where in a recording the text is spoken; null when it is no recording. */
  readonly times: string | null;
}
export interface SegmentRow {
  readonly id: number;
  readonly edition: number;
  readonly document_id: string;
  readonly data: Uint8Array;
}
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
  /** The chunk, then the white space after it. */
  readonly text: string;
}
export interface IndexTables {
  index_documents: DocumentRow;
  index_staged: { readonly edition: number; readonly document_id: string };
  index_segments: SegmentRow;
  index_chunks: ChunkRow;
  index_scope: { readonly folder_id: string; readonly segment_id: number };
  index_vector_sets: VectorSetRow;
  index_vectors: {
    readonly set_id: number;
    readonly segment_id: number;
    readonly data: Uint8Array;
  };
  index_vectors_waiting: { readonly segment_id: number; readonly tries: number };
}
export interface VectorSetRow {
  readonly id: number;
  readonly model: string;
  /** Numbers of a vector as asked for; 0: as the model likes. */
  readonly asked_dimensions: number;
  /** Numbers of each vector; 0 before there is one. */
  readonly dimensions: number;
  /** 1 for the set that answers; at most one does. */
  readonly serving: number;
}
export type IndexDb = Db<IndexTables>;

/** Parameters of one statement stay far below the limits of the engines. */
const ids_max = 500,
  rows_max = 16;

/**
 * Batches of 16, 8, 4, 2 and 1 rows: few statements for a document, and few different ones, so that
 * they stay prepared.
 */
async function inBatches<T>(
  rows: readonly T[],
  insert: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0, size = rows_max; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2;
    await insert(rows.slice(at, at + size));
  }
}
async function inGroups<T>(
  ids: readonly T[],
  work: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += ids_max) await work(ids.slice(at, at + ids_max));
}

/**
 * Written out, because building this statement anew for every document takes longer than running
 * it.
 */
const insert_chunks = Array.from(
  { length: rows_max + 1 },
  (_, rows) =>
    `insert into index_chunks (segment_id, ordinal, first_point, end_point, page, page_end, heading, time_start, time_end, text) values ${Array(rows).fill("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
);
const valuesOf = (row: ChunkRow): unknown[] => [
  row.segment_id,
  row.ordinal,
  row.first_point,
  row.end_point,
  row.page,
  row.page_end,
  row.heading,
  row.time_start,
  row.time_end,
  row.text,
];

export async function insertSegment(
  tx: IndexDb,
  row: SegmentRow,
  chunks: readonly ChunkRow[],
): Promise<void> {
  await tx.insertInto("index_segments").values(row).execute();
  await inBatches(chunks, (some) =>
    tx.executeQuery(CompiledQuery.raw(insert_chunks[some.length]!, some.flatMap(valuesOf))),
  );
}

export const insertStaged = (
  tx: IndexDb,
  row: { readonly edition: number; readonly document_id: string },
) => tx.insertInto("index_staged").values(row).execute();
/** Takes the edition out of the staged ones; false when it was not among them. */
export const deleteStaged = async (tx: IndexDb, edition: number): Promise<boolean> =>
  (
    await tx
      .deleteFrom("index_staged")
      .where("edition", "=", edition)
      .returning("edition")
      .execute()
  ).length > 0;
export const stagedEditions = async (
  db: IndexDb,
  document_ids: readonly string[] | null,
): Promise<number[]> => {
  if (document_ids?.length === 0) return [];
  const rows = await db
    .selectFrom("index_staged")
    .select("edition")
    .$if(document_ids !== null, (query) => query.where("document_id", "in", document_ids!))
    .execute();
  return rows.map((row) => toNumber(row.edition));
};

export const findDocument = (db: IndexDb, document_id: string): Promise<DocumentRow | undefined> =>
  db
    .selectFrom("index_documents")
    .selectAll()
    .where("document_id", "=", document_id)
    .executeTakeFirst();
export const upsertDocument = (tx: IndexDb, row: DocumentRow) => {
  const { document_id: _id, ...values } = row;
  return tx
    .insertInto("index_documents")
    .values(row)
    .onConflict((conflict) => conflict.column("document_id").doUpdateSet(values))
    .execute();
};

const segmentIds = (
  tx: IndexDb,
  column: "edition" | "document_id",
  of: readonly (number | string)[],
) =>
  tx
    .selectFrom("index_segments")
    .select("id")
    .where(column, "in", of as readonly never[]);
const deleteVectorsOf = async (
  tx: IndexDb,
  segments: ReturnType<typeof segmentIds>,
): Promise<void> => {
  await tx.deleteFrom("index_vectors").where("segment_id", "in", segments).execute();
  await tx.deleteFrom("index_vectors_waiting").where("segment_id", "in", segments).execute();
};

/** Segments of editions, with their chunks, links and vectors. */
export const deleteEditions = (tx: IndexDb, editions: readonly number[]): Promise<void> =>
  inGroups(editions, async (some) => {
    const segments = segmentIds(tx, "edition", some);
    await deleteVectorsOf(tx, segments);
    await tx.deleteFrom("index_scope").where("segment_id", "in", segments).execute();
    await tx.deleteFrom("index_chunks").where("segment_id", "in", segments).execute();
    await tx.deleteFrom("index_segments").where("edition", "in", some).execute();
    await tx.deleteFrom("index_staged").where("edition", "in", some).execute();
  });

/** Everything about these documents, published or not. */
export const deleteDocuments = (tx: IndexDb, document_ids: readonly string[]): Promise<void> =>
  inGroups(document_ids, async (some) => {
    const segments = segmentIds(tx, "document_id", some);
    await deleteVectorsOf(tx, segments);
    await tx.deleteFrom("index_scope").where("segment_id", "in", segments).execute();
    await tx.deleteFrom("index_chunks").where("segment_id", "in", segments).execute();
    await tx.deleteFrom("index_segments").where("document_id", "in", some).execute();
    await tx.deleteFrom("index_staged").where("document_id", "in", some).execute();
    await tx.deleteFrom("index_documents").where("document_id", "in", some).execute();
  });

/** Shows every segment of an edition in a folder; twice does no harm. */
export const insertScope = (tx: IndexDb, folder_id: string, edition: number) =>
  tx
    .insertInto("index_scope")
    .columns(["folder_id", "segment_id"])
    .expression((build) =>
      build
        .selectFrom("index_segments")
        .select([sql<string>`${folder_id}`.as("folder_id"), "id"])
        .where("edition", "=", edition),
    )
    .onConflict((conflict) => conflict.columns(["folder_id", "segment_id"]).doNothing())
    .execute();
export const deleteScope = (
  tx: IndexDb,
  document_ids: readonly string[],
  folder_id: string,
): Promise<void> =>
  inGroups(document_ids, (some) =>
    tx
      .deleteFrom("index_scope")
      .where("folder_id", "=", folder_id)
      .where(
        "segment_id",
        "in",
        tx.selectFrom("index_segments").select("id").where("document_id", "in", some),
      )
      .execute(),
  );

/** Folders in which an edition is shown. */
export const foldersOf = async (db: IndexDb, edition: number): Promise<string[]> =>
  (
    await db
      .selectFrom("index_scope")
      .select("folder_id")
      .where("segment_id", "=", edition)
      .execute()
  ).map((row) => row.folder_id);

/** Chunks of an edition in their order. */
export const chunksOfEdition = (db: IndexDb, edition: number): Promise<ChunkRow[]> =>
  db
    .selectFrom("index_chunks")
    .selectAll("index_chunks")
    .innerJoin("index_segments", "index_segments.id", "index_chunks.segment_id")
    .where("index_segments.edition", "=", edition)
    .orderBy("index_chunks.segment_id")
    .orderBy("index_chunks.ordinal")
    .execute();

/** Published by another analyzer or chunker than these. */
const outdated = (db: IndexDb, analyzer: number, chunker: number) =>
  db
    .selectFrom("index_documents")
    .where((either) =>
      either.or([either("analyzer", "!=", analyzer), either("chunker", "!=", chunker)]),
    );
export const outdatedDocuments = (
  db: IndexDb,
  analyzer: number,
  chunker: number,
  limit: number,
): Promise<DocumentRow[]> =>
  outdated(db, analyzer, chunker).selectAll().orderBy("document_id").limit(limit).execute();
export const countOutdated = async (
  db: IndexDb,
  analyzer: number,
  chunker: number,
): Promise<number> =>
  toNumber(
    (
      await outdated(db, analyzer, chunker)
        .select(sql<number>`count(*)`.as("count"))
        .executeTakeFirst()
    )?.count,
  );

export const largestSegment = async (db: IndexDb): Promise<number> =>
  toNumber(
    (
      await db
        .selectFrom("index_segments")
        .select(sql<number | null>`max(id)`.as("id"))
        .executeTakeFirst()
    )?.id,
  );
