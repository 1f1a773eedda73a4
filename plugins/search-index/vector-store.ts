/** Every SQL statement that writes vectors, and the reads of their maintenance. */
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
/** What waits is what this set lacks; null: nothing waits, whatever is lacking. */
export const setFollowedVectorSet = async (tx: IndexDb, id: number | null): Promise<void> => {
  await tx
    .updateTable("index_vector_sets")
    .set({ followed: 0 })
    .where("followed", "=", 1)
    .execute();
  if (id !== null)
    await tx.updateTable("index_vector_sets").set({ followed: 1 }).where("id", "=", id).execute();
};

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

/** Stores the vectors of a segment. */
export const insertVectors = (
  tx: IndexDb,
  set_id: number,
  segment_id: number,
  vectors: Float32Array,
) =>
  tx
    .insertInto("index_vectors")
    .values({
      set_id,
      segment_id,
      data: new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength),
    })
    .execute();
