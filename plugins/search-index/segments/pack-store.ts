/** The SQL of packs; `deletion-store.ts` deletes them with their segments. */
import { batchesOf } from "../../../core/lib/batch";
import { insertRows, toNumber } from "../../../core/sdk";
import type { BuiltPack } from "./pack";
import { ids_max, type IndexDb } from "../store";

/**
 * Stores a pack of segments if all of them still exist and are in no other pack; returns whether it
 * did.
 */
export async function insertPack(
  tx: IndexDb,
  id: number,
  owner_id: string,
  { segment_ids, head, parts }: BuiltPack,
): Promise<boolean> {
  for (const batch of batchesOf(segment_ids, ids_max)) {
    const free = await tx
      .selectFrom("index_segments as s")
      .leftJoin("index_packed as p", "p.segment_id", "s.id")
      .select("s.id")
      .where("s.id", "in", batch)
      .where("p.segment_id", "is", null)
      .execute();
    if (free.length < batch.length) return false;
  }
  await tx.insertInto("index_packs").values({ id, owner_id, head }).execute();
  await insertRows(
    tx,
    "index_pack_parts",
    ["pack_id", "part", "data"],
    parts.map((data, part) => ({ pack_id: id, part, data })),
  );
  await insertRows(
    tx,
    "index_packed",
    ["segment_id", "pack_id"],
    segment_ids.map((segment_id) => ({ segment_id, pack_id: id })),
  );
  return true;
}

/** Ids of packs after one of them, ascending. */
export const listPacks = async (db: IndexDb, after: number, limit: number): Promise<number[]> =>
  (
    await db
      .selectFrom("index_packs")
      .select("id")
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute()
  ).map(({ id }) => toNumber(id));

export async function countPacks(db: IndexDb): Promise<number> {
  const { count } = await db
    .selectFrom("index_packs")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return toNumber(count);
}

/** A pack as it is stored; undefined when there is none. */
export async function findPack(db: IndexDb, id: number): Promise<BuiltPack | undefined> {
  const pack = await db
    .selectFrom("index_packs")
    .select("head")
    .where("id", "=", id)
    .executeTakeFirst();
  if (pack === undefined) return undefined;
  const parts = await db
    .selectFrom("index_pack_parts")
    .select("data")
    .where("pack_id", "=", id)
    .orderBy("part")
    .execute();
  const segments = await db
    .selectFrom("index_packed")
    .select("segment_id")
    .where("pack_id", "=", id)
    .orderBy("segment_id")
    .execute();
  return {
    segment_ids: segments.map(({ segment_id }) => toNumber(segment_id)),
    head: pack.head,
    parts: parts.map(({ data }) => data),
  };
}
