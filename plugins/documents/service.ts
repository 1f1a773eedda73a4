/** What can be done with documents, as the HTTP face and the jobs see it. Knows nothing of HTTP requests and writes no SQL. */
import { createAdding, type AddingParts } from "./adding";
import { createLinking } from "./linking";
import { changesIn } from "./parts";
import { createReading, requireDocument } from "./reading";
import type { Document } from "./record";
import * as links from "./links";
import * as store from "./store";

export function createDocuments(parts: AddingParts) {
  const reading = createReading(parts);
  const { link, restore, rename, unlink } = createLinking(parts);
  const { db, inTransaction, now_ms, folders, queueIndexing, changed } = parts;

  return {
    ...reading,
    ...createAdding(parts),
    unlink,

    /** @throws HttpError 403 or 404. */
    requireFolder: (owner_id: string, folder_id: string) => folders.require(db, owner_id, folder_id),

    /** The document after it was linked, restored or renamed. */
    link: (owner_id: string, document_id: string, folder_id: string): Promise<Document> => link(owner_id, document_id, folder_id).then(() => reading.get(owner_id, document_id)),
    restore: (owner_id: string, document_id: string, folder_id: string): Promise<Document> => restore(owner_id, document_id, folder_id).then(() => reading.get(owner_id, document_id)),
    rename: (owner_id: string, document_id: string, name: string): Promise<Document> => rename(owner_id, document_id, name).then(() => reading.get(owner_id, document_id)),

    /** Indexes the newest version again; one that is being indexed goes on. @throws HttpError 403 or 404. */
    async reindex(owner_id: string, document_id: string): Promise<Document> {
      await inTransaction(async (tx) => {
        const document = await requireDocument(tx, owner_id, document_id);
        if (document.status === "syncing") return;
        await store.updateDocument(tx, document_id, {
          status: "syncing", stage: "queued", progress: 0, attempts: 0, error_code: null, error_message: null, updated_at: now_ms(),
        });
        const folder_ids = await links.foldersOf(tx, document_id);
        await folders.count(tx, folder_ids.flatMap((folder_id) => [{ folder_id, status: document.status, by: -1 }, { folder_id, status: "syncing", by: 1 }]));
        await queueIndexing(tx, document);
        changesIn(folder_ids, owner_id, document_id).forEach(changed);
      });
      return reading.get(owner_id, document_id);
    },
  };
}
export type DocumentService = ReturnType<typeof createDocuments>;
