/**
 * What can be done with documents, as the HTTP face and the jobs see it. Knows nothing of HTTP
 * requests and writes no SQL.
 */
import type { Db } from "../../core/sdk";
import { createAdding, type AddingParts } from "./adding";
import { createLinking } from "./linking";
import { changesIn } from "./parts";
import { createReading, requireDocument } from "./reading";
import type { Document } from "./record";
import * as links from "./links";
import * as store from "./store";
import type { DocumentRow } from "./store";

export function createDocuments(parts: AddingParts) {
  const reading = createReading(parts);
  const { link, restore, rename, unlink } = createLinking(parts);
  const { db, inTransaction, now_ms, folders, queueIndexing, notify } = parts;

  /** One that is being indexed goes on. */
  async function queueAgain(tx: Db, document: DocumentRow): Promise<void> {
    if (document.status === "syncing") return;
    await store.updateDocument(tx, document.id, {
      status: "syncing",
      stage: "queued",
      progress: 0,
      attempts: 0,
      error_code: null,
      error_message: null,
      updated_at: now_ms(),
    });
    const folder_ids = await links.foldersOf(tx, document.id);
    await folders.count(
      tx,
      folder_ids.flatMap((folder_id) => [
        { folder_id, status: document.status, by: -1 },
        { folder_id, status: "syncing", by: 1 },
      ]),
    );
    await queueIndexing(tx, document);
    changesIn(folder_ids, document.owner_id, document.id).forEach(notify);
  }

  return {
    ...reading,
    ...createAdding(parts),
    unlink,

    /** @throws HttpError 403 or 404. */
    requireFolder: (owner_id: string, folder_id: string) =>
      folders.require(db, owner_id, folder_id),

    /** The document after it was linked, restored or renamed. */
    link: (owner_id: string, document_id: string, folder_id: string): Promise<Document> =>
      link(owner_id, document_id, folder_id).then(() => reading.get(owner_id, document_id)),
    restore: (owner_id: string, document_id: string, folder_id: string): Promise<Document> =>
      restore(owner_id, document_id, folder_id).then(() => reading.get(owner_id, document_id)),
    rename: (owner_id: string, document_id: string, name: string): Promise<Document> =>
      rename(owner_id, document_id, name).then(() => reading.get(owner_id, document_id)),

    /**
     * Indexes the newest version again; one that is being indexed goes on. @throws HttpError 403 or
     * 404.
     */
    async reindex(owner_id: string, document_id: string): Promise<Document> {
      await inTransaction(async (tx) =>
        queueAgain(tx, await requireDocument(tx, owner_id, document_id)),
      );
      return reading.get(owner_id, document_id);
    },

    /**
     * The same for one whose indexing has failed, whoever's it is; one that is gone, or was
     * replaced since, stays as it is.
     */
    async requeue(
      tx: Db,
      { document_id, version }: { readonly document_id: string; readonly version: number },
    ): Promise<void> {
      const document = await store.findDocument(tx, document_id);
      if (document?.version === version && document.status === "sync_failed")
        await queueAgain(tx, document);
    },
  };
}
export type DocumentService = ReturnType<typeof createDocuments>;
