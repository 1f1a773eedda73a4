/**
 * Every SQL statement of the purge of documents, and about which folder a document is deleted with.
 */
import { sql, toNumber, type PreparedReads } from "../../../core/sdk";
import { isLinked, type DocumentRow, type DocumentsDb, type LinkRow } from "../store";

/** The properties of a document in a deleted folder that its purge needs. */
interface PurgeableRow extends Pick<DocumentRow, "id" | "owner_id" | "held_by" | "size_bytes"> {
  /** 1 when an existing folder contains it or can get it back. */
  readonly is_linked: number;
}

const withNumbers = <R extends { readonly size_bytes: number }>(rows: readonly R[]): R[] =>
  rows.map((row) => ({ ...row, size_bytes: toNumber(row.size_bytes) }));

/** Some links of a folder, live or restorable. */
export const linksOf = async (
  db: DocumentsDb,
  folder_id: string,
  limit: number,
): Promise<PurgeableRow[]> =>
  withNumbers(
    await db
      .selectFrom("documents_links as l")
      .innerJoin("documents as d", "d.id", "l.document_id")
      .where("l.folder_id", "=", folder_id)
      .select(["d.id", "d.owner_id", "d.held_by", "d.size_bytes"])
      .select(sql<number>`case when ${isLinked("d.id")} then 1 else 0 end`.as("is_linked"))
      .limit(limit)
      .execute(),
  );

/**
 * How many of the owner's documents in several trees are examined. The rest give back their quota
 * when they are purged.
 */
const shared_max = 2_000;
/** Documents of several trees that are in none any more. */
export const findLost = async (
  db: DocumentsDb,
  owner_id: string,
): Promise<Pick<DocumentRow, "id" | "size_bytes">[]> =>
  withNumbers(
    await db
      .selectFrom((e) =>
        e
          .selectFrom("documents")
          .select(["id", "size_bytes"])
          .where("owner_id", "=", owner_id)
          .where("held_by", "is", null)
          .limit(shared_max)
          .as("d"),
      )
      .select(["d.id", "d.size_bytes"])
      .where((e) => e.not(isLinked("d.id")))
      .where((e) =>
        e.exists(
          e
            .selectFrom("documents_links as l")
            .select("l.folder_id")
            .whereRef("l.document_id", "=", "d.id"),
        ),
      )
      .execute(),
  );

/** Records with which folder the documents are deleted; null: with none. */
export const setHolder = async (
  db: DocumentsDb,
  document_ids: readonly string[],
  held_by: string | null,
): Promise<void> => {
  await db.updateTable("documents").set({ held_by }).where("id", "in", document_ids).execute();
};

/** Deletes the links of these documents to one folder. */
export const deleteLinks = async (
  db: DocumentsDb,
  folder_id: string,
  document_ids: readonly string[],
): Promise<void> => {
  await db
    .deleteFrom("documents_links")
    .where("folder_id", "=", folder_id)
    .where("document_id", "in", document_ids)
    .execute();
};

/** Some links that were removed at or before `deleted_until`, with their documents. */
export const expiredLinks = async (
  db: DocumentsDb,
  deleted_until: number,
  limit: number,
): Promise<
  (Pick<LinkRow, "folder_id"> & Pick<DocumentRow, "id" | "owner_id" | "held_by" | "size_bytes">)[]
> =>
  withNumbers(
    await db
      .selectFrom("documents_links as l")
      .innerJoin("documents as d", "d.id", "l.document_id")
      .select(["l.folder_id", "d.id", "d.owner_id", "d.held_by", "d.size_bytes"])
      .where("l.deleted_at", "<=", deleted_until)
      .where("l.deleted_at", "is not", null)
      .orderBy("l.deleted_at")
      .limit(limit)
      .execute(),
  );

/**
 * Links that were removed while the clock was ahead count as removed now; returns how many of at
 * most this many.
 */
export const correctDeletions = async (
  db: DocumentsDb,
  now_ms: number,
  limit: number,
): Promise<number> => {
  const ahead = await db
    .selectFrom("documents_links")
    .select(["document_id", "folder_id"])
    .where("deleted_at", ">", now_ms)
    .limit(limit)
    .execute();
  for (const { document_id, folder_id } of ahead)
    await db
      .updateTable("documents_links")
      .set({ deleted_at: now_ms })
      .where("document_id", "=", document_id)
      .where("folder_id", "=", folder_id)
      .execute();
  return ahead.length;
};

/** Whether the document is in a folder, or can be restored to one. */
export const hasLinks = async (db: DocumentsDb, document_id: string): Promise<boolean> =>
  (await db
    .selectFrom("documents_links")
    .select("folder_id")
    .where("document_id", "=", document_id)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Marks a document without links for the purge. */
export const queueDocument = (db: DocumentsDb, document_id: string) =>
  db.insertInto("documents_purges").values({ document_id }).execute();
/** Ids of documents that wait for the purge. */
export const queuedDocuments = async (db: DocumentsDb, limit: number): Promise<string[]> =>
  (await db.selectFrom("documents_purges").select("document_id").limit(limit).execute()).map(
    (row) => row.document_id,
  );
export const dequeueDocuments = async (
  db: DocumentsDb,
  document_ids: readonly string[],
): Promise<void> => {
  if (document_ids.length > 0)
    await db.deleteFrom("documents_purges").where("document_id", "in", document_ids).execute();
};
export const countQueued = async (reads: PreparedReads): Promise<number> =>
  toNumber(
    (await reads.get<{ total: number }>("select count(*) as total from documents_purges"))?.total,
  );

/** What the purge needs to know of a document. */
export interface PurgedDocument extends Pick<
  DocumentRow,
  "id" | "owner_id" | "name" | "held_by" | "size_bytes"
> {
  /** Originals of its versions. */
  readonly files: readonly string[];
}

/** Deletes documents for good, links first. `ids` is not empty. */
export async function deleteDocuments(
  db: DocumentsDb,
  ids: readonly string[],
): Promise<PurgedDocument[]> {
  await db.deleteFrom("documents_links").where("document_id", "in", ids).execute();
  const versions = await db
    .deleteFrom("documents_versions")
    .where("document_id", "in", ids)
    .returning(["document_id", "sha256", "in_files"])
    .execute();
  const files = Map.groupBy(
    versions.filter(({ in_files }) => in_files === 1),
    ({ document_id }) => document_id,
  );
  const documents = await db
    .deleteFrom("documents")
    .where("id", "in", ids)
    .returning(["id", "owner_id", "name", "held_by", "size_bytes"])
    .execute();
  return withNumbers(documents).map((row) => ({
    ...row,
    files: (files.get(row.id) ?? []).map(({ sha256 }) => sha256),
  }));
}
