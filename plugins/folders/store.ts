/**
 * Every SQL statement about folders. The database is the first parameter, so that the caller
 * decides the transaction.
 */
import { batchesOf } from "../../core/lib/batch";
import { listOfIds } from "../../core/lib/id-lists";
import {
  nearerEnd,
  prepared,
  preparedFirst,
  pageWindow,
  sql,
  toNumber,
  type Db,
  type PreparedReads,
  type PageRequest,
} from "../../core/sdk";
import type { DocumentStatus } from "../documents/contract";
import type { FolderCounter } from "./contract";

/** A folder with its counters. */
export interface FolderRow {
  readonly id: string;
  readonly owner_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly description: string | null;
  /** Live links to documents, by the document's status. */
  readonly syncing_count: number;
  readonly synced_count: number;
  readonly failed_count: number;
  /** Epoch ms. */
  readonly created_at: number;
  readonly updated_at: number;
  /**
   * Documents that are deleted with this folder, and their bytes: those that nothing else contains
   * or could get back. A document in several folders of one tree is counted by the root.
   */
  readonly held_documents: number;
  readonly held_bytes: number;
  /** Links that were removed and can be restored. */
  readonly restorable_count: number;
  /** Live links to documents that wait for their vectors. */
  readonly vectors_pending: number;
  /** Set while its contents are being purged; the folder is invisible then. */
  readonly deleted_at: number | null;
  /** 1 while it is being filled; `deleted_at` is set then. */
  readonly staged: number;
}
export interface FoldersTables {
  folders: FolderRow;
}
type FoldersDb = Db<FoldersTables>;

