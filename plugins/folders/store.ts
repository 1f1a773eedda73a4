/**
 * Every SQL statement about folders. The database comes first, so that the caller decides the
 * transaction.
 */
import {
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
}
export interface FoldersTables {
  folders: FolderRow;
}
type FoldersDb = Db<FoldersTables>;

/** What the list shows of a folder. */
export type ListedFolder = Omit<FolderRow, "owner_id">;

/**
 * The same columns in the same order as `FolderRow` without its owner: the one list that is asked
 * for all the time.
 */
const list_sql = `
  select id, parent_id, name, description, syncing_count, synced_count, failed_count, created_at,
    updated_at
  from folders where owner_id = ? order by created_at desc, id desc limit ? offset ?`;
/** One page, newest first. */
export function listFolders(
  reads: PreparedReads,
  owner_id: string,
  page: PageRequest,
): Promise<ListedFolder[]> {
  const { limit, offset } = pageWindow(page);
  return reads.all<ListedFolder>(list_sql, owner_id, limit, offset);
}

export const findFolder = (db: FoldersDb, id: string): Promise<FolderRow | undefined> =>
  findOne(db, { id });
const findOne = preparedFirst((db: FoldersDb, { id }: Pick<FolderRow, "id">) =>
  db.selectFrom("folders").selectAll().where("id", "=", id),
);

export const findFolders = async (db: FoldersDb, ids: readonly string[]): Promise<FolderRow[]> =>
  ids.length === 0 ? [] : db.selectFrom("folders").selectAll().where("id", "in", ids).execute();

export const ownedIds = async (db: FoldersDb, owner_id: string): Promise<string[]> =>
  (await db.selectFrom("folders").select("id").where("owner_id", "=", owner_id).execute()).map(
    (row) => row.id,
  );

export const sumSyncing = async (db: FoldersDb, ids: readonly string[]): Promise<number> =>
  ids.length === 0
    ? 0
    : toNumber(
        (
          await db
            .selectFrom("folders")
            .select((e) => e.fn.sum("syncing_count").as("n"))
            .where("id", "in", ids)
            .executeTakeFirstOrThrow()
        ).n,
      );

export const childIds = async (db: FoldersDb, parent_ids: readonly string[]): Promise<string[]> =>
  parent_ids.length === 0
    ? []
    : (
        await db.selectFrom("folders").select("id").where("parent_id", "in", parent_ids).execute()
      ).map((row) => row.id);

export const childrenOf = (
  db: FoldersDb,
  parent_id: string,
): Promise<Pick<FolderRow, "id" | "name">[]> =>
  db
    .selectFrom("folders")
    .select(["id", "name"])
    .where("parent_id", "=", parent_id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();

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
    .returningAll()
    .executeTakeFirst();

/** Subfolders go in the same statement as their parent, or before it. */
export const deleteFolders = (db: FoldersDb, ids: readonly string[]) =>
  db.deleteFrom("folders").where("id", "in", ids).execute();

/** Moves the counters of one folder. */
export const moveCounters = (
  db: FoldersDb,
  id: string,
  by: Readonly<Record<DocumentStatus, number>>,
) => addToCounters(db, { id, ...by });
const addToCounters = prepared(
  (
    db: FoldersDb,
    { id, ...by }: { readonly id: string } & Readonly<Record<DocumentStatus, number>>,
  ) =>
    db
      .updateTable("folders")
      .set({
        syncing_count: sql<number>`syncing_count + ${by.syncing}`,
        synced_count: sql<number>`synced_count + ${by.synced}`,
        failed_count: sql<number>`failed_count + ${by.sync_failed}`,
      })
      .where("id", "=", id),
);
