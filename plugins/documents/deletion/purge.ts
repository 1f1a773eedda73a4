/**
 * Deletes documents for good, with their folder or because they were not restored in time. They are
 * invisible to everyone before the first row is deleted; rows and originals are deleted in parts.
 * The initiator of the deletion also removes their text from the write-ahead log: `purgeExpired`
 * here, the folders plugin for a folder.
 */
import { inParts, PartSize } from "../../../core/lib/chunked-work";
import { isFull, type Db } from "../../../core/sdk";
import { DocumentDeleted } from "../../events/contract";
import type { DocumentContext } from "../context";
import { updateHolder } from "../links/holders";
import * as store from "./purge-store";
import type { PurgedDocument } from "./purge-store";
import { storedTexts } from "../texts/text-store";

/**
 * The duration of one part: about as long as others should wait for it, with as many documents as
 * fit.
 */
const part_ms = 8;
const part_documents = { first: 16, max: 128 };

/**
 * Inside the transaction that deletes the folders: gives back the quota for what its owner had only
 * in them. The documents are hidden because their folders are gone.
 */
export async function hideFolders(
  ctx: DocumentContext,
  tx: Db,
  owner_id: string,
  folder_ids: readonly string[],
): Promise<void> {
  const [folder_id] = folder_ids;
  const lost = await store.findLost(tx, owner_id);
  if (folder_id !== undefined && lost.length > 0) {
    await store.setHolder(
      tx,
      lost.map(({ id }) => id),
      folder_id,
    );
    await ctx.folders.moveCounters(
      tx,
      lost.flatMap((document) => heldChanges(folder_id, document, 1)),
    );
  }
  const sums = await ctx.folders.sumHeld(tx, folder_ids);
  await giveBack(ctx, tx, owner_id, sums.documents, sums.bytes);
}

/**
 * After it: deletes documents that are nowhere else, and whatever these folders contain of others.
 */
export async function purgeFolders(
  ctx: DocumentContext,
  folder_ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const part = new PartSize(part_documents, part_ms);
  for (const folder_id of folder_ids)
    await inParts(
      () => purgePart(ctx, part, (tx, size) => purgeSomeLinks(ctx, tx, folder_id, size)),
      signal,
    );
}

/**
 * Runs `PurgeDocuments`: deletes links for good that were removed too long ago, and documents
 * without any link left.
 */
export async function purgeExpired(ctx: DocumentContext, signal: AbortSignal): Promise<void> {
  const now_ms = ctx.now_ms();
  const deleted_until = ctx.certain_now_ms() - ctx.config.restore_for;
  const part = new PartSize(part_documents, part_ms);
  await inParts(
    () =>
      purgePart(ctx, part, async (tx, size) => ({
        is_last: (await store.correctDeletions(tx, now_ms, size)) < size,
        files: [],
      })),
    signal,
  );
  await inParts(
    () => purgePart(ctx, part, (tx, size) => expireSomeLinks(ctx, tx, deleted_until, size)),
    signal,
  );
  let purged = 0;
  const purgeQueued = async (tx: Db, size: number): Promise<Part> => {
    const document_ids = await store.queuedDocuments(tx, size);
    const documents = await removeDocuments(ctx, tx, document_ids);
    await store.dequeueDocuments(
      tx,
      documents.map(({ id }) => id),
    );
    purged += documents.length;
    return { is_last: document_ids.length === 0, files: documents.flatMap(({ files }) => files) };
  };
  await inParts(() => purgePart(ctx, part, purgeQueued), signal);
  if (purged === 0) return;
  ctx.truncateWal();
  ctx.log.info("expired documents were permanently deleted", { documents: purged });
}

/** How many documents are invisible and wait to be purged. */
export const countToPurge = async ({
  folders,
  reads,
}: Pick<DocumentContext, "folders" | "reads">): Promise<number> =>
  (await folders.countToPurge()) + (await store.countQueued(reads));

/** The result of one part. */
interface Part {
  readonly is_last: boolean;
  /** Originals that are no longer used by it. */
  readonly files: readonly string[];
}

/**
 * One transaction, followed by the originals that it left behind. False after the last part. On a
 * full disk a smaller part may fit.
 */
