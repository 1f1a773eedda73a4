/**
 * Every SQL statement about the links between documents and folders, except the list of a folder:
 * list-store.ts.
 */
import { batchesOf } from "../../../core/lib/batch";
import { StepPauses } from "../../../core/lib/chunked-work";
import { fileType } from "../../../core/lib/file-types";
import { countRows, prepared, sql, toNumber } from "../../../core/sdk";
import { isGone } from "../../folders/contract";
import type { DocumentName } from "../contract";
import { nameKey, nameOrder } from "../creation/names";
import type { DocumentRow, DocumentsDb, LinkRow } from "../store";

/** The folders that contain the document, oldest link first. */
export const foldersOf = async (db: DocumentsDb, document_id: string): Promise<string[]> =>
  oldestFirst(await linksOf(db, { document_id })).map((link) => link.folder_id);
const linksOf = prepared((db: DocumentsDb, { document_id }: Pick<LinkRow, "document_id">) =>
  liveLinks(db).where("document_id", "=", document_id),
);

/** The same for several documents. */
export async function foldersOfAll(
  db: DocumentsDb,
  document_ids: readonly string[],
): Promise<Map<string, string[]>> {
  const folders = new Map<string, string[]>(document_ids.map((id) => [id, []]));
  if (document_ids.length === 0) return folders;
  const links = await linksOfAll(db, { document_ids, limit: links_at_once });
  const pauses = new StepPauses();
  if (links.length < links_at_once)
    for (const link of oldestFirst(links)) folders.get(link.document_id)!.push(link.folder_id);
  else
    for (const id of folders.keys()) {
      folders.set(id, await foldersOf(db, id));
      await pauses.pause();
    }
  return folders;
}
/** Of documents that are in more folders together, those of one are read at a time. */
const links_at_once = 2_000;
const linksOfAll = prepared(
  (db: DocumentsDb, values: { document_ids: readonly string[]; limit: number }) =>
    liveLinks(db).where("document_id", "in", values.document_ids).limit(values.limit),
);

/** Sorted here: for a few links, setting up the database's sorting takes longer. */
const oldestFirst = <L extends Pick<LinkRow, "created_at" | "folder_id">>(rows: L[]): L[] =>
  rows.sort((a, b) => a.created_at - b.created_at || (a.folder_id < b.folder_id ? -1 : 1));

/** The documents among these that are in one of the folders. */
export const findLinked = async (
  db: DocumentsDb,
  document_ids: readonly string[],
  folder_ids: readonly string[],
): Promise<DocumentName[]> =>
  document_ids.length === 0 || folder_ids.length === 0
    ? []
    : findInFolders(db, { document_ids, folder_ids });
const findInFolders = prepared(
  (
    db: DocumentsDb,
    values: { readonly document_ids: readonly string[]; readonly folder_ids: readonly string[] },
  ) =>
    db
      .selectFrom("documents")
      .select(["id", "name", "current_version"])
      .where("id", "in", values.document_ids)
      .where(({ exists }) =>
        exists(
          liveLinks(db)
            .where("document_id", "=", sql.ref<string>("documents.id"))
            .where("folder_id", "in", values.folder_ids),
        ),
      ),
);

/** The folders of those documents that are synced. */
export const syncedLinks = async (
  db: DocumentsDb,
  document_ids: readonly string[],
): Promise<Pick<LinkRow, "document_id" | "folder_id">[]> =>
  document_ids.length === 0
    ? []
    : liveLinks(db)
        .where("document_id", "in", document_ids)
        .where("status", "=", "synced")
        .execute();

/** A link to a document with a current version. */
type CurrentLink = Pick<LinkRow, "document_id" | "folder_id" | "document_created_at">;
/** The folders of one statement: a scope may have tens of thousands. */
const folders_at_once = 256;
/** Links to documents with a current version: `limit` of them, in no particular order. */
export async function currentLinks(
  db: DocumentsDb,
  folder_ids: readonly string[],
  limit: number,
): Promise<CurrentLink[]> {
  const links: CurrentLink[] = [];
  const pauses = new StepPauses();
  for (const batch of batchesOf(folder_ids, folders_at_once)) {
    links.push(...(await currentLinksIn(db, { folder_ids: batch, limit: limit - links.length })));
    if (links.length === limit) break;
    await pauses.pause();
  }
  return links;
}
const currentLinksIn = prepared(
  (db: DocumentsDb, values: { readonly folder_ids: readonly string[]; readonly limit: number }) =>
    db
      .selectFrom("documents_links")
      .innerJoin("documents", "documents.id", "documents_links.document_id")
      .select([
        "documents_links.document_id",
        "documents_links.folder_id",
        "documents_links.document_created_at",
      ])
      .where("documents_links.folder_id", "in", values.folder_ids)
      .where("documents_links.is_deleted", "=", 0)
      .where(isThere)
      .where("documents.current_version", ">", 0)
      .limit(values.limit),
);

