/**
 * Every SQL statement about folders. The database is the first parameter, so that the caller
 * decides the transaction.
 */
import { batchesOf } from "../../core/lib/batch";
import { listOfIds, setOfIds } from "../../core/lib/id-lists";
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
/** The database with this table. */
export type FoldersDb = Db<FoldersTables>;

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

/** The existing ones of these folders, with their parents. */
export const findParents = async (
  db: FoldersDb,
  ids: readonly string[],
): Promise<Pick<FolderRow, "id" | "parent_id">[]> =>
  ids.length === 0 ? [] : parentsOf(db, { ids });
const parentsOf = prepared((db: FoldersDb, { ids }: { readonly ids: readonly string[] }) =>
  present(db).select(["id", "parent_id"]).where("id", "in", ids),
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
      .where(...isSyncing)
      .orderBy("syncing_count", "desc")
      .limit(limit)
      .execute()
  ).map(({ id, owner_id, syncing_count }) => ({
    id,
    owner_id,
    syncing: toNumber(syncing_count),
  }));

/** In the wording of the partial index. */
const isSyncing = [sql.ref("syncing_count"), ">", sql.lit(0)] as const;

/** The documents of these folders that are being indexed. */
export async function sumSyncing(db: FoldersDb, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const syncing = present(db)
    .select(["id", "syncing_count"])
    .where(...isSyncing);
  // Few folders have any, so thousands of ids are not looked up one by one.
  const rows = await (
    ids.length > ids_in_lookup_max ? syncing : syncing.where("id", "in", ids)
  ).execute();
  const counted = setOfIds(ids);
  return rows.reduce(
    (sum, row) => sum + (counted.has(row.id) ? toNumber(row.syncing_count) : 0),
    0,
  );
}
const ids_in_lookup_max = 500;

/**
 * The ids of these folders and of their subfolders, in no order, each once. Those of subfolders are
 * read as one value, because thousands of rows would take longer, and from an index alone.
 */
export async function idsWithSubfolders(
  db: FoldersDb,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const given_ids = new Set(ids);
  const outer = (await findParents(db, ids)).filter(
    ({ parent_id }) => parent_id === null || !given_ids.has(parent_id),
  );
  const row = await present(db)
    .select(sql<string | null>`string_agg(id, ' ')`.as("ids"))
    .where("parent_id", "in", ids)
    .executeTakeFirst();
  return listOfIds([...outer.map(({ id }) => id), row?.ids ?? ""].join(" ").trim());
}

/** The oldest subfolder with one of these names. */
export async function findSubfolderNamed(
  db: FoldersDb,
  { owner_id, parent_id }: Pick<FolderRow, "owner_id" | "parent_id">,
  names: readonly string[],
): Promise<Pick<FolderRow, "id"> | undefined> {
  // Not sorted by the database, which would read all subfolders from the index in that order.
  const rows = await present(db)
    .select(["id", "created_at"])
    .where("owner_id", "=", owner_id)
    .where("parent_id", "=", parent_id)
    .where("name", "in", names)
    .execute();
  return rows.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))[0];
}

/** Subfolders, oldest first: the first `limit` after a subfolder, or from the first one on. */
export const subfoldersAfter = (
  db: FoldersDb,
  parent_id: string,
  after: Pick<FolderRow, "created_at" | "id"> | null,
  limit: number,
): Promise<FolderRow[]> =>
  present(db)
    .selectAll()
    .where("parent_id", "=", parent_id)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after!.created_at}, ${after!.id})`),
    )
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
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

/** The changes of a folder's counters. */
export type CounterSums = Readonly<Record<DocumentStatus | FolderCounter, number>>;

/** Changes the counters of each of these folders. */
export async function moveCounters(
  db: FoldersDb,
  ids: readonly string[],
  by: CounterSums,
): Promise<void> {
  if (ids.length === 1) await addToCounters(db, { id: ids[0]!, ...by });
  else
    for (const batch of batchesOf(ids, ids_in_lookup_max))
      await addToAll(db, { ids: batch, ...by });
}
const addToCounters = prepared(
  (db: FoldersDb, { id, ...by }: { readonly id: string } & CounterSums) =>
    db.updateTable("folders").set(increased(by)).where("id", "=", id),
);
const addToAll = prepared(
  (db: FoldersDb, { ids, ...by }: { readonly ids: readonly string[] } & CounterSums) =>
    db.updateTable("folders").set(increased(by)).where("id", "in", ids),
);
const increased = (by: CounterSums) => ({
  syncing_count: sql<number>`syncing_count + ${by.syncing}`,
  synced_count: sql<number>`synced_count + ${by.synced}`,
  failed_count: sql<number>`failed_count + ${by.sync_failed}`,
  held_documents: sql<number>`held_documents + ${by.held_documents}`,
  held_bytes: sql<number>`held_bytes + ${by.held_bytes}`,
  restorable_count: sql<number>`restorable_count + ${by.restorable_count}`,
  vectors_pending: sql<number>`vectors_pending + ${by.vectors_pending}`,
});

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
