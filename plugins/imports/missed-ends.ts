/**
 * What happened to documents and folders while this plugin was not loaded, and so was not told to
 * it: without this, the imports that wait for it would never end.
 */
import { nextTurn } from "../../core/lib/chunked-work";
import type { ImportContext } from "./context";
import * as itemStore from "./item-store";
import { documentSettled, removeDocuments, removeFolders } from "./runs";
import type { Schedules } from "./schedules";
import * as scheduleStore from "./schedule-store";
import * as store from "./store";

/** Documents per read, and per transaction. */
const documents_at_once = 100;

/** Before the first job. */
export async function endMissed(
  ctx: ImportContext,
  schedules: Pick<Schedules, "removeFolders">,
): Promise<void> {
  await endOfFolders(ctx, schedules);
  for (let after = ""; ; await nextTurn()) {
    const document_ids = await itemStore.documentsAfter(ctx.db, after, documents_at_once);
    if (document_ids.length === 0) return;
    await endOfDocuments(ctx, document_ids);
    after = document_ids.at(-1)!;
  }
}

/** Ends the items that wait for one of these documents, if it has settled or is gone. */
async function endOfDocuments(ctx: ImportContext, document_ids: readonly string[]): Promise<void> {
  const { db, documents, inTransaction } = ctx;
  const before = await documents.findStates(db, document_ids);
  const over = document_ids.filter((id) => before.get(id)?.status !== "syncing");
  if (over.length === 0) return;
  await inTransaction(async (tx) => {
    const states = await documents.findStates(tx, over);
    const gone = over.filter((id) => !states.has(id));
    if (gone.length > 0) await removeDocuments(ctx, tx, gone);
    for (const [document_id, { version, status, error }] of states)
      if (status !== "syncing")
        await documentSettled(ctx, tx, {
          owner_id: "",
          document_id,
          version,
          status,
          ...(error && { error }),
        });
  });
}

/** Ends the unfinished runs and the schedules of folders that are gone. */
async function endOfFolders(
  ctx: ImportContext,
  schedules: Pick<Schedules, "removeFolders">,
): Promise<void> {
  const { db, folders, inTransaction } = ctx;
  const folder_ids = new Set([
    ...(await store.foldersOfUnfinished(db)),
    ...(await scheduleStore.scheduledFolders(db)),
  ]);
  for (const folder_id of folder_ids) {
    if ((await folders.findRoots(db, [folder_id])).size > 0) continue;
    await inTransaction(async (tx) => {
      await removeFolders(ctx, tx, [folder_id]);
      await schedules.removeFolders(tx, [folder_id]);
    });
  }
}