/** When documents of a folder were synced after this time: the newest `limit`. */
export const syncedSince = async (
  db: DocumentsDb,
  folder_id: string,
  after_ms: number,
  limit: number,
): Promise<number[]> =>
  (
    await db
      .selectFrom("documents_links as l")
      .innerJoin("documents as d", "d.id", "l.document_id")
      .select("d.synced_at")
      .where("l.folder_id", "=", folder_id)
      .where("l.is_deleted", "=", 0)
      // A document changes when it is synced, and possibly later.
      .where("l.updated_at", ">", after_ms)
      .where("d.synced_at", ">", after_ms)
      .orderBy("l.updated_at", "desc")
      .limit(limit)
      .execute()
  ).map((row) => toNumber(row.synced_at));

/** The documents among these that are in the folder now. */
export const findHere = async (
  db: DocumentsDb,
  document_ids: readonly string[],
  folder_id: string,
): Promise<ReadonlySet<string>> =>
  new Set(
    (
      await db
        .selectFrom("documents_links")
        .select("document_id")
        .where("folder_id", "=", folder_id)
        .where("document_id", "in", document_ids)
        .where("deleted_at", "is", null)
        .execute()
    ).map(({ document_id }) => document_id),
  );

const liveLinks = (db: DocumentsDb) =>
  db
    .selectFrom("documents_links")
    .select(["document_id", "folder_id", "created_at"])
    .where("deleted_at", "is", null)
    .where(isThere);
/** The folder of the link is not deleted. */
const isThere = sql<boolean>`not ${isGone("documents_links.folder_id")}`;

/** The folders that contain the document, or can get it back. */
export const linkedFolders = async (db: DocumentsDb, document_id: string): Promise<string[]> =>
  (
    await db
      .selectFrom("documents_links")
      .select("folder_id")
      .where("document_id", "=", document_id)
      .where(isThere)
      .execute()
  ).map((link) => link.folder_id);

export const findLink = (
  db: DocumentsDb,
  document_id: string,
  folder_id: string,
): Promise<LinkRow | undefined> =>
  db
    .selectFrom("documents_links")
    .selectAll()
    .where("document_id", "=", document_id)
    .where("folder_id", "=", folder_id)
    .executeTakeFirst();

/** The folders that hold the document, and those that held it and that it can be put back into. */
export const countLinks = (db: DocumentsDb, document_id: string): Promise<number> =>
  countRows(db.selectFrom("documents_links").where("document_id", "=", document_id));

/** The newest document of that name in the folder, of any kind. */
export const findNamesake = (
  db: DocumentsDb,
  folder_id: string,
  name_key: string,
): Promise<DocumentRow | undefined> =>
  db
    .selectFrom("documents_links as l")
    .innerJoin("documents as d", "d.id", "l.document_id")
    .selectAll("d")
    .where("l.folder_id", "=", folder_id)
    .where("l.is_deleted", "=", 0)
    .where("l.name_order", "=", nameOrder(name_key))
    .where("l.name_key", "=", name_key)
    .orderBy("l.document_created_at", "desc")
    .orderBy("l.document_id", "desc")
    .limit(1)
    .executeTakeFirst();

/**
 * The newest document in the folder that was imported from there. A join would let SQLite begin
 * with the documents of the folder, of which there may be fifty thousand.
 */
export const findImported = (
  db: DocumentsDb,
  folder_id: string,
  source_uri: string,
): Promise<DocumentRow | undefined> =>
  db
    .selectFrom("documents as d")
    .selectAll("d")
    .where(sql.ref("d.source_kind"), "=", sql.lit("import"))
    .where("d.source_uri", "=", source_uri)
    .where((e) =>
      e.exists(
        e
          .selectFrom("documents_links as l")
          .select("l.document_id")
          .whereRef("l.document_id", "=", "d.id")
          .where("l.folder_id", "=", folder_id)
          .where("l.deleted_at", "is", null),
      ),
    )
    .orderBy("d.created_at", "desc")
    .orderBy("d.id", "desc")
    .limit(1)
    .executeTakeFirst();

