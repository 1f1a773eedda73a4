/** The folders that a document is in, and its name there. */
import { badRequest, conflict, HttpError, type Db } from "../../../core/sdk";
import { emitChanged, notifyFolders, type DocumentContext } from "../context";
import { updateHolder } from "./holders";
import * as linkStore from "./link-store";
import { documentName, nameKey, nameOrder } from "../creation/names";
import { getDocument, requireDocument } from "../queries";
import type { Document } from "../record";
import * as store from "../store";
import type { DocumentRow, LinkRow } from "../store";

/**
 * The most folders that a document is in, or was in and can be put back into: each of its changes
 * reaches all of them.
 */
export const folders_max = 1_000;

/**
 * Adds the document to a folder; does nothing when it is there. @throws HttpError 400 when it is in
 * as many as it may be, 403, 404, or 409 when an upload in the folder has its name.
 */
export async function link(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
  folder_id: string,
): Promise<Document> {
  await ctx.inTransaction(async (tx) => {
    const document = await requireDocument(tx, owner_id, document_id);
    await ctx.folders.require(tx, owner_id, folder_id);
    await putInto(
      ctx,
      tx,
      document,
      folder_id,
      await linkStore.findLink(tx, document_id, folder_id),
    );
  });
  return getDocument(ctx, owner_id, document_id);
}

/**
 * Restores a deleted link. @throws HttpError 403, 404, or 409 when an upload in the folder has its
 * name.
 */
export async function restore(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
  folder_id: string,
): Promise<Document> {
  await ctx.inTransaction(async (tx) => {
    const document = await requireDocument(tx, owner_id, document_id);
    await ctx.folders.require(tx, owner_id, folder_id);
    const existing = await linkStore.findLink(tx, document_id, folder_id);
    if (!existing) throw neverThere();
    await putInto(ctx, tx, document, folder_id, existing);
  });
  return getDocument(ctx, owner_id, document_id);
}

/** Inserts the link, or makes `known` live again. */
async function putInto(
  ctx: DocumentContext,
  tx: Db,
  document: DocumentRow,
  folder_id: string,
  existing: LinkRow | undefined,
): Promise<void> {
  if (existing?.deleted_at === null) return;
  const { id, name, source_kind, status } = document;
  await refuseTakenName(tx, [folder_id], nameKey(name), id);
  const reserves_name = source_kind === "upload" ? 1 : 0;
  if (existing) await linkStore.restoreLink(tx, id, folder_id, reserves_name);
  else {
    await requireCapacity(tx, id);
    const created_at = ctx.now_ms();
    await linkStore.insertLink(tx, document, { folder_id, reserves_name, created_at });
  }
  if (document.current_version > 0) await ctx.index.link(tx, id, folder_id);
  await ctx.folders.moveCounters(tx, [
    { folder_id, status, by: 1 },
    { folder_id, counter: "restorable_count", by: existing ? -1 : 0 },
  ]);
  if (!existing) await updateHolder(ctx, tx, document);
  const folder_ids = await linkStore.foldersOf(tx, document.id);
  await emitChanged(ctx, tx, document, { changed: "folders", folder_ids, folder_id });
  notifyFolders(ctx, document, [folder_id]);
}

async function requireCapacity(tx: Db, document_id: string): Promise<void> {
  if ((await linkStore.countLinks(tx, document_id)) >= folders_max)
    throw badRequest(
      `A document can be in at most ${folders_max.toLocaleString("en-US")} folders, including ` +
        "those it was taken out of and can be put back into.",
      "/folder_id",
      "folder_limit",
    );
}

/**
 * Removes the document from the folder, its search and its chats, restorably. @throws HttpError
 * 403, or 404 when it is not there.
 */
export const unlink = (
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
  folder_id: string,
): Promise<void> =>
  ctx.inDeletion(async (tx) => {
    const document = await requireDocument(tx, owner_id, document_id);
    await ctx.folders.require(tx, owner_id, folder_id);
    if (!(await takeFrom(ctx, tx, document, folder_id))) throw notHere();
  });

