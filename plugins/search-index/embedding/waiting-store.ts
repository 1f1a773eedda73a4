/**
 * Every SQL statement about segments that wait for their vectors. The database is the first
 * parameter, so that the caller decides the transaction.
 */
import { prepared, preparedFirst, sql, toNumber } from "../../../core/sdk";
import { inIdBatches, type IndexDb, type WaitingRow } from "../store";

/** A document whose segments wait. */
export interface WaitingDocument extends Pick<WaitingRow, "document_id" | "owner_id" | "passages"> {
  readonly index_version: number;
  readonly segments: number;
}

/** The segments of an index version wait for their vectors from now on. */
export const insertWaiting = prepared((tx: IndexDb, document: WaitingDocument) =>
  tx
    .insertInto("index_vectors_waiting")
    .columns(["segment_id", "document_id", "owner_id", "passages", "tries"])
    .expression((build) =>
      build
        .selectFrom("index_segments")
        .select([
          "id",
          sql<string>`${document.document_id}`.as("document_id"),
          sql<string>`${document.owner_id}`.as("owner_id"),
          sql<number>`${document.passages}`.as("passages"),
          sql<number>`0`.as("tries"),
        ])
        .where("edition", "=", document.index_version),
    ),
);
/** Segments that have vectors in this set wait no longer. Returns how many. */
export const deleteNotWaiting = async (
  tx: IndexDb,
  index_version: number,
  set_id: number,
): Promise<number> => {
  const { numDeletedRows } = await tx
    .deleteFrom("index_vectors_waiting")
    .where("segment_id", "in", (build) =>
      build
        .selectFrom("index_segments as s")
        .innerJoin("index_vectors as v", "v.segment_id", "s.id")
        .select("s.id")
        .where("s.edition", "=", index_version)
        .where("v.set_id", "=", set_id),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
};
/** No segment waits any more. */
export const deleteAllWaiting = (tx: IndexDb) => tx.deleteFrom("index_vectors_waiting").execute();
/** Published documents in the order of their ids, after this one. */
export const documentsAfter = async (
  db: IndexDb,
  document_id: string,
  limit: number,
): Promise<string[]> =>
  (
    await db
      .selectFrom("index_documents")
      .select("document_id")
      .where("document_id", ">", document_id)
      .orderBy("document_id")
      .limit(limit)
      .execute()
  ).map((row) => row.document_id);
/** The documents among these that come after the last one examined. */
export const notExamined = async (
  db: IndexDb,
  document_ids: readonly string[],
): Promise<string[]> => {
  const unexamined: string[] = [];
  await inIdBatches(document_ids, async (batch) => {
    const rows = await db
      .selectFrom("index_documents as d")
      .innerJoin("index_vector_sets as s", (join) => join.on("s.followed", "=", 1))
      .select("d.document_id")
      .where("d.document_id", "in", batch)
      .whereRef("d.document_id", ">", "s.looked_to")
      .execute();
    for (const { document_id } of rows) unexamined.push(document_id);
  });
  return unexamined;
};
/** The segments of these documents that lack vectors in this set wait from now on. Returns them. */
export async function insertLacking(
  tx: IndexDb,
  set_id: number,
  document_ids: readonly string[],
): Promise<Pick<WaitingRow, "document_id" | "passages">[]> {
  const inserted: Pick<WaitingRow, "document_id" | "passages">[] = [];
  await inIdBatches(document_ids, async (batch) => {
    const rows = await tx
      .insertInto("index_vectors_waiting")
      .columns(["segment_id", "document_id", "owner_id", "passages", "tries"])
      .expression(lackingSegments(tx, set_id, batch))
      .onConflict((conflict) => conflict.doNothing())
      .returning(["document_id", "passages"])
      .execute();
    inserted.push(...rows);
  });
  return inserted;
}
const lackingSegments = (db: IndexDb, set_id: number, document_ids: readonly string[]) => {
  const segments = sql<number>`(
    select count(*) from index_segments as every where every.edition = s.edition)`;
  const vectors = db
    .selectFrom("index_vectors as v")
    .select("v.segment_id")
    .where("v.set_id", "=", set_id)
    .whereRef("v.segment_id", "=", sql.ref("s.id"));
  const floats = db
    .selectFrom("index_float_vectors as f")
    .select("f.segment_id")
    .where("f.set_id", "=", set_id)
    .whereRef("f.segment_id", "=", sql.ref("s.id"));
  return db
    .selectFrom("index_documents as d")
    .innerJoin("index_segments as s", "s.edition", "d.edition")
    .select([
      "s.id",
      "d.document_id",
      "d.owner_id",
      sql<number>`(d.chunks + ${segments} - 1) / ${segments}`.as("passages"),
      sql<number>`0`.as("tries"),
    ])
    .where("d.document_id", "in", document_ids)
    .where((e) => e.not(e.exists(vectors)))
    .where((e) => e.not(e.exists(floats)));
};
/** Failed segments count as new. */
export const forgetAttempts = (tx: IndexDb) =>
  tx.updateTable("index_vectors_waiting").set({ tries: 0 }).where("tries", ">", 0).execute();

/** How many documents of a folder wait. */
export interface FolderCount {
  readonly folder_id: string;
  /** Waiting documents. */
  readonly documents: number;
}
const countByFolder = (db: IndexDb) =>
  db
    .selectFrom("index_vectors_waiting as w")
    .innerJoin("index_scope as s", "s.segment_id", "w.segment_id")
    .select(["s.folder_id", sql<number>`count(distinct w.document_id)`.as("documents")])
    .groupBy("s.folder_id");
const toCounts = (rows: readonly FolderCount[]): FolderCount[] =>
  rows.map(({ folder_id, documents }) => ({ folder_id, documents: toNumber(documents) }));
/** The number of waiting documents in each folder that has any. */
export const countEverywhere = async (db: IndexDb): Promise<FolderCount[]> =>
  toCounts(await countByFolder(db).execute());
/** The same, counting only these documents. */
export async function countAmong(
  db: IndexDb,
  document_ids: readonly string[],
): Promise<FolderCount[]> {
  const counts: FolderCount[] = [];
  await inIdBatches(document_ids, async (batch) => {
    counts.push(...toCounts(await countByFolder(db).where("w.document_id", "in", batch).execute()));
  });
  return counts;
}
/** How many of these documents wait in one folder. */
export async function countInFolder(
  db: IndexDb,
  document_ids: readonly string[],
  folder_id: string,
): Promise<number> {
  const counts = await countAmong(db, document_ids);
  return counts
    .filter((count) => count.folder_id === folder_id)
    .reduce((sum, { documents }) => sum + documents, 0);
}

/** The documents among these that wait. */
export async function waitingAmong(
  db: IndexDb,
  document_ids: readonly string[],
): Promise<Set<string>> {
  const waiting = new Set<string>();
  await inIdBatches(document_ids, async (batch) => {
    for (const { document_id } of await findWaiting(db, { document_ids: batch }))
      waiting.add(document_id);
  });
  return waiting;
}
const findWaiting = prepared((db: IndexDb, values: { readonly document_ids: readonly string[] }) =>
  db
    .selectFrom("index_vectors_waiting")
    .select("document_id")
    .distinct()
    .where("document_id", "in", values.document_ids),
);
export const isWaiting = async (db: IndexDb, document_id: string): Promise<boolean> =>
  (await findOneWaiting(db, { document_id })) !== undefined;
const findOneWaiting = preparedFirst(
  (db: IndexDb, { document_id }: Pick<WaitingRow, "document_id">) =>
    db
      .selectFrom("index_vectors_waiting")
      .select("segment_id")
      .where("document_id", "=", document_id)
      .limit(1),
);
/** Returns about how many passages waited. */
export async function deleteWaiting(tx: IndexDb, document_ids: readonly string[]): Promise<number> {
  let passages = 0;
  await inIdBatches(document_ids, async (batch) => {
    const deleted = await tx
      .deleteFrom("index_vectors_waiting")
      .where("document_id", "in", batch)
      .returning("passages")
      .execute();
    for (const row of deleted) passages += row.passages;
  });
  return passages;
}
/** The segment no longer waits; undefined when it did not. */
export const takeWaiting = (
  tx: IndexDb,
  segment_id: number,
): Promise<Pick<WaitingRow, "document_id" | "passages"> | undefined> =>
  tx
    .deleteFrom("index_vectors_waiting")
    .where("segment_id", "=", segment_id)
    .returning(["document_id", "passages"])
    .executeTakeFirst();

/** A segment that waits, with the title of its document. */
export interface WaitingSegment extends Pick<
  WaitingRow,
  "owner_id" | "passages" | "segment_id" | "tries"
> {
  readonly title: string | null;
}
const waitingSegments = (db: IndexDb) =>
  db
    .selectFrom("index_vectors_waiting as w")
    .leftJoin("index_documents as d", "d.document_id", "w.document_id")
    .select(["w.segment_id", "w.owner_id", "w.passages", "w.tries", "d.title"]);
/** Among those that never failed: an owner's newest. */
export const newestOf = (db: IndexDb, owner_id: string, limit: number): Promise<WaitingSegment[]> =>
  findNewest(db, { owner_id, limit });
const findNewest = prepared((db: IndexDb, values: { owner_id: string; limit: number }) =>
  waitingSegments(db)
    .where("w.owner_id", "=", values.owner_id)
    .where("w.tries", "=", 0)
    .orderBy("w.segment_id", "desc")
    .limit(values.limit),
);
/** Among those that never failed: the next owner after this one, cyclically. */
export const nextOwner = async (db: IndexDb, after: string): Promise<string | undefined> =>
  ((await findOwner(db, { after })) ?? (await findOwner(db, { after: "" })))?.owner_id;
const findOwner = preparedFirst((db: IndexDb, { after }: { readonly after: string }) =>
  db
    .selectFrom("index_vectors_waiting")
    .select("owner_id")
    .where("owner_id", ">", after)
    .where("tries", "=", 0)
    .orderBy("owner_id")
    .limit(1),
);
/** Those that have failed: fewest attempts first, then newest first. */
export const failedBefore = (db: IndexDb, limit: number): Promise<WaitingSegment[]> =>
  waitingSegments(db)
    .where("w.tries", ">", 0)
    .orderBy("w.tries")
    .orderBy("w.segment_id", "desc")
    .limit(limit)
    .execute();
/** The smallest number of failed attempts of a waiting segment; null when nothing waits. */
export const fewestTries = async (db: IndexDb): Promise<number | null> =>
  (
    await db
      .selectFrom("index_vectors_waiting")
      .select("tries")
      .orderBy("tries")
      .limit(1)
      .executeTakeFirst()
  )?.tries ?? null;
/** The segments among these that wait. */
export const stillWaiting = async (
  db: IndexDb,
  segment_ids: readonly number[],
): Promise<Set<number>> =>
  new Set(
    (
      await db
        .selectFrom("index_vectors_waiting")
        .select("segment_id")
        .where("segment_id", "in", segment_ids)
        .execute()
    ).map(({ segment_id }) => toNumber(segment_id)),
  );
/** Counts an attempt to embed these segments. */
export const countAttempt = (db: IndexDb, segment_ids: readonly number[]) =>
  db
    .updateTable("index_vectors_waiting")
    .set((e) => ({ tries: e("tries", "+", 1) }))
    .where("segment_id", "in", segment_ids)
    .execute();
/** How much waits. */
export interface WaitingTotals {
  readonly documents: number;
  /** Approximate. */
  readonly passages: number;
}
/** Everything that waits. Reads every row. */
export async function countAll(db: IndexDb): Promise<WaitingTotals> {
  const row = await db
    .selectFrom("index_vectors_waiting")
    .select(sql<number>`count(distinct document_id)`.as("documents"))
    .select((e) => e.fn.sum("passages").as("passages"))
    .executeTakeFirstOrThrow();
  return { documents: toNumber(row.documents), passages: toNumber(row.passages) };
}
