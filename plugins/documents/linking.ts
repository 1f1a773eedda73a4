/** The folders that a document lies in, and the name it has there. */
import { conflict, HttpError, type Db } from "../../core/sdk";
import * as links from "./links";
import { documentName, nameFolded, nameKey } from "./names";
import { changesIn, type DocumentParts } from "./parts";
import { requireDocument } from "./reading";
import * as store from "./store";
import type { DocumentRow } from "./store";

export function createLinking({
  inTransaction,
  now_ms,
  folders,
  index,
  queueRetitling,
  notify,
}: DocumentParts) {
  /** Puts the document into the folder; `only_back`: only where it has been before. */
  async function place(
    tx: Db,
    owner_id: string,
    document_id: string,
    folder_id: string,
    only_back: boolean,
  ): Promise<void> {
    const document = await requireDocument(tx, owner_id, document_id);
    await folders.require(tx, owner_id, folder_id);
    const link = await links.findLink(tx, document_id, folder_id);
    if (!link && only_back) throw neverThere();
    if (link && link.deleted_at === null) return;
    await refuseTakenName(tx, [folder_id], nameKey(document.name), document_id);
    const reserves_name = document.source_kind === "upload" ? 1 : 0;
    if (link) await links.requeue(tx, document_id, folder_id, reserves_name);
    else
      await links.insertLink(tx, {
        document_id,
        folder_id,
        name_key: nameKey(document.name),
        reserves_name,
        document_created_at: document.created_at,
        created_at: now_ms(),
        deleted_at: null,
      });
    if (document.current_version > 0) await index.link(tx, document_id, folder_id);
    await folders.count(tx, [{ folder_id, status: document.status, by: 1 }]);
    changesIn([folder_id], owner_id, document_id).forEach(notify);
  }

  return {
    /**
     * Adds the document to a folder; one that is there stays there. @throws HttpError 403, 404, or
     * 409 when an upload of the folder has its name.
     */
    link: (owner_id: string, document_id: string, folder_id: string): Promise<void> =>
      inTransaction((tx) => place(tx, owner_id, document_id, folder_id, false)),

    /**
     * Brings a deleted link back. @throws HttpError 403, 404, or 409 when an upload of the folder
     * has its name.
     */
    restore: (owner_id: string, document_id: string, folder_id: string): Promise<void> =>
      inTransaction((tx) => place(tx, owner_id, document_id, folder_id, true)),

    /**
     * Takes the document out of the folder, its search and its chats, restorably. @throws HttpError
     * 403, or 404 when it is not there.
     */
    unlink: (owner_id: string, document_id: string, folder_id: string): Promise<void> =>
      inTransaction(async (tx) => {
        const document = await requireDocument(tx, owner_id, document_id);
        await folders.require(tx, owner_id, folder_id);
        if (!(await links.softDelete(tx, document_id, folder_id, now_ms())))
          throw new HttpError(404, "not_found", "The document is not in this folder.");
        if (document.current_version > 0) await index.unlink(tx, [document_id], folder_id);
        await folders.count(tx, [{ folder_id, status: document.status, by: -1 }]);
        changesIn([folder_id], owner_id, document_id).forEach(notify);
      }),

    /**
     * @throws HttpError 400, 403, 404, or 409 when an upload in one of its folders has that name.
     */
    rename(owner_id: string, document_id: string, given: string): Promise<void> {
      const name = documentName(given, "/name");
      return inTransaction(async (tx) => {
        const before = await requireDocument(tx, owner_id, document_id);
        if (name === before.name) return;
        await takeName(tx, before, nameKey(name));
        await store.updateDocument(tx, document_id, {
          name,
          name_folded: nameFolded(name),
          updated_at: now_ms(),
        });
        changesIn(await links.foldersOf(tx, document_id), owner_id, document_id).forEach(notify);
        // Before the first version is indexed there is no title to correct: its job looks at the
        // name again at the end.
        if (before.current_version > 0) await queueRetitling(tx, before);
      });
    },
  };
}
export type Linking = ReturnType<typeof createLinking>;

async function takeName(
  tx: Db,
  { id, name, source_kind }: DocumentRow,
  name_key: string,
): Promise<void> {
  if (name_key === nameKey(name)) return;
  await refuseTakenName(tx, await links.foldersOf(tx, id), name_key, id);
  await links.renameLinks(tx, id, { name_key, reserves_name: source_kind === "upload" ? 1 : 0 });
}

async function refuseTakenName(
  tx: Db,
  folder_ids: readonly string[],
  name_key: string,
  document_id: string,
): Promise<void> {
  const taken_in = await links.findUploadNamed(tx, folder_ids, name_key, document_id);
  if (taken_in !== undefined)
    throw conflict(
      `An uploaded document of the folder ${taken_in} already has this name. Rename one of the two.`,
      "name_taken",
    );
}

const neverThere = (): HttpError =>
  new HttpError(
    404,
    "not_found",
    "The document has no deleted link to this folder that could be restored.",
  );
