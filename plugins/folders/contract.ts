/** What other plugins may know about folders. */
import { beforeHook, event, service, shaped, slot, sql, t, type Db } from "../../core/sdk";
import type { DocumentStatus } from "../documents/contract";

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

/** A folder as it is taken to another server. Times are epoch ms. */
export interface FolderCopy {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/**
 * `held_documents`, `held_bytes`: what goes with the folder, because nothing else holds it or could
 * get it back. `restorable_count`: links that can be restored. `vectors_pending`: live links to
 * documents that wait for their vectors.
 */
export type FolderCounter =
  | "held_documents"
  | "held_bytes"
  | "restorable_count"
  | "vectors_pending";
/** So much more, or less, of what a folder counts. */
export type CounterChange = {
  readonly folder_id: string;
  readonly by: number;
} & (
  | { /** Of live links to documents of this status. */ readonly status: DocumentStatus }
  | { readonly counter: FolderCounter }
);

/** A folder that is about to be made. */
export interface FolderCreation {
  readonly owner_id: string;
  readonly name: string;
  readonly description: string | null;
  /** Null for a root folder. */
  readonly parent_id: string | null;
}
/**
 * Asked before a folder is made: by a request, for a subfolder that an import wants, and with a
 * folder of another server. A request is answered with the refusal; in an import the items of that
 * subfolder fail with it, the import of an archive as a whole.
 */
export const BeforeFolderCreate = beforeHook<FolderCreation>("folders.before_create");

/** Says that nobody has refused: only `Folders.admit` gives it. */
export interface AdmittedFolder {
  readonly admitted: true;
}
export interface Folders {
  /** The folder. @throws HttpError 404 when it does not exist, 403 when it is another user's. */
  require(db: Db, owner_id: string, folder_id: string): Promise<Folder>;
  /**
   * These folders and their subfolders, each once. `pointer` names the field the ids came from.
   * @throws HttpError 404 / 403 as `require`.
   */
  requireWithSubfolders(
    db: Db,
    owner_id: string,
    folder_ids: readonly string[],
    pointer: string,
  ): Promise<string[]>;
  /**
   * The subfolder of that name, in its canonical composition; made when there is none. `parent_id`
   * is a root folder of the owner. @throws HttpError 403 when a quota is reached.
   */
  ensureChild(
    tx: Db,
    owner_id: string,
    child: { readonly parent_id: string; readonly name: string; readonly admitted: AdmittedFolder },
  ): Promise<string>;
  /**
   * Asks those who fill `BeforeFolderCreate`: outside a transaction, before `ensureChild` or
   * `stage`. @throws HttpError of who refuses, 503 `check_failed` when that could not be found out,
   * the reason of the signal
   */
  admit(folder: FolderCreation, signal?: AbortSignal): Promise<AdmittedFolder>;
  /** The same for a subfolder: nobody is asked when there is one of that name. */
  admitChild(
    folder: Pick<FolderCreation, "owner_id" | "name"> & { readonly parent_id: string },
    signal?: AbortSignal,
  ): Promise<AdmittedFolder>;
  /** The id of the oldest root folder of that name. */
  findRoot(db: Db, owner_id: string, name: string): Promise<string | undefined>;
  /** How many documents of these folders are not indexed yet. */
  countSyncing(db: Db, folder_ids: readonly string[]): Promise<number>;
  /** Folders with documents that are not indexed yet, those with the most first. */
  listSyncing(
    db: Db,
    limit: number,
  ): Promise<{ readonly id: string; readonly owner_id: string; readonly syncing: number }[]>;
  /** The ids of every folder of the owner. */
  listIds(db: Db, owner_id: string): Promise<string[]>;
  /** The root folder of each of these, itself for a root; those that are gone are absent. */
  findRoots(db: Db, folder_ids: readonly string[]): Promise<Map<string, string>>;
  /** What goes with these folders, which may be deleted already: documents and their bytes. */
  sumHeld(
    db: Db,
    folder_ids: readonly string[],
  ): Promise<{ readonly documents: number; readonly bytes: number }>;
  /** How many documents went with folders that are deleted, and are not purged yet. */
  countToPurge(): Promise<number>;
  /** The folder and its subfolders, itself first. @throws HttpError 404 / 403 as `require`. */
  listTree(db: Db, owner_id: string, folder_id: string): Promise<FolderCopy[]>;
  /**
   * The name, or `name (2)` … when a root folder of the owner has it: the first that none has.
   */
  freeName(db: Db, owner_id: string, name: string): Promise<string>;
  /**
   * Writes folders that nobody finds until they are revealed: what is put into them meanwhile is
   * not found either. The next start deletes those that are not revealed, as does `abandon`.
   * `parent_id` is among them.
   */
  stage(
    tx: Db,
    owner_id: string,
    folders: readonly (FolderCopy & { readonly admitted: AdmittedFolder })[],
  ): Promise<void>;
  /** Everybody finds them from now on. @throws HttpError 403 when a quota is reached. */
  reveal(tx: Db, owner_id: string, folder_ids: readonly string[]): Promise<void>;
  /** Staged folders will not be revealed: they are deleted, with what was put into them. */
  abandon(tx: Db, owner_id: string, root_id: string): Promise<void>;
  /** In the transaction that changes links or a status. */
  moveCounters(tx: Db, changes: readonly CounterChange[]): Promise<void>;
  /** No document waits for its vectors, or all are about to be counted anew. */
  clearVectorsPending(tx: Db): Promise<void>;
  /** Folders with documents that wait for their vectors, and how many. */
  listVectorsPending(db: Db): Promise<{ readonly id: string; readonly documents: number }[]>;
}
export const Folders = service<Folders>("folders");

export interface Contents {
  /**
   * Inside the transaction that deletes these folders (subfolders included), which nobody finds any
   * more: takes what they hold out of every sight and count. Must be as quick for a hundred
   * thousand records as for one, so their rows are for `purge`, and reads leave them out by
   * `isGone`.
   */
  remove(tx: Db, owner_id: string, folder_ids: readonly string[]): Promise<void>;
  /**
   * After it, in the background: deletes the rows and files, in transactions as small as `inParts`
   * makes them. Goes on where an earlier call was cut off. @throws the reason of the signal
   */
  purge?(owner_id: string, folder_ids: readonly string[], signal: AbortSignal): Promise<void>;
}
/** Those who keep something in folders. */
export const FolderContents = slot<Contents>("folders.contents", {
  check: shaped<Contents>({ remove: "function", purge: "function?" }),
});

export const FolderDeleted = event(
  "folder.deleted",
  t.Object({
    owner_id: t.String(),
    /** With its subfolders, itself last. */
    folder_ids: t.Array(t.String()),
    /** Null for a root folder. */
    parent_id: t.Optional(t.Union([t.String(), t.Null()])),
  }),
);

/**
 * SQL: the folder named by this column is deleted, and its contents wait to be purged. For tables
 * of others that name folders; `folders` itself finds no such folder.
 */
export const isGone = (column: string) =>
  sql<boolean>`exists (
    select 1 from folders gone where gone.id = ${sql.ref(column)} and gone.deleted_at is not null)`;
