/** Who may use which folder. */
import {
  badRequest,
  forbidden,
  notFound,
  requireAllOwned,
  requireOwned,
  type Db,
} from "../../core/sdk";
import * as store from "./store";
import type { FolderRow } from "./store";

/** @throws HttpError 404 when there is no such folder, 403 when it is another user's. */
export async function requireRow(db: Db, owner_id: string, folder_id: string): Promise<FolderRow> {
  return requireOwned(await store.findFolder(db, folder_id), owner_id, "folder");
}

/** The same for several. `pointer` names the field with the ids. */
export async function requireRows(
  db: Db,
  owner_id: string,
  folder_ids: readonly string[],
  pointer: string,
): Promise<void> {
  const rows = await store.findFolders(db, folder_ids);
  requireAllOwned(rows, folder_ids, owner_id, { what: "folder", pointer });
}

/** @throws HttpError 404, 403, and 400 when the parent is itself a subfolder. */
export async function requireRoot(tx: Db, owner_id: string, parent_id: string): Promise<void> {
  const parent = await store.findFolder(tx, parent_id);
  if (!parent) throw notFound("parent folder");
  if (parent.owner_id !== owner_id) throw forbidden("The parent folder belongs to another user.");
  if (parent.parent_id !== null)
    throw badRequest(
      "The field parentId must be the id of a root folder. Folders have two levels, and " +
        "this one is a subfolder.",
      "/parentId",
    );
}
