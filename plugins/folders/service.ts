/** The rules about folders. Knows nothing of HTTP requests and writes no SQL. */
import {
  badRequest,
  checkedName,
  description_length_max,
  forbidden,
  HttpError,
  notFound,
  optionalText,
  requireAllOwned,
  requireOwned,
  type Change,
  type Db,
  type PageRequest,
  type PreparedReads,
} from "../../core/sdk";
import type { DocumentStatus } from "../documents/contract";
import type { Folder, Folders } from "./contract";
import * as store from "./store";
import type { FolderRow } from "./store";

export interface NewFolder {
  readonly name: string;
  readonly description?: string | null;
  readonly parentId?: string | null;
}
/** Absent fields stay as they are; a description of null is taken away. */
export interface FolderChange {
  readonly name?: string;
  readonly description?: string | null;
}

export interface FolderParts {
  readonly db: Db<store.FoldersTables>;
  readonly reads: PreparedReads;
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  /** Counts folders against the owner's quota. @throws HttpError 403 */
  readonly charge: (tx: Db, owner_id: string, folders: number) => Promise<void>;
  /**
   * How many folders the owner has: what was charged, because counting them would take as long as
   * listing them.
   */
  readonly held: (owner_id: string) => Promise<number>;
  /** Clears what other plugins keep in these folders, inside the deleting transaction. */
  readonly removeContents: (
    tx: Db,
    owner_id: string,
    folder_ids: readonly string[],
  ) => Promise<void>;
  /**
   * The same for what is large, outside of a transaction, in parts that a full disk has room for.
   */
  readonly removeInParts: (owner_id: string, folder_ids: readonly string[]) => Promise<void>;
  readonly announceDeleted: (
    tx: Db,
    owner_id: string,
    folder_ids: readonly string[],
  ) => Promise<void>;
  /** Takes deleted text out of the write-ahead log. */
  readonly truncateWal: () => void;
  readonly notify: (change: Change) => void;
}

export function createFolders({
  db,
  reads,
  inTransaction,
  now_ms,
  newId,
  charge,
  held,
  removeContents,
  removeInParts,
  announceDeleted,
  truncateWal,
  notify,
}: FolderParts) {
  const tell = (owner_id: string, id: string, action: Change["action"]): void =>
    notify({ owner_id, kind: "folder", id, folder_id: id, action });
  const newRow = (
    owner_id: string,
    parent_id: string | null,
    name: string,
    description: string | null,
  ): FolderRow => {
    const now = now_ms();
    return {
      id: newId("fld"),
      owner_id,
      parent_id,
      name,
      description,
      syncing_count: 0,
      synced_count: 0,
      failed_count: 0,
      created_at: now,
      updated_at: now,
    };
  };
  const insert = async (tx: Db, folder: FolderRow): Promise<void> => {
    await charge(tx, folder.owner_id, 1);
    await store.insertFolder(tx, folder);
    tell(folder.owner_id, folder.id, "created");
  };

  return {
    ...contract,

    async ensureChild(tx: Db, owner_id: string, parent_id: string, name: string): Promise<string> {
      const wanted = name.normalize("NFC");
      const known = (await store.childrenOf(tx, parent_id)).find(
        (child) => child.name.normalize("NFC") === wanted,
      );
      if (known) return known.id;
      const folder = newRow(owner_id, parent_id, name, null);
      await insert(tx, folder);
      return folder.id;
    },

    list: async (owner_id: string, page: PageRequest) => ({
      rows: await store.listFolders(reads, owner_id, page),
      total: await held(owner_id),
    }),

    get: (owner_id: string, folder_id: string): Promise<FolderRow> =>
      requireRow(db, owner_id, folder_id),

    /**
     * @throws HttpError 400 on a bad name or a parent that is itself a subfolder, 404 or 403 on the
     * parent, 403 when the quota is reached.
     */
    async create(owner_id: string, input: NewFolder): Promise<FolderRow> {
      const folder = newRow(
        owner_id,
        input.parentId ?? null,
        checkedName(input.name, "/name"),
        optionalText(input.description, "/description", description_length_max),
      );
      await inTransaction(async (tx) => {
        if (folder.parent_id !== null) await requireRoot(tx, owner_id, folder.parent_id);
        await insert(tx, folder);
      });
      return folder;
    },

    /** Changes the fields that are given. @throws HttpError 400, 403 or 404. */
    async change(
      owner_id: string,
      folder_id: string,
      { name, description }: FolderChange,
    ): Promise<FolderRow> {
      const values = {
        ...(name === undefined ? {} : { name: checkedName(name, "/name") }),
        ...(description === undefined
          ? {}
          : { description: optionalText(description, "/description", description_length_max) }),
      };
      const before = await requireRow(db, owner_id, folder_id);
      if (Object.keys(values).length === 0) return before;
      const after = await store.updateFolder(db, folder_id, values, now_ms());
      if (!after) throw notFound("folder");
      tell(owner_id, folder_id, "changed");
      return after;
    },

    /**
     * Deletes a folder, its subfolders and what they hold, for good. @throws HttpError 403 or 404.
     */
    async remove(owner_id: string, folder_id: string): Promise<void> {
      const atOnce = () =>
        inTransaction(async (tx) => {
          await requireRow(tx, owner_id, folder_id);
          const folder_ids = [...(await store.childIds(tx, [folder_id])), folder_id];
          await removeContents(tx, owner_id, folder_ids);
          await store.deleteFolders(tx, folder_ids);
          await charge(tx, owner_id, -folder_ids.length);
          await announceDeleted(tx, owner_id, folder_ids);
          for (const id of folder_ids) tell(owner_id, id, "deleted");
        });
      try {
        await atOnce();
      } catch (error) {
        if (!(error instanceof HttpError && error.code === "storage_full")) throw error;
        // Deleting needs room too, for as long as it is being written: as much as what goes.
        await removeInParts(owner_id, [...(await store.childIds(db, [folder_id])), folder_id]);
        await atOnce();
      }
      truncateWal();
    },
  };
}
export type FolderService = ReturnType<typeof createFolders>;

