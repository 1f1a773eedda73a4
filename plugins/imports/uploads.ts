/**
 * Imports files from the user's device as one run: they come with the request, and no event is
 * emitted at its end.
 */
import { HttpError, type ReceivedPart } from "../../core/sdk";
import type { ImportContext } from "./context";
import * as itemStore from "./item-store";
import { failHost } from "./host-failure";
import { endItem, newItem, newRun, emitRun } from "./runs";
import * as store from "./store";
import type { ItemRow, ListedRun, RunRow } from "./store";
import { unfinishedUploads } from "./upload-store";

/** Where uploaded files go. */
export interface UploadTarget {
  readonly folder_id: string;
  /** Whether to replace documents of the same name. */
  readonly overwrite: boolean;
}

const interrupted = {
  code: "interrupted",
  message: "The server stopped before this file was stored. Upload it again.",
};
const not_stored = {
  code: "internal_error",
  message: "The server could not store this file. Upload it again.",
};
/** The pause before the end of a run is written again, after that has failed. */
const end_again_ms = 10_000;

/**
 * Creates documents from received files, one item each; the run ends when they are indexed.
 * Releases the files.
 */
export async function importUploads(
  ctx: ImportContext,
  owner_id: string,
  target: UploadTarget,
  parts: readonly ReceivedPart[],
): Promise<ListedRun> {
  try {
    const { run, items } = await insertRun(ctx, owner_id, target, parts);
    try {
      for (const [index, item] of items.entries()) await importPart(ctx, run, item, parts[index]!);
    } catch (error) {
      await failRestSoon(ctx, run.id);
      throw error;
    }
    return (await store.findRun(ctx.db, run.id))!;
  } finally {
    for (const { received } of parts) await received.release();
  }
}

/**
 * Before the first request, and when another process is gone: fails runs whose requests have ended
 * with their process.
 */
export async function failInterrupted(ctx: ImportContext): Promise<void> {
  const alive = await ctx.node.alive();
  for (const run of await unfinishedUploads(ctx.db)) {
    // This process has none before its first request.
    if (run.node !== ctx.node.id && alive.has(run.node)) continue;
    await ctx.inTransaction((tx) =>
      failHost(ctx, tx, { run_id: run.id, host: "", ...interrupted }),
    );
  }
}

/**
 * The request has failed, and nobody else imports what is left of its run. When even that can't be
 * written, it is tried until it can; the next start does it, too.
 */
async function failRestSoon(ctx: ImportContext, run_id: string): Promise<void> {
  try {
    await ctx.inDeletion((tx) => failHost(ctx, tx, { run_id, host: "", ...not_stored }));
  } catch {
    if (ctx.stopping.aborted) return;
    setTimeout(() => void failRestSoon(ctx, run_id), end_again_ms).unref();
  }
}

async function insertRun(
  ctx: ImportContext,
  owner_id: string,
  { folder_id, overwrite }: UploadTarget,
  parts: readonly ReceivedPart[],
): Promise<{ readonly run: RunRow; readonly items: readonly ItemRow[] }> {
  const { inTransaction, newId, now_ms } = ctx;
  const now = now_ms();
  const run: RunRow = {
    ...newRun({
      id: newId("imp"),
      owner_id,
      folder_id,
      kind: "device",
      source: JSON.stringify({ type: "files" }),
      overwrite: overwrite ? 1 : 0,
      schedule_id: null,
      created_at: now,
    }),
    node: ctx.node.id,
    status: "running",
    started_at: now,
    listed: 1,
    total: parts.length,
  };
  // Two files of one name are two items: the second one conflicts with the first, or replaces it.
  const uris = urisOf(parts);
  const items = parts.map(({ name }, ordinal) =>
    newItem({ id: newId("itm"), run_id: run.id, ordinal, uri: uris[ordinal]!, name }),
  );
  await inTransaction(async (tx) => {
    await store.insertRun(tx, run);
    await itemStore.insertItems(tx, items);
    await emitRun(ctx, tx, run, "created");
  });
  return { run, items };
}

async function importPart(
  ctx: ImportContext,
  run: RunRow,
  item: ItemRow,
  { name, declared_type, received }: ReceivedPart,
): Promise<void> {
  const { documents, inDeletion, inTransaction } = ctx;
  const origin = { kind: "upload", uri: null, run_id: run.id } as const;
  try {
    const { owner_id, folder_id } = run;
    const media_type = declared_type;
    const intake = { owner_id, folder_id, name, media_type, origin, from: received };
    const admitted = await documents.admit(intake);
    await received.keep();
    await inTransaction(async (tx) => {
      if (!(await store.findUnfinished(tx, run.id))) return;
      const { document_id, version } = await documents.ingest(tx, run.owner_id, {
        folder_id: run.folder_id,
        name,
        origin,
        file: received,
        declared_type,
        overwrite: run.overwrite === 1,
        admitted,
      });
      await itemStore.updatePending(tx, item.id, { document_id, version });
    });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const failure = { code: error.code, message: error.detail };
    // Also on a full disk.
    await inDeletion((tx) => endItem(ctx, tx, item, { how: "failed", error: failure }));
  } finally {
    documents.removeFiles([received.sha256]);
  }
}

/** The names of the files, made unique: the second one of a name gets a suffix. */
function urisOf(parts: readonly ReceivedPart[]): string[] {
  const uris = new Set<string>();
  for (const { name } of parts) {
    let uri = name;
    for (let n = 2; uris.has(uri); n++) uri = `${name} (${n})`;
    uris.add(uri);
  }
  return [...uris];
}
