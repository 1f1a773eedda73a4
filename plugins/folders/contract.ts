/** What other plugins may know about folders. */
import { beforeHook, event, service, shaped, slot, sql, t, type Db } from "../../core/sdk";
import type { DocumentStatus } from "../documents/contract";

/** A folder as other plugins see it. */
export interface Folder {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  /** Live links to documents, by the document's status. */
  readonly syncing_count: number;
  readonly synced_count: number;
  readonly failed_count: number;
  /** Links that can be restored. */
  readonly restorable_count: number;
  /** Null for a root folder. The tree has two levels: a folder with a parent has no children. */
  readonly parent_id: string | null;
}

/** A folder as it is exported to another server. Times are epoch ms. */
export interface FolderCopy {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/**
 * `held_documents`, `held_bytes`: what is deleted with the folder, because nothing else contains it
 * or could get it back. `restorable_count`: links that can be restored. `vectors_pending`: live
 * links to documents that wait for their vectors.
 */
export type FolderCounter =
  | "held_documents"
  | "held_bytes"
  | "restorable_count"
  | "vectors_pending";
/** The change of a counter, positive or negative. */
export type CounterChange = {
  readonly folder_id: string;
  readonly by: number;
} & (
  | { /** Of live links to documents of this status. */ readonly status: DocumentStatus }
  | { readonly counter: FolderCounter }
);

/** A folder that is about to be created. */
export interface FolderCreation {
  readonly owner_id: string;
  readonly name: string;
  readonly description: string | null;
  /** Null for a root folder. */
  readonly parent_id: string | null;
}
/**
 * Called before a folder is created: by a request, for a subfolder of an import, and with a folder
 * from another server. A request is answered with the refusal; in an import the items of that
 * subfolder fail with it, the import of an archive as a whole.
 */
export const BeforeFolderCreate = beforeHook<FolderCreation>("folders.before_create");

/** Proof that no hook has refused: only `Folders.admit` returns it. */
export interface AdmittedFolder {
  readonly admitted: true;
}
/** Folders for other plugins. */
export interface Folders {
  /** The folder. @throws HttpError 404 when it does not exist, 403 when it is another user's. */
  require(db: Db, owner_id: string, folder_id: string): Promise<Folder>;
  /** Checks several. `pointer` names the field with the ids. @throws HttpError as `require`. */
  requireAll(
    db: Db,
    owner_id: string,
    folder_ids: readonly string[],
    pointer: string,
  ): Promise<void>;
  /**
   * These folders and their subfolders, without duplicates. `pointer` names the field with the ids.
   * @throws HttpError 404 / 403 as `require`.
   */
  requireWithSubfolders(
    db: Db,
    owner_id: string,
    folder_ids: readonly string[],
    pointer: string,
  ): Promise<readonly string[]>;
  /**
   * The subfolder with that name, in canonical composition; created when there is none. `parent_id`
   * is a root folder of the owner. @throws HttpError 403 when a quota is reached.
   */
  ensureChild(
    tx: Db,
    owner_id: string,
    child: { readonly parent_id: string; readonly name: string; readonly admitted: AdmittedFolder },
  ): Promise<string>;
  /**
   * Runs the hooks in `BeforeFolderCreate`: call it outside a transaction, before `ensureChild` or
   * `stage`. @throws HttpError of the hook that refuses, 503 `check_failed` when one fails, the
   * reason of the signal
   */
  admit(folder: FolderCreation, signal?: AbortSignal): Promise<AdmittedFolder>;
  /** The same for a subfolder: runs no hooks when one with that name exists. */
  admitChild(
    folder: Pick<FolderCreation, "owner_id" | "name"> & { readonly parent_id: string },
    signal?: AbortSignal,
  ): Promise<AdmittedFolder>;
  /** The id of the oldest root folder with that name. */
  findRoot(db: Db, owner_id: string, name: string): Promise<string | undefined>;
  /** How many documents of these folders are not indexed yet. */
  countSyncing(db: Db, folder_ids: readonly string[]): Promise<number>;
  /** Folders with documents that are not indexed yet, those with the most first. */
  listSyncing(
    db: Db,
    limit: number,
  ): Promise<{ readonly id: string; readonly owner_id: string; readonly syncing: number }[]>;
  /** The ids of every folder of the owner. */
  listIds(db: Db, owner_id: string): Promise<readonly string[]>;
  /** The root folder of each of these, for a root itself; those that are gone are missing. */
  findRoots(db: Db, folder_ids: readonly string[]): Promise<Map<string, string>>;
  /**
   * What is deleted with these folders, which may be deleted already: documents and their bytes.
   */
  sumHeld(
    db: Db,
    folder_ids: readonly string[],
  ): Promise<{ readonly documents: number; readonly bytes: number }>;
  /** How many documents of deleted folders are not purged yet. */
  countToPurge(): Promise<number>;
  /** The folder and its subfolders, itself first. @throws HttpError 404 / 403 as `require`. */
  listTree(db: Db, owner_id: string, folder_id: string): Promise<FolderCopy[]>;
  /** The name, or the first of `name (2)`, `name (3)` … that no root folder of the owner has. */
  freeName(db: Db, owner_id: string, name: string): Promise<string>;
  /**
   * Creates folders that stay invisible until they are revealed, including what is put into them
   * meanwhile. The next start deletes those that are not revealed, as does `abandon`. `parent_id`
   * is among them.
   */
  stage(
    tx: Db,
    owner_id: string,
    folders: readonly (FolderCopy & { readonly admitted: AdmittedFolder })[],
  ): Promise<void>;
  /** Makes them visible to everybody. @throws HttpError 403 when a quota is reached. */
  reveal(tx: Db, owner_id: string, folder_ids: readonly string[]): Promise<void>;
  /** Deletes staged folders that will not be revealed, with their contents. */
  abandon(tx: Db, owner_id: string, root_id: string): Promise<void>;
  /** Call it in the transaction that changes links or a status. */
  moveCounters(tx: Db, changes: readonly CounterChange[]): Promise<void>;
  /** No document waits for its vectors, or all are about to be counted again. */
  clearVectorsPending(tx: Db): Promise<void>;
  /** Folders with documents that wait for their vectors, and how many. */
  listVectorsPending(db: Db): Promise<{ readonly id: string; readonly documents: number }[]>;
}
export const Folders = service<Folders>("folders");

/** What a plugin keeps in folders: how it is deleted with them. */
export interface Contents {
  /**
   * Called inside the transaction that deletes these folders (subfolders included), which are
   * invisible from then on: removes their contents from every view and count. Must be as quick for
   * a hundred thousand records as for one, so rows are left to `purge`, and reads exclude them with
   * `isGone`.
   */
  remove(tx: Db, owner_id: string, folder_ids: readonly string[]): Promise<void>;
  /**
   * Called afterwards, in the background: deletes the rows and files, in transactions as small as
   * `inParts` makes them. Continues where an earlier call was interrupted. @throws the reason of
   * the signal
   */
  purge?(owner_id: string, folder_ids: readonly string[], signal: AbortSignal): Promise<void>;
}
/** Plugins that keep data in folders. */
export const FolderContents = slot<Contents>("folders.contents", {
  check: shaped<Contents>({ remove: "function", purge: "function?" }),
});

/**
 * A folder was deleted with its subfolders; their contents are purged afterwards. Of thousands of
 * subfolders most are deleted before it, with events of their own.
 */
export const FolderDeleted = event(
  "folder.deleted",
  t.Object({
    owner_id: t.String(),
    /** Including subfolders; a folder that is deleted with them is the last. */
    folder_ids: t.Array(t.String()),
    /** Null for a root folder. */
    parent_id: t.Optional(t.Union([t.String(), t.Null()])),
  }),
);

/**
 * SQL: the folder named by this column is deleted, and its contents wait to be purged. For tables
 * of other plugins that refer to folders; queries of `folders` itself exclude such folders.
 */
export const isGone = (column: string) =>
  sql<boolean>`exists (
    select 1 from folders gone where gone.id = ${sql.ref(column)} and gone.deleted_at is not null)`;
