/**
 * Every SQL statement about what sources have listed: it tells an import what is unchanged, and
 * what is gone.
 */
import { sql } from "../../core/sdk";
import type { ImportsDb, ItemRow, ListedRow, RunState } from "./store";

/** An item is in its folder: later runs of this source know it. */
export async function remember(
  db: ImportsDb,
  { source_key, folder_id: run_folder_id }: RunState,
  { uri, folder_id, document_id, subfolder, etag }: ItemRow,
): Promise<void> {
  if (source_key === null || folder_id === null || document_id === null) return;
  const now = { folder_id, document_id, subfolder, etag, gone_at: null };
  await db
    .insertInto("imports_listed")
    .values({ source_key, uri, run_folder_id, ...now })
    .onConflict((c) => c.columns(["source_key", "uri"]).doUpdateSet(now))
    .execute();
}

/** What a source has listed before, for these addresses. */
export const findListed = (
  db: ImportsDb,
  source_key: string,
  uris: readonly string[],
): Promise<ListedRow[]> =>
  db
    .selectFrom("imports_listed")
    .selectAll()
    .where("source_key", "=", source_key)
    .where("uri", "in", uris)
    .execute();

/**
 * The next `limit` addresses that were listed before, and not by this run; also those that were
 * gone before, when the run should `remove` what is gone.
 */
export async function findMissing(
  db: ImportsDb,
  { id, source_key, gone }: Pick<RunState, "id" | "source_key" | "gone">,
  after: string,
  limit: number,
): Promise<string[]> {
  let missing = db
    .selectFrom("imports_listed as listed")
    .select("uri")
    .where("source_key", "=", source_key)
    .where("uri", ">", after)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("imports_items as item")
            .select("item.id")
            .where("item.run_id", "=", id)
            .where("item.uri", "=", sql.ref<string>("listed.uri")),
        ),
      ),
    );
  if (gone === "keep") missing = missing.where("gone_at", "is", null);
  return (await missing.orderBy("uri").limit(limit).execute()).map(({ uri }) => uri);
}

/** Records since when the source has no longer listed the item, epoch ms. */
export const setGone = (db: ImportsDb, { source_key, uri }: ListedRow, gone_at: number) =>
  db
    .updateTable("imports_listed")
    .set({ gone_at })
    .where("source_key", "=", source_key)
    .where("uri", "=", uri)
    .execute();
/** Forgets that the source has listed the item. */
export const forget = (db: ImportsDb, { source_key, uri }: ListedRow) =>
  db
    .deleteFrom("imports_listed")
    .where("source_key", "=", source_key)
    .where("uri", "=", uri)
    .execute();

/** Whether another address, or another source, still lists this document in this folder. */
export const isListedElsewhere = async (
  db: ImportsDb,
  { source_key, uri, document_id, folder_id }: ListedRow,
): Promise<boolean> =>
  (await db
    .selectFrom("imports_listed")
    .select("uri")
    .where("document_id", "=", document_id)
    .where("folder_id", "=", folder_id)
    .where("gone_at", "is", null)
    .where((e) => e.or([e("source_key", "!=", source_key), e("uri", "!=", uri)]))
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** For documents that are deleted for good. */
export const forgetDocuments = (db: ImportsDb, document_ids: readonly string[]) =>
  db.deleteFrom("imports_listed").where("document_id", "in", document_ids).execute();

const forgotten_at_once = 200;
/** Some of what was listed into these folders; false when there was none. */
export const forgetSome = async (
  db: ImportsDb,
  folder_ids: readonly string[],
): Promise<boolean> => {
  const batch = await db
    .selectFrom("imports_listed")
    .select(["source_key", "uri"])
    .where("run_folder_id", "in", folder_ids)
    .limit(forgotten_at_once)
    .execute();
  const keys = [...new Set(batch.map(({ source_key }) => source_key))];
  for (const source_key of keys)
    await db
      .deleteFrom("imports_listed")
      .where("source_key", "=", source_key)
      .where(
        "uri",
        "in",
        batch.filter((row) => row.source_key === source_key).map(({ uri }) => uri),
      )
      .execute();
  return batch.length > 0;
};
