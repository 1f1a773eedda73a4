/** What other plugins may know about folders. */
import { event, service, slot, t, type Db } from "../../core/sdk";
import type { DocumentStatus } from "../documents/contract";

export interface Folder {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  /** Null for a root folder. The tree has two levels: a folder with a parent has no children. */
  readonly parent_id: string | null;
}

/** So many more, or fewer, links to documents of this status. */
export interface CounterChange {
  readonly folder_id: string;
  readonly status: DocumentStatus;
  readonly by: number;
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
  ensureChild(tx: Db, owner_id: string, parent_id: string, name: string): Promise<string>;
  /** How many documents of these folders are not indexed yet. */
  countSyncing(db: Db, folder_ids: readonly string[]): Promise<number>;
  /** The ids of every folder of the owner. */
  listIds(db: Db, owner_id: string): Promise<string[]>;
  /** Moves the counters of live links, in the transaction that changes the links or a status. */
  moveCounters(tx: Db, changes: readonly CounterChange[]): Promise<void>;
}
export const Folders = service<Folders>("folders");

export interface Contents {
  /** Inside the deleting transaction: these folders (subfolders included) go for good. */
  remove(tx: Db, owner_id: string, folder_ids: readonly string[]): Promise<void>;
  /**
   * The disk has no space to write all of that at once: deletes what is large, part by part, each
   * in a transaction of its own; `remove` follows.
   */
  removeInParts?(owner_id: string, folder_ids: readonly string[]): Promise<void>;
}
/** Those who keep something in folders. */
export const FolderContents = slot<Contents>("folders.contents");

export const FolderDeleted = event(
  "folder.deleted",
  t.Object({ owner_id: t.String(), folder_ids: t.Array(t.String()) }),
);
