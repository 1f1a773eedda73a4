/** Every SQL statement that writes vectors, and the reads of their maintenance. */
import { sql } from "../../../core/sdk";
import { segmentChanged } from "../backend/backend-store";
import { insertVectorsRow, type IndexDb, type VectorSetRow, type VectorsRow } from "../store";
import { blockOfFloats } from "./vector-block";

/** All sets, oldest first. */
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
  values: Partial<Pick<VectorSetRow, "adopted" | "dimensions" | "looked_to" | "model">>,
) => tx.updateTable("index_vector_sets").set(values).where("id", "=", id).execute();
/**
 * Documents wait for what this set lacks, once all were examined; null: nothing waits, whatever is
 * missing.
 */
export const setFollowedVectorSet = async (tx: IndexDb, id: number | null): Promise<void> => {
  await tx
    .updateTable("index_vector_sets")
    .set({ followed: 0 })
    .where("followed", "=", 1)
    .execute();
  if (id !== null)
    await tx
      .updateTable("index_vector_sets")
      .set({ followed: 1, looked_to: "" })
      .where("id", "=", id)
      .execute();
};

/** The set whose missing vectors documents wait for; undefined: none does. */
export const followedVectorSet = (db: IndexDb): Promise<VectorSetRow | undefined> =>
  db.selectFrom("index_vector_sets").selectAll().where("followed", "=", 1).executeTakeFirst();

/** Vectors of the reference texts for the calibration of a set; undefined: none yet. */
export const findReferences = async (
  db: IndexDb,
  set_id: number,
  version: number,
): Promise<Uint8Array | undefined> =>
  (
    await db
      .selectFrom("index_vector_references")
      .select("data")
      .where("set_id", "=", set_id)
      .where("version", "=", version)
      .executeTakeFirst()
  )?.data;
/** Stores the calibration of a set. */
export async function replaceReferences(
  tx: IndexDb,
  set_id: number,
  version: number,
  data: Uint8Array,
): Promise<void> {
  await deleteReferences(tx, set_id);
  await tx.insertInto("index_vector_references").values({ set_id, version, data }).execute();
}
const deleteReferences = (tx: IndexDb, set_id: number) =>
  tx.deleteFrom("index_vector_references").where("set_id", "=", set_id).execute();

/** Deletes some vectors of a set, and the set once it has none. Returns whether it is gone. */
export async function deleteSomeVectors(
  tx: IndexDb,
  set_id: number,
  limit: number,
): Promise<boolean> {
  for (const table of ["index_vectors", "index_float_vectors"] as const) {
    const batch = await tx
      .selectFrom(table)
      .select("segment_id")
      .where("set_id", "=", set_id)
      .orderBy("segment_id")
      .limit(limit)
      .execute();
    if (batch.length > 0)
      await tx
        .deleteFrom(table)
        .where("set_id", "=", set_id)
        .where(
          "segment_id",
          "in",
          batch.map((row) => row.segment_id),
        )
        .execute();
    if (batch.length === limit) return false;
  }
  await deleteReferences(tx, set_id);
  await tx.deleteFrom("index_vector_sets").where("id", "=", set_id).execute();
  return true;
}

/** The vectors of a segment in a set, as in `vector-block.ts`; null when it has none. */
export async function findVectors(
  db: IndexDb,
  { id, dimensions }: Pick<VectorSetRow, "id" | "dimensions">,
  segment_id: number,
): Promise<Uint8Array | null> {
  const row = await dataOf(db, "index_vectors", id, segment_id);
  if (row) return row.data;
  const floats = await floatsOf(db, id, segment_id);
  return floats ? blockOfFloats(floats.data, dimensions) : null;
}
/** The same as stored by earlier versions. */
export const floatsOf = (db: IndexDb, set_id: number, segment_id: number) =>
  dataOf(db, "index_float_vectors", set_id, segment_id);
const dataOf = (
  db: IndexDb,
  table: "index_vectors" | "index_float_vectors",
  set_id: number,
  segment_id: number,
): Promise<Pick<VectorsRow, "data"> | undefined> =>
  db
    .selectFrom(table)
    .select("data")
    .where("set_id", "=", set_id)
    .where("segment_id", "=", segment_id)
    .executeTakeFirst();

/** Some of those stored by earlier versions. */
export const someFloatVectors = (db: IndexDb, limit: number) =>
  db
    .selectFrom("index_float_vectors as v")
    .innerJoin("index_vector_sets as s", "s.id", "v.set_id")
    .select(["v.set_id", "v.segment_id", "s.dimensions"])
    .select(sql<number>`length(v.data)`.as("bytes"))
    .limit(limit)
    .execute();
/** Replaces the floats with their conversion, unless they were deleted meanwhile. */
export async function replaceFloatVectors(tx: IndexDb, row: VectorsRow): Promise<void> {
  const replaced = await tx
    .deleteFrom("index_float_vectors")
    .where("set_id", "=", row.set_id)
    .where("segment_id", "=", row.segment_id)
    .returning("segment_id")
    .executeTakeFirst();
  if (replaced) await insertVectorsRow(tx, row);
}

/** Stores the vectors of a segment. */
export async function insertVectors(
  tx: IndexDb,
  set_id: number,
  segment_id: number,
  data: Uint8Array,
): Promise<void> {
  await insertVectorsRow(tx, { set_id, segment_id, data });
  await segmentChanged(tx, segment_id);
}
