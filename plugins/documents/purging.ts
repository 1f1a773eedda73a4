/**
 * Documents that go for good: with their folder, or because no folder has wanted them back for long
 * enough.
 */
import type { Db } from "../../core/sdk";
import * as links from "./links";
import type { DocumentParts } from "./parts";
import * as store from "./store";

/** One statement names at most so many ids. */
const ids_at_once = 5_000;
/**
 * What goes in one transaction when the disk is full: so many documents, or fewer of so many bytes,
 * but one at least.
 */
const part_documents_max = 200;
const part_bytes_max = 2 ** 20;

export interface PurgingParts extends DocumentParts {
  /** How long a deleted link can be restored. */
  readonly restore_for_ms: number;
}

export function createPurging({
  db,
  inTransaction,
  now_ms,
  truncateWal,
  removeFiles,
  folders,
  quotas,
  index,
  cancelIndexing,
  removeUses,
  restore_for_ms,
}: PurgingParts) {
  async function purge(tx: Db, document_ids: readonly string[]): Promise<void> {
    for (const some of slices(document_ids)) {
      await cancelIndexing(tx, some);
      await removeUses(tx, some);
      await index.remove(tx, some);
      const { files, owners } = await store.deleteDocuments(tx, some);
      for (const { owner_id, documents, bytes } of owners) {
        await quotas.charge(tx, owner_id, "documents", -documents);
        await quotas.charge(tx, owner_id, "storage", -bytes);
      }
      removeFiles(files);
    }
  }

  return {
    /**
     * Inside the transaction that deletes the folders: their links and search entries go, and every
     * document that no other folder holds or could get back.
     */
    async removeFrom(tx: Db, folder_ids: readonly string[]): Promise<void> {
      const { orphans, kept } = await links.emptyFolders(tx, folder_ids);
      for (const [folder_id, document_ids] of kept) {
        for (const some of slices(document_ids)) await index.unlink(tx, some, folder_id);
      }
      await purge(tx, orphans);
    },

    /** The same for documents alone, with as little as can be written at a time. */
    async removeInParts(folder_ids: readonly string[]): Promise<void> {
      for (;;) {
        const found = await links.onlyIn(db, folder_ids, part_documents_max);
        let left_bytes = part_bytes_max;
        const part = found.filter(
          ({ size_bytes }, index) => (left_bytes -= size_bytes) >= 0 || index === 0,
        );
        if (part.length === 0) return;
        const ids = part.map(({ id }) => id);
        await inTransaction(async (tx) => {
          const held = await links.foldersOfAll(tx, ids);
          await folders.count(
            tx,
            part.flatMap(({ id, status }) =>
              held.get(id)!.map((folder_id) => ({ folder_id, status, by: -1 })),
            ),
          );
          await purge(tx, ids);
        });
      }
    },

    /**
     * Forgets links that were deleted too long ago, and documents that have no link left. Returns
     * how many documents went.
     */
    async purgeExpired(signal: AbortSignal): Promise<number> {
      const deleted_until = now_ms() - restore_for_ms;
      for (let purged = 0; ;) {
        signal.throwIfAborted();
        const { links: forgotten, orphans } = await inTransaction(async (tx) => {
          const expired = await links.forgetExpired(tx, deleted_until);
          await purge(tx, expired.orphans);
          return expired;
        });
        purged += orphans.length;
        if (orphans.length > 0) truncateWal();
        if (forgotten === 0) return purged;
      }
    },
  };
}
export type Purging = ReturnType<typeof createPurging>;

const slices = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / ids_at_once) }, (_, i) =>
    ids.slice(i * ids_at_once, (i + 1) * ids_at_once),
  );
