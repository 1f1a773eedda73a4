/** The SQL statement that stores a pack; `deletion-store.ts` deletes them with their segments. */
import { batchesOf, inBatches } from "../../core/lib/batch";
import type { BuiltPack } from "./pack";
import { ids_max, type IndexDb } from "./store";

/**
 * Stores a pack of segments that are all still there and in no other pack; says whether it did.
 */
export async function insertPack(
  tx: IndexDb,
  id: number,
  owner_id: string,
  { segment_ids, head, parts }: BuiltPack,
): Promise<boolean> {
  for (const some of batchesOf(segment_ids, ids_max)) {
    const free = await tx
      .selectFrom("index_segments as s")
      .leftJoin("index_packed as p", "p.segment_id", "s.id")
      .select("s.id")
      .where("s.id", "in", some)
      .where("p.segment_id", "is", null)
      .execute();
    if (free.length < some.length) return false;
  }
  await tx.insertInto("index_packs").values({ id, owner_id, head }).execute();
  await inBatches(
    parts.map((data, part) => ({ pack_id: id, part, data })),
    (some) => tx.insertInto("index_pack_parts").values(some).execute(),
  );
  await inBatches(
    segment_ids.map((segment_id) => ({ segment_id, pack_id: id })),
    (some) => tx.insertInto("index_packed").values(some).execute(),
  );
  return true;
}