/** One of the folders in which another upload has that name. */
export const findUploadNamed = async (
  db: DocumentsDb,
  folder_ids: readonly string[],
  name_key: string,
  other_than: string,
): Promise<string | undefined> =>
  folder_ids.length === 0
    ? undefined
    : (
        await db
          .selectFrom("documents_links as l")
          .innerJoin("documents as d", "d.id", "l.document_id")
          .select("l.folder_id")
          .where("l.folder_id", "in", folder_ids)
          .where("l.is_deleted", "=", 0)
          .where("l.name_order", "=", nameOrder(name_key))
          .where("l.name_key", "=", name_key)
          .where("d.source_kind", "=", "upload")
          .where("d.id", "!=", other_than)
          .limit(1)
          .executeTakeFirst()
      )?.folder_id;

/** Inserts a live link to a document in its current state. */
export const insertLink = (
  db: DocumentsDb,
  document: LinkedDocument,
  {
    folder_id,
    reserves_name,
    created_at,
  }: Pick<LinkRow, "folder_id" | "reserves_name" | "created_at">,
) => {
  const name_key = nameKey(document.name);
  return insertRow(db, {
    document_id: document.id,
    folder_id,
    name_key,
    reserves_name,
    document_created_at: document.created_at,
    created_at,
    deleted_at: null,
    is_deleted: 0,
    name_order: nameOrder(name_key),
    status: document.status,
    size_bytes: document.size_bytes,
    file_type: fileType(document.media_type),
    updated_at: document.updated_at,
  });
};
/** The columns of a document that its links repeat, for sorting. */
export type LinkedDocument = Pick<
  DocumentRow,
  "id" | "name" | "created_at" | "status" | "size_bytes" | "media_type" | "updated_at"
>;
const insertRow = prepared((db: DocumentsDb, row: LinkRow) =>
  db.insertInto("documents_links").values(row),
);

/** Updates the status on all links of a document, including restorable ones. */
export const setLinkStatus = prepared(
  (
    db: DocumentsDb,
    { document_id, status, updated_at }: Pick<LinkRow, "document_id" | "status" | "updated_at">,
  ) =>
    db
      .updateTable("documents_links")
      .set({ status, updated_at })
      .where("document_id", "=", document_id),
);

/** The same for the properties of its newest version. */
export const setLinkContent = (
  db: DocumentsDb,
  document_id: string,
  { size_bytes, media_type }: Pick<DocumentRow, "size_bytes" | "media_type">,
) =>
  db
    .updateTable("documents_links")
    .set({ size_bytes, file_type: fileType(media_type) })
    .where("document_id", "=", document_id)
    .execute();

/** Updates the name on all links of a document, including restorable ones. */
export const renameLinks = (
  db: DocumentsDb,
  document_id: string,
  values: Pick<LinkRow, "name_key" | "name_order" | "reserves_name">,
) =>
  db
    .updateTable("documents_links")
    .set(values)
    .where("document_id", "=", document_id)
    .where(isThere)
    .execute();

/**
 * A document has become an upload: reserves its name in each of its folders, except where an older
 * upload has it.
 */
export const reserveName = (db: DocumentsDb, document_id: string) =>
  db
    .updateTable("documents_links")
    .set({ reserves_name: 1 })
    .where("document_id", "=", document_id)
    .where(isThere)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("documents_links as other")
            .select("other.document_id")
            .whereRef("other.folder_id", "=", "documents_links.folder_id")
            .whereRef("other.name_key", "=", "documents_links.name_key")
            .where("other.deleted_at", "is", null)
            .where(sql.ref("other.reserves_name"), "=", sql.lit(1))
            .where("other.document_id", "!=", document_id),
        ),
      ),
    )
    .execute();

/** Removes a live link restorably. False when there is none. */
export const softDelete = async (
  db: DocumentsDb,
  document_id: string,
  folder_id: string,
  deleted_at: number,
): Promise<boolean> =>
  (await db
    .updateTable("documents_links")
    .set({ deleted_at, is_deleted: 1 })
    .where("document_id", "=", document_id)
    .where("folder_id", "=", folder_id)
    .where("deleted_at", "is", null)
    .returning("document_id")
    .executeTakeFirst()) !== undefined;

/** Makes a deleted link live again. */
export const restoreLink = (
  db: DocumentsDb,
  document_id: string,
  folder_id: string,
  reserves_name: 0 | 1,
) =>
  db
    .updateTable("documents_links")
    .set({ deleted_at: null, is_deleted: 0, reserves_name })
    .where("document_id", "=", document_id)
    .where("folder_id", "=", folder_id)
    .execute();
