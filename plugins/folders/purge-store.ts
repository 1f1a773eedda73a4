/**
 * Every SQL statement about deleted folders. The database is the first parameter, so that the
 * caller decides the transaction.
 */
import { toNumber, type PreparedReads } from "../../core/sdk";
import type { FolderRow, FoldersDb } from "./store";

/** Ids of the subfolders of a folder, in no order, at most `limit`. */
export const someSubfolders = async (
  db: FoldersDb,
  parent_id: string,
  limit: number,
): Promise<string[]> =>
  (
    await db
      .selectFrom("folders")
      .select("id")
      .where("deleted_at", "is", null)
      .where("parent_id", "=", parent_id)
      .limit(limit)
      .execute()
  ).map(({ id }) => id);

/** Marks folders as deleted. */
export const markDeleted = (db: FoldersDb, ids: readonly string[], deleted_at: number) =>
  db.updateTable("folders").set({ deleted_at }).where("id", "in", ids).execute();

/** A folder that is deleted, and whose contents may not be purged yet. */
export type DeletedFolder = Pick<FolderRow, "deleted_at" | "id" | "owner_id" | "parent_id">;
/** Folders that wait to be purged. */
export const deletedFolders = (db: FoldersDb): Promise<DeletedFolder[]> =>
  db
    .selectFrom("folders")
    .select(["id", "owner_id", "parent_id", "deleted_at"])
    .where("deleted_at", "is not", null)
    .execute();

/**
 * Ids of a folder and its subfolders that wait to be purged, at most `limit`: the folder itself is
 * the last.
 */
export async function someDeleted(db: FoldersDb, id: string, limit: number): Promise<string[]> {
  const deleted = db.selectFrom("folders").select("id").where("deleted_at", "is not", null);
  const rows = await deleted.where("parent_id", "=", id).limit(limit).execute();
  if (rows.length < limit) rows.push(...(await deleted.where("id", "=", id).execute()));
  return rows.map((row) => row.id);
}

/** Deletes the rows of purged folders; a parent in the same statement as the last subfolders. */
export const deleteFolders = (db: FoldersDb, ids: readonly string[]) =>
  db.deleteFrom("folders").where("id", "in", ids).execute();

/** Documents that were deleted with their folders; in the wording of the partial index. */
export const countToPurge = async (reads: PreparedReads): Promise<number> =>
  toNumber(
    (
      await reads.get<{ documents: number | null }>(
        "select sum(held_documents) as documents from folders where " +
          "deleted_at is not null and staged = 0 and held_documents > 0",
      )
    )?.documents,
  );