/** Folders of everybody, or of one user; newest first, at most this many. */
export function allFolders(
  db: FoldersDb,
  owner_id: string | undefined,
  limit: number,
): Promise<FolderRow[]> {
  const live = db.selectFrom("folders").selectAll().where("deleted_at", "is", null);
  return (owner_id === undefined ? live : live.where("owner_id", "=", owner_id))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** The columns of a folder in the list. */
const listed_columns = [
  "id",
  "parent_id",
  "name",
  "description",
  "syncing_count",
  "synced_count",
  "failed_count",
  "vectors_pending",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof FolderRow)[];
/** A folder as a list returns it. */
export type ListedFolder = Pick<FolderRow, (typeof listed_columns)[number]>;

/** Written as text, because the list is requested all the time. */
const listSql = (direction: "asc" | "desc") => `
  select ${listed_columns.join(", ")}
  from folders where owner_id = ? and deleted_at is null
  order by created_at ${direction}, id ${direction} limit ? offset ?`;
const list_sql = { forward: listSql("desc"), backward: listSql("asc") };
/** One page, newest first; `total` is the number of the owner's folders. */
export async function listFolders(
  reads: PreparedReads,
  owner_id: string,
  page: PageRequest,
  total: number,
): Promise<ListedFolder[]> {
  const { size, skip, is_backward } = nearerEnd(pageWindow(page), total);
  const statement = is_backward ? list_sql.backward : list_sql.forward;
  const rows = await reads.all<ListedFolder>(statement, owner_id, size, skip);
  return is_backward ? rows.reverse() : rows;
}

/** Existing folders: every read but the purge's begins here. */
const present = (db: FoldersDb) => db.selectFrom("folders").where("deleted_at", "is", null);

export const findFolder = (db: FoldersDb, id: string): Promise<FolderRow | undefined> =>
  findOne(db, { id });
const findOne = preparedFirst((db: FoldersDb, { id }: Pick<FolderRow, "id">) =>
  present(db).selectAll().where("id", "=", id),
);

export const findFolders = async (db: FoldersDb, ids: readonly string[]): Promise<FolderRow[]> =>
  ids.length === 0 ? [] : findAll(db, { ids });
const findAll = prepared((db: FoldersDb, { ids }: { readonly ids: readonly string[] }) =>
  present(db).selectAll().where("id", "in", ids),
);

/**
 * The ids of all folders of the owner, in no order. They are read as one value, because thousands
 * of rows would take longer.
 */
export async function ownedIds(db: FoldersDb, owner_id: string): Promise<readonly string[]> {
  const row = await present(db)
    .select(sql<string | null>`string_agg(id, ' ')`.as("ids"))
    .where("owner_id", "=", owner_id)
    .executeTakeFirst();
  return listOfIds(row?.ids ?? "");
}

/** A root folder of the owner; undefined when there is none. */
export const anyRoot = async (db: FoldersDb, owner_id: string): Promise<string | undefined> =>
  (
    await present(db)
      .select("id")
      .where("owner_id", "=", owner_id)
      .where("parent_id", "is", null)
      .limit(1)
      .executeTakeFirst()
  )?.id;

/** Folders with documents that are being indexed, those with the most first. */
export const syncingFolders = async (
  db: FoldersDb,
  limit: number,
): Promise<{ id: string; owner_id: string; syncing: number }[]> =>
  (
    await present(db)
      .select(["id", "owner_id", "syncing_count"])
      .where(sql.ref("syncing_count"), ">", sql.lit(0))
      .orderBy("syncing_count", "desc")
      .limit(limit)
      .execute()
  ).map(({ id, owner_id, syncing_count }) => ({
    id,
    owner_id,
    syncing: toNumber(syncing_count),
  }));

/** The documents of these folders that are being indexed. */
export const sumSyncing = async (db: FoldersDb, ids: readonly string[]): Promise<number> =>
  ids.length === 0
    ? 0
    : toNumber(
        (
          await present(db)
            .select((e) => e.fn.sum("syncing_count").as("n"))
            .where("id", "in", ids)
            .executeTakeFirstOrThrow()
        ).n,
      );

/** The ids of the subfolders of these folders. */
export const childIds = async (db: FoldersDb, parent_ids: readonly string[]): Promise<string[]> =>
  parent_ids.length === 0 ? [] : (await idsBelow(db, { parent_ids })).map((row) => row.id);
const idsBelow = prepared((db: FoldersDb, values: { readonly parent_ids: readonly string[] }) =>
  present(db).select("id").where("parent_id", "in", values.parent_ids),
);

/** The subfolders of a folder, oldest first. */
export const childrenOf = (
  db: FoldersDb,
  parent_id: string,
): Promise<Pick<FolderRow, "id" | "name">[]> =>
  present(db)
    .select(["id", "name"])
    .where("parent_id", "=", parent_id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();

/** The same with all columns. */
export const subfoldersOf = (db: FoldersDb, parent_id: string): Promise<FolderRow[]> =>
  present(db)
    .selectAll()
    .where("parent_id", "=", parent_id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();

/** Names of root folders that equal this one, or begin with it. */
export const rootNamesLike = async (
  db: FoldersDb,
  owner_id: string,
  name: string,
): Promise<string[]> =>
  (
    await present(db)
      .select("name")
      .where("owner_id", "=", owner_id)
      .where("parent_id", "is", null)
      .where(sql<string>`substr(name, 1, ${[...name].length})`, "=", name)
      .execute()
  ).map((row) => row.name);

/** The oldest with that name. */
export const findRootNamed = (
  db: FoldersDb,
  owner_id: string,
  name: string,
): Promise<Pick<FolderRow, "id"> | undefined> =>
  present(db)
    .select("id")
    .where("owner_id", "=", owner_id)
    .where("parent_id", "is", null)
    .where("name", "=", name)
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();

/** Reveals staged folders; returns the ids of those that were staged. */
export const reveal = async (db: FoldersDb, ids: readonly string[]): Promise<string[]> =>
  (
    await db
      .updateTable("folders")
      .set({ deleted_at: null, staged: 0 })
      .where("id", "in", ids)
      .where("staged", "=", 1)
      .returning("id")
      .execute()
  ).map((row) => row.id);

export const insertFolder = (db: FoldersDb, row: FolderRow) =>
  db.insertInto("folders").values(row).execute();

export const updateFolder = (
  db: FoldersDb,
  id: string,
  values: Partial<Pick<FolderRow, "name" | "description">>,
  updated_at: number,
): Promise<FolderRow | undefined> =>
  db
    .updateTable("folders")
    .set({ ...values, updated_at })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .returningAll()
    .executeTakeFirst();

/**
 * Marks a folder and its subfolders as deleted; returns the ids of those that were not deleted
 * before.
 */
export const markDeleted = async (
  db: FoldersDb,
  id: string,
  deleted_at: number,
): Promise<string[]> =>
  (
    await db
      .updateTable("folders")
      .set({ deleted_at })
      .where((e) => e.or([e("id", "=", id), e("parent_id", "=", id)]))
      .where("deleted_at", "is", null)
      .returning("id")
      .execute()
  ).map((row) => row.id);

/** A folder that is deleted, and whose contents may not be purged yet. */
export type DeletedFolder = Pick<FolderRow, "deleted_at" | "id" | "owner_id" | "parent_id">;
/** Folders that wait to be purged: all of them, or one with its subfolders. */
export const deletedFolders = (db: FoldersDb, id?: string): Promise<DeletedFolder[]> =>
  db
    .selectFrom("folders")
    .select(["id", "owner_id", "parent_id", "deleted_at"])
    .where("deleted_at", "is not", null)
    .$if(id !== undefined, (query) =>
      query.where((e) => e.or([e("id", "=", id!), e("parent_id", "=", id!)])),
    )
    .execute();

/**
 * Deletes the rows of purged folders. Subfolders are deleted in the same statement as their parent.
 */
export const deleteFolder = (db: FoldersDb, id: string) =>
  db
    .deleteFrom("folders")
    .where("deleted_at", "is not", null)
    .where((e) => e.or([e("id", "=", id), e("parent_id", "=", id)]))
    .execute();

/** The changes of a folder's counters. */
export type CounterSums = Readonly<Record<DocumentStatus | FolderCounter, number>>;

/** Changes the counters of one folder. */
export const moveCounters = (db: FoldersDb, id: string, by: CounterSums) =>
  addToCounters(db, { id, ...by });
const addToCounters = prepared(
  (db: FoldersDb, { id, ...by }: { readonly id: string } & CounterSums) =>
    db
      .updateTable("folders")
      .set({
        syncing_count: sql<number>`syncing_count + ${by.syncing}`,
        synced_count: sql<number>`synced_count + ${by.synced}`,
        failed_count: sql<number>`failed_count + ${by.sync_failed}`,
        held_documents: sql<number>`held_documents + ${by.held_documents}`,
        held_bytes: sql<number>`held_bytes + ${by.held_bytes}`,
        restorable_count: sql<number>`restorable_count + ${by.restorable_count}`,
        vectors_pending: sql<number>`vectors_pending + ${by.vectors_pending}`,
      })
      .where("id", "=", id),
);

const haveVectorsPending = sql<boolean>`vectors_pending > 0`;

/** Folders with documents that wait for their vectors. */
export const listVectorsPending = async (
  db: FoldersDb,
): Promise<{ id: string; documents: number }[]> =>
  (await present(db).select(["id", "vectors_pending"]).where(haveVectorsPending).execute()).map(
    ({ id, vectors_pending }) => ({ id, documents: toNumber(vectors_pending) }),
  );

/** No document waits for its vectors. */
export const clearVectorsPending = (db: FoldersDb) =>
  db.updateTable("folders").set({ vectors_pending: 0 }).where(haveVectorsPending).execute();

/** What folders contain: a document in two of them counts twice. */
export interface Held {
  readonly documents: number;
  readonly bytes: number;
}
/** What is deleted with these folders, which may be deleted already. */
export async function sumHeld(db: FoldersDb, ids: readonly string[]): Promise<Held> {
  let documents = 0;
  let bytes = 0;
  for (const batch of batchesOf(ids, ids_at_once)) {
    const row = await db
      .selectFrom("folders")
      .select((e) => [
        e.fn.sum("held_documents").as("documents"),
        e.fn.sum("held_bytes").as("bytes"),
      ])
      .where("id", "in", batch)
      .executeTakeFirstOrThrow();
    documents += toNumber(row.documents);
    bytes += toNumber(row.bytes);
  }
  return { documents, bytes };
}
/** The maximum number of ids in one statement. */
const ids_at_once = 5_000;

/** Documents that were deleted with their folders. */
export const countToPurge = async (reads: PreparedReads): Promise<number> =>
  toNumber(
    (
      await reads.get<{ documents: number | null }>(
        "select sum(held_documents) as documents from folders where " +
          "deleted_at is not null and staged = 0",
      )
    )?.documents,
  );
