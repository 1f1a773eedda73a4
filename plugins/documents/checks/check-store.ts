/** SQL of the health checks of documents, which read all of them, a page at a time. */
import { sql, toNumber, type Db } from "../../../core/sdk";
import { findDocument, isLinked, type DocumentsDb } from "../store";

/** Versions with a file, ordered by file, then by key. */
export async function listOriginals(db: DocumentsDb, after: OriginalKey, limit: number) {
  const rows = await db
    .selectFrom("documents_versions")
    .select(["document_id", "version", "sha256", "size_bytes"])
    .where(
      sql<boolean>`(sha256, document_id, version) > (${sql.join([
        after.sha256,
        after.document_id,
        after.version,
      ])})`,
    )
    .where(sql.ref("in_files"), "=", sql.lit(1))
    .orderBy("sha256")
    .orderBy("document_id")
    .orderBy("version")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, size_bytes: toNumber(row.size_bytes) }));
}
/** An original, and the version of a document that needs it. */
export interface OriginalKey {
  readonly sha256: string;
  readonly document_id: string;
  readonly version: number;
}

/** The ids after `after`, ascending, of documents that are being indexed. */
export const listSyncing = async (
  db: DocumentsDb,
  after: string,
  limit: number,
): Promise<string[]> =>
  (
    await db
      .selectFrom("documents")
      .select("id")
      .where("id", ">", after)
      .where("status", "=", "syncing")
      .where(isLinked("documents.id"))
      .orderBy("id")
      .limit(limit)
      .execute()
  ).map(({ id }) => id);

export const isSyncing = async (db: DocumentsDb, id: string): Promise<boolean> =>
  (await findDocument(db, id))?.status === "syncing";

const syncedDocuments = (db: DocumentsDb) =>
  db
    .selectFrom("documents")
    .select(["id", "current_version"])
    .where("current_version", ">", 0)
    .where("status", "=", "synced")
    .where(isLinked("documents.id"));

/** Documents with a current version that are not being changed. */
export const listSynced = (db: DocumentsDb, after: string, limit: number) =>
  syncedDocuments(db).where("id", ">", after).orderBy("id").limit(limit).execute();
/** What the checks read of a document; undefined if it is not synced any more. */
export const findSynced = (db: DocumentsDb, id: string) =>
  syncedDocuments(db).where("id", "=", id).executeTakeFirst();

/** The ids among these that have a row, including documents that wait to be purged. */
export async function existingIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom("documents").select("id").where("id", "in", ids).execute();
  const purged = await db
    .selectFrom("documents_purges")
    .select("document_id")
    .where("document_id", "in", ids)
    .execute();
  return new Set([
    ...rows.map(({ id }) => id as string),
    ...purged.map(({ document_id }) => document_id as string),
  ]);
}
