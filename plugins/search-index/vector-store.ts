/** Every SQL statement that writes vectors, and the reads of their maintenance. */
import { sql, toNumber } from "../../core/sdk";
import type { IndexDb, VectorSetRow } from "./store";

export const vectorSets = (db: IndexDb): Promise<VectorSetRow[]> =>
  db.selectFrom("index_vector_sets").selectAll().orderBy("id").execute();
export const insertVectorSet = (tx: IndexDb, row: VectorSetRow) =>
  tx.insertInto("index_vector_sets").values(row).execute();
/** From now on queries are compared with this set, and no other. */
export const setServingVectorSet = async (tx: IndexDb, id: number): Promise<void> => {
  await tx.updateTable("index_vector_sets").set({ serving: 0 }).where("serving", "=", 1).execute();
  await tx.updateTable("index_vector_sets").set({ serving: 1 }).where("id", "=", id).execute();
};
export const updateSet = (
  tx: IndexDb,
  id: number,
  values: Partial<Pick<VectorSetRow, "adopted" | "dimensions" | "model">>,
) => tx.updateTable("index_vector_sets").set(values).where("id", "=", id).execute();

/** Deletes some vectors of a set, and the set once it has none. Returns whether it is gone. */
export async function deleteSomeVectors(
  tx: IndexDb,
  set_id: number,
  limit: number,
): Promise<boolean> {
  const some = await tx
    .selectFrom("index_vectors")
    .select("segment_id")
    .where("set_id", "=", set_id)
    .orderBy("segment_id")
    .limit(limit)
    .execute();
  if (some.length > 0)
    await tx
      .deleteFrom("index_vectors")
      .where("set_id", "=", set_id)
      .where(
        "segment_id",
        "in",
        some.map((row) => row.segment_id),
      )
      .execute();
  if (some.length === limit) return false;
  await tx.deleteFrom("index_vector_sets").where("id", "=", set_id).execute();
  return true;
}

/** The segments of an index version wait for their vectors from now on. */
export const insertWaiting = (tx: IndexDb, index_version: number) =>
  tx
    .insertInto("index_vectors_waiting")
    .columns(["segment_id", "tries"])
    .expression((build) =>
      build
        .selectFrom("index_segments")
        .select(["id", sql<number>`0`.as("tries")])
        .where("edition", "=", index_version),
    )
    .execute();
/** Those of them that have a vector in this set do not. */
export const deleteNotWaiting = (tx: IndexDb, index_version: number, set_id: number) =>
  tx
    .deleteFrom("index_vectors_waiting")
    .where("segment_id", "in", (build) =>
      build
        .selectFrom("index_segments as s")
        .innerJoin("index_vectors as v", "v.segment_id", "s.id")
        .select("s.id")
        .where("s.edition", "=", index_version)
        .where("v.set_id", "=", set_id),
    )
    .execute();
/** Exactly the published segments wait whose vectors this set lacks. */
export async function refillWaiting(tx: IndexDb, set_id: number): Promise<void> {
  await tx.deleteFrom("index_vectors_waiting").execute();
  await tx
    .insertInto("index_vectors_waiting")
    .columns(["segment_id", "tries"])
    .expression((build) =>
      build
        .selectFrom("index_segments as s")
        .innerJoin("index_documents as d", "d.edition", "s.edition")
        .select(["s.id", sql<number>`0`.as("tries")])
        .where((e) =>
          e.not(
            e.exists(
              e
                .selectFrom("index_vectors as v")
                .select("v.segment_id")
                .where("v.set_id", "=", set_id)
                .whereRef("v.segment_id", "=", "s.id"),
            ),
          ),
        ),
    )
    .execute();
}

export interface WaitingSegment {
  readonly segment_id: number;
  readonly tries: number;
  readonly title: string;
}
/** The segments that wait: those with the fewest attempts first, of those the newest. */
export const nextWaiting = (db: IndexDb, limit: number): Promise<WaitingSegment[]> =>
  db
    .selectFrom("index_vectors_waiting as w")
    .innerJoin("index_segments as s", "s.id", "w.segment_id")
    .innerJoin("index_documents as d", "d.document_id", "s.document_id")
    .select(["w.segment_id", "w.tries", "d.title"])
    .orderBy("w.tries")
    .orderBy("w.segment_id", "desc")
    .limit(limit)
    .execute();
export const countAttempt = (db: IndexDb, segment_ids: readonly number[]) =>
  db
    .updateTable("index_vectors_waiting")
    .set((e) => ({ tries: e("tries", "+", 1) }))
    .where("segment_id", "in", segment_ids)
    .execute();
/** Segments that are looked at to count the documents that wait. */
const waiting_counted_max = 1_000;
/** Counts the documents that lack vectors, among the first segments that do. */
export async function countWaitingDocuments(
  db: IndexDb,
): Promise<{ readonly documents: number; readonly are_all: boolean }> {
  const first = db
    .selectFrom("index_vectors_waiting")
    .select("segment_id")
    .limit(waiting_counted_max)
    .as("w");
  const row = await db
    .selectFrom(first)
    .innerJoin("index_segments as s", "s.id", "w.segment_id")
    .select((e) => e.fn.countAll().as("segments"))
    .select(sql<number>`count(distinct s.document_id)`.as("documents"))
    .executeTakeFirstOrThrow();
  return {
    documents: toNumber(row.documents),
    are_all: toNumber(row.segments) < waiting_counted_max,
  };
}

/** Stores the vectors of a segment if it still waits for them: it may have been deleted. */
export async function insertVectors(
  tx: IndexDb,
  set_id: number,
  segment_id: number,
  vectors: Float32Array,
): Promise<void> {
  const waiting = await tx
    .deleteFrom("index_vectors_waiting")
    .where("segment_id", "=", segment_id)
    .returning("segment_id")
    .executeTakeFirst();
  if (waiting)
    await tx
      .insertInto("index_vectors")
      .values({
        set_id,
        segment_id,
        data: new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength),
      })
      .execute();
}
