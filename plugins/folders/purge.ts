/**
 * The background half of a deletion. The contents of a folder are invisible from the moment its row
 * is marked; here the rows and files are deleted, a little at a time.
 */
import { nextTurn } from "../../core/lib/chunked-work";
import { toNumber, type Context, type Db } from "../../core/sdk";
import type { Contents } from "./contract";
import * as store from "./purge-store";

/** A deleted folder, with its subfolders. */
export interface DeletedTree {
  readonly folder_id: string;
  readonly owner_id: string;
}
/** What the purge needs besides `Context`. */
export interface PurgeContext extends Pick<Context, "db" | "inDeletion" | "log" | "truncateWal"> {
  readonly contents: () => readonly Contents[];
}

/** Folders that are purged together. */
const folders_at_once = 500;

/** Runs `PurgeFolder`. Does not repeat what an earlier run has done. */
export async function purgeFolder(
  { contents, db, inDeletion, log, truncateWal }: PurgeContext,
  { folder_id, owner_id }: DeletedTree,
  signal: AbortSignal,
): Promise<void> {
  let purged = 0;
  for (; ; await nextTurn()) {
    const folder_ids = await store.someDeleted(db, folder_id, folders_at_once);
    if (folder_ids.length === 0) break;
    for (const content of contents()) await content.purge?.(owner_id, folder_ids, signal);
    await inDeletion((tx) => store.deleteFolders(tx, folder_ids));
    purged += folder_ids.length;
  }
  if (purged === 0) return;
  truncateWal();
  log.info("a deleted folder was purged", { folder_id, folders: purged });
}

/**
 * Before the first job: makes sure that every deleted folder has its purge, whatever became of an
 * earlier one. Folders that another process may be staging stay.
 */
export async function resumePurges(
  { db, node }: Pick<Context, "db" | "node">,
  enqueuePurge: (tx: Db, deleted: DeletedTree) => Promise<void>,
): Promise<void> {
  const gone_before_ms = await node.goneBefore_ms();
  const deleted = (await store.deletedFolders(db)).filter(
    ({ deleted_at }) => toNumber(deleted_at) < gone_before_ms,
  );
  const ids = new Set(deleted.map(({ id }) => id));
  for (const { id, owner_id, parent_id } of deleted)
    if (parent_id === null || !ids.has(parent_id))
      await enqueuePurge(db, { folder_id: id, owner_id });
}