/**
 * Removes the document from one folder and adds it to the other: both, or nothing. @throws
 * HttpError 403, 404 when it is not there, or 409 when an upload in the other folder has its name.
 */
export async function move(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  if (from === to) return;
  await ctx.inTransaction(async (tx) => {
    const document = await requireDocument(tx, owner_id, document_id);
    await ctx.folders.require(tx, owner_id, from);
    await ctx.folders.require(tx, owner_id, to);
    await putInto(ctx, tx, document, to, await linkStore.findLink(tx, document_id, to));
    if (!(await takeFrom(ctx, tx, document, from))) throw notHere();
  });
}

/** See `Documents.takeOut`. */
export async function takeOut(
  ctx: DocumentContext,
  tx: Db,
  owner_id: string,
  document_id: string,
  folder_id: string,
): Promise<void> {
  const document = await store.findDocument(tx, document_id);
  if (document?.owner_id !== owner_id) return;
  const folder_ids = await linkStore.foldersOf(tx, document_id);
  if (folder_ids.includes(folder_id)) await takeFrom(ctx, tx, document, folder_id);
}

/** False when it is not there. */
async function takeFrom(
  ctx: DocumentContext,
  tx: Db,
  document: DocumentRow,
  folder_id: string,
): Promise<boolean> {
  if (!(await linkStore.softDelete(tx, document.id, folder_id, ctx.now_ms()))) return false;
  if (document.current_version > 0) await ctx.index.unlink(tx, [document.id], folder_id);
  await ctx.folders.moveCounters(tx, [
    { folder_id, status: document.status, by: -1 },
    { folder_id, counter: "restorable_count", by: 1 },
  ]);
  const folder_ids = await linkStore.foldersOf(tx, document.id);
  await emitChanged(ctx, tx, document, { changed: "folders", folder_ids, folder_id });
  notifyFolders(ctx, document, [folder_id]);
  return true;
}

/** @throws HttpError 400, 403, 404, or 409 when an upload in one of its folders has that name. */
export async function rename(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
  new_name: string,
): Promise<Document> {
  const name = documentName(new_name, "/name");
  await ctx.inTransaction(async (tx) => {
    const before = await requireDocument(tx, owner_id, document_id);
    if (name === before.name) return;
    const folder_ids = await linkStore.foldersOf(tx, document_id);
    await renameLinks(tx, before, folder_ids, nameKey(name));
    const updated_at = ctx.now_ms();
    await store.updateDocument(tx, document_id, { name, updated_at });
    await linkStore.setLinkStatus(tx, { document_id, status: before.status, updated_at });
    await emitChanged(ctx, tx, before, { changed: "name", folder_ids });
    notifyFolders(ctx, before, folder_ids);
    // Before the first version is indexed there is no title to correct: its job checks the name
    // again at the end.
    if (before.current_version > 0) await ctx.enqueueRetitling(tx, before);
  });
  return getDocument(ctx, owner_id, document_id);
}

async function renameLinks(
  tx: Db,
  { id, name, source_kind }: DocumentRow,
  folder_ids: readonly string[],
  name_key: string,
): Promise<void> {
  if (name_key === nameKey(name)) return;
  await refuseTakenName(tx, folder_ids, name_key, id);
  await linkStore.renameLinks(tx, id, {
    name_key,
    name_order: nameOrder(name_key),
    reserves_name: source_kind === "upload" ? 1 : 0,
  });
}

/** @throws HttpError 409 when another upload in one of these folders has the name. */
export async function refuseTakenName(
  tx: Db,
  folder_ids: readonly string[],
  name_key: string,
  document_id: string,
): Promise<void> {
  const taken_in = await linkStore.findUploadNamed(tx, folder_ids, name_key, document_id);
  if (taken_in !== undefined)
    throw conflict(
      `An uploaded document in the folder ${taken_in} already has this name. Rename one of ` +
        "them.",
      "name_taken",
    );
}

const notHere = (): HttpError =>
  new HttpError(404, "not_found", "The document is not in this folder.");
const neverThere = (): HttpError =>
  new HttpError(
    404,
    "not_found",
    "The document has not been removed from this folder, or can no longer be restored.",
  );