/** What other plugins use: every call says which database or transaction to read. */
const contract: Omit<Folders, "ensureChild"> = {
  require: (from, owner_id, folder_id): Promise<Folder> => requireRow(from, owner_id, folder_id),

  async scope(from, owner_id, folder_ids, pointer) {
    const unique_ids = [...new Set(folder_ids)];
    const found = await store.findFolders(from, unique_ids);
    requireAllOwned(found, unique_ids, owner_id, { what: "folder", pointer });
    return [...new Set([...unique_ids, ...(await store.childIds(from, unique_ids))])];
  },

  all: (from, owner_id) => store.ownedIds(from, owner_id),

  beingRead: store.sumSyncing,

  async count(tx, changes) {
    const moved = new Map<string, Record<DocumentStatus, number>>();
    for (const { folder_id, status, by } of changes) {
      const sums = moved.get(folder_id) ?? { syncing: 0, synced: 0, sync_failed: 0 };
      sums[status] += by;
      moved.set(folder_id, sums);
    }
    for (const [folder_id, by] of moved) {
      if (by.syncing !== 0 || by.synced !== 0 || by.sync_failed !== 0)
        await store.moveCounters(tx, folder_id, by);
    }
  },
};

/** @throws HttpError 404 when there is no such folder, 403 when it is another user's. */
async function requireRow(from: Db, owner_id: string, folder_id: string): Promise<FolderRow> {
  return requireOwned(await store.findFolder(from, folder_id), owner_id, "folder");
}

/** @throws HttpError 404, 403, and 400 when the parent is itself a subfolder. */
async function requireRoot(tx: Db, owner_id: string, parent_id: string): Promise<void> {
  const parent = await store.findFolder(tx, parent_id);
  if (!parent) throw notFound("parent folder");
  if (parent.owner_id !== owner_id) throw forbidden("The parent folder belongs to another user.");
  if (parent.parent_id !== null)
    throw badRequest(
      "The field parentId must name a root folder: folders have two levels, and this one is a " +
        "subfolder.",
      "/parentId",
    );
}
