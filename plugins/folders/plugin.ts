/** Folders: a two-level tree that belongs to a user and counts its documents. */
import { definePlugin } from "../../core/sdk";
import { Quotas } from "../quotas/contract";
import { FolderContents, FolderDeleted, Folders } from "./contract";
import { migrations } from "./migrations";
import { folderHandlers, routes } from "./routes";
import { createFolders } from "./service";

export default definePlugin({
  name: "folders",
  version: "1.0.0",
  needs: { quotas: Quotas },
  provides: { folders: Folders },
  slots: { contents: FolderContents },
  events: [FolderDeleted],
  tables: ["folders"],
  migrations,
  routes,
  setup: ({
    notify,
    now_ms,
    db,
    emit,
    reads,
    inTransaction,
    newId,
    truncateWal,
    services: { quotas },
    slots,
  }) => {
    const folders = createFolders({
      db,
      reads,
      inTransaction,
      now_ms,
      newId,
      truncateWal,
      notify,
      charge: (tx, owner_id, count) => quotas.charge(tx, owner_id, "folders", count),
      held: (owner_id) => quotas.heldCommitted(owner_id, "folders"),
      removeContents: async (tx, owner_id, folder_ids) => {
        for (const contents of slots.contents()) await contents.remove(tx, owner_id, folder_ids);
      },
      removeInParts: async (owner_id, folder_ids) => {
        for (const contents of slots.contents())
          await contents.removeInParts?.(owner_id, folder_ids);
      },
      announceDeleted: (tx, owner_id, folder_ids) =>
        emit(tx, FolderDeleted, { owner_id, folder_ids: [...folder_ids] }),
    });
    return { services: { folders }, routes: folderHandlers(folders) };
  },
});