async function purgePart(
  ctx: DocumentContext,
  part: PartSize,
  work: (tx: Db, size: number) => Promise<Part>,
): Promise<boolean> {
  const purged = await ctx
    .inDeletion(async (tx) => {
      const started_ms = performance.now();
      const result = await work(tx, part.size);
      part.took(performance.now() - started_ms);
      return result;
    })
    .catch((error: unknown) => {
      if (!isFull(error) || !part.halve()) throw error;
    });
  if (!purged) return true;
  await ctx.deleteFiles(purged.files);
  return !purged.is_last;
}

/** Some links of a deleted folder, with their documents if nothing else contains them. */
async function purgeSomeLinks(
  ctx: DocumentContext,
  tx: Db,
  folder_id: string,
  size: number,
): Promise<Part> {
  const links = await store.linksOf(tx, folder_id, size);
  const still_linked = links.filter(({ is_linked }) => is_linked === 1);
  const unlinked = links.filter(({ is_linked }) => is_linked === 0);
  const documents = await removeDocuments(
    ctx,
    tx,
    unlinked.map(({ id }) => id),
  );
  for (const { owner_id, held_by, size_bytes } of documents)
    if (held_by === null) await giveBack(ctx, tx, owner_id, 1, size_bytes);
  await ctx.folders.moveCounters(
    tx,
    documents.flatMap((document) =>
      document.held_by === null ? [] : heldChanges(document.held_by, document, -1),
    ),
  );
  if (still_linked.length > 0) {
    const document_ids = still_linked.map(({ id }) => id);
    await store.deleteLinks(tx, folder_id, document_ids);
    await ctx.index.unlink(tx, document_ids, folder_id);
    for (const document of still_linked) await updateHolder(ctx, tx, document);
  }
  return { is_last: links.length === 0, files: documents.flatMap(({ files }) => files) };
}

/** Some links that can't be restored any more, with their documents if they have no other link. */
async function expireSomeLinks(
  ctx: DocumentContext,
  tx: Db,
  deleted_until: number,
  size: number,
): Promise<Part> {
  const expired = await store.expiredLinks(tx, deleted_until, size);
  for (const { folder_id, ...document } of expired) {
    await store.deleteLinks(tx, folder_id, [document.id]);
    await ctx.folders.moveCounters(tx, [{ folder_id, counter: "restorable_count", by: -1 }]);
    if (await store.hasLinks(tx, document.id)) await updateHolder(ctx, tx, document);
    else {
      const { held_by, owner_id, size_bytes } = document;
      if (held_by !== null) await ctx.folders.moveCounters(tx, heldChanges(held_by, document, -1));
      await giveBack(ctx, tx, owner_id, 1, size_bytes);
      await store.queueDocument(tx, document.id);
    }
  }
  return { is_last: expired.length === 0, files: [] };
}

/**
 * Deletes documents with everything that is kept about them. Returns none while there is more than
 * one part may delete: then they still exist, with less data.
 */
async function removeDocuments(
  ctx: DocumentContext,
  tx: Db,
  document_ids: readonly string[],
): Promise<PurgedDocument[]> {
  if (document_ids.length === 0) return [];
  await ctx.cancelJobs(tx, document_ids);
  let is_complete = true;
  for (const uses of ctx.uses())
    if ((await uses.remove(tx, document_ids)) === false) is_complete = false;
  if (!(await ctx.index.remove(tx, document_ids))) is_complete = false;
  if (!(await ctx.texts.removeSome(tx, await storedTexts(tx, document_ids)))) is_complete = false;
  if (!is_complete) return [];
  const deleted = await store.deleteDocuments(tx, document_ids);
  for (const { id: document_id, owner_id, name } of deleted)
    await ctx.emit(tx, DocumentDeleted, { owner_id, document_id, name });
  return deleted;
}

const heldChanges = (
  folder_id: string,
  { size_bytes }: { readonly size_bytes: number },
  sign: 1 | -1,
) =>
  [
    { folder_id, counter: "held_documents", by: sign },
    { folder_id, counter: "held_bytes", by: sign * size_bytes },
  ] as const;

async function giveBack(
  { quotas }: DocumentContext,
  tx: Db,
  owner_id: string,
  documents: number,
  bytes: number,
): Promise<void> {
  await quotas.charge(tx, owner_id, "documents", -documents);
  await quotas.charge(tx, owner_id, "storage", -bytes);
}
