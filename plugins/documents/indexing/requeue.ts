/** Indexes a version again: on request, when it has failed, or because its index is damaged. */
import type { Db } from "../../../core/sdk";
import { moveStatus, type DocumentContext } from "../context";
import * as linkStore from "../links/link-store";
import { getDocument, requireDocument } from "../queries";
import type { Document } from "../record";
import * as store from "../store";
import type { DocumentRow } from "../store";
import type { VersionToIndex } from "./publication";

/** The state of a document whose newest version waits to be indexed. */
export const queued = {
  status: "syncing",
  stage: "queued",
  progress: 0,
  attempts: 0,
  error_code: null,
  error_message: null,
} as const;

/**
 * Indexes the newest version again; does nothing while it is being indexed. @throws HttpError 403
 * or 404.
 */
export async function reindex(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Document> {
  // Read in the transaction: another process may have indexed it by the time that the commit is
  // confirmed.
  return ctx.inTransaction(async (tx) => {
    await requeue(ctx, tx, await requireDocument(tx, owner_id, document_id));
    return getDocument({ ...ctx, db: tx }, owner_id, document_id);
  });
}

/** The same for any document, whoever owns it; does nothing when it is gone. */
export const reindexFound = (ctx: DocumentContext, document_id: string): Promise<void> =>
  ctx.inTransaction(async (tx) => {
    const document = await store.findDocument(tx, document_id);
    if (document) await requeue(ctx, tx, document);
  });

/**
 * Indexes a version again whose indexing has failed, whoever owns it; does nothing when it is gone
 * or was replaced since.
 */
export async function reindexFailed(
  ctx: DocumentContext,
  tx: Db,
  { document_id, version }: VersionToIndex,
): Promise<void> {
  const document = await store.findDocument(tx, document_id);
  if (document?.version === version && document.status === "sync_failed")
    await requeue(ctx, tx, document);
}

async function requeue(ctx: DocumentContext, tx: Db, document: DocumentRow): Promise<void> {
  if (document.status === "syncing") return;
  const updated_at = ctx.now_ms();
  await store.updateDocument(tx, document.id, { ...queued, updated_at });
  const folder_ids = await linkStore.foldersOf(tx, document.id);
  const moved = { ...document, updated_at };
  await moveStatus(ctx, tx, moved, folder_ids, { from: document.status, to: "syncing" });
  await ctx.enqueueIndexing(tx, document, document.source_kind === "text");
}
