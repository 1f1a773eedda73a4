/**
 * How runs and items change: every counter changes in the transaction that ends an item, and the
 * last item ends the run and emits its event.
 */
import { inParts } from "../../core/lib/chunked-work";
import { OneOf, t, type Change, type Db, type PayloadOf } from "../../core/sdk";
import type { DocumentSettled } from "../documents/contract";
import { WebhookDue } from "../webhooks/contract";
import type { ImportContext } from "./context";
import { ImportChanged, ImportEnded } from "./contract";
import { errorColumns, failures, type Failure } from "./failures";
import * as itemStore from "./item-store";
import { clearRun } from "./clearing";
import * as listedStore from "./source-history-store";
import * as store from "./store";
import type { ItemRow, RunRow, RunState, RunStatus } from "./store";

/** `unchanged`: the document is current already; nothing was written. */
export type ItemEnd =
  | { readonly how: "succeeded" | "unchanged" }
  | { readonly how: "failed"; readonly error: Failure };

/** The initial state of a run. */
export const newRun = (
  values: Pick<
    RunRow,
    "id" | "owner_id" | "folder_id" | "kind" | "source" | "overwrite" | "schedule_id" | "created_at"
  > &
    Partial<RunRow>,
): RunRow => ({
  status: "pending",
  error_code: null,
  error: null,
  listed: 0,
  total: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  kept_url: null,
  kept_sha256: null,
  started_at: null,
  finished_at: null,
  source_key: null,
  gone: "keep",
  gone_items: 0,
  secrets: null,
  node: "",
  ...values,
});

/** The initial state of an item. */
export const newItem = (
  values: Pick<ItemRow, "id" | "run_id" | "ordinal" | "uri"> & Partial<ItemRow>,
): ItemRow => ({
  name: null,
  subfolder: null,
  locator: null,
  host: "",
  status: "pending",
  attempts: 0,
  document_id: null,
  version: null,
  joined: 0,
  folder_id: null,
  source_uri: null,
  etag: null,
  gone: 0,
  error_code: null,
  error: null,
  ...values,
});

/** The body of the event `import.finished`. */
export const FinishedEvent = t.Object({
  event: t.Literal("import.finished"),
  import_run_id: t.String({ description: "The id of the import." }),
  status: OneOf(["completed", "completed_with_errors", "failed"]),
  completed_item_count: t.Integer({ minimum: 0 }),
  succeeded_item_count: t.Integer({ minimum: 0 }),
  failed_item_count: t.Integer({ minimum: 0 }),
});
/** The body of the webhook event. */
export const finishedEvent = ({
  id,
  status,
  succeeded,
  failed,
}: Pick<RunState, "id" | "status" | "succeeded" | "failed">) => ({
  event: "import.finished",
  import_run_id: id,
  status,
  completed_item_count: succeeded + failed,
  succeeded_item_count: succeeded,
  failed_item_count: failed,
});

/** Notifies clients that are watching the run, and emits its event. */
export async function emitRun(
  { emit, notify, robots }: ImportContext,
  tx: Db,
  { id, owner_id, folder_id, finished_at, ...run }: RunState,
  action: Change["action"] = "changed",
): Promise<void> {
  if (finished_at !== null) robots.forget(id);
  notify({ owner_id, kind: "import", id, folder_id, action });
  const { status, total, succeeded, failed } = run;
  const state = { owner_id, import_id: id, folder_id, status, total, succeeded, failed };
  await emit(tx, ImportChanged, state);
}

/** Ends a pending item; the last one ends the run. */
export async function endItem(
  ctx: ImportContext,
  tx: Db,
  { id, run_id }: Pick<ItemRow, "id" | "run_id">,
  end: ItemEnd,
): Promise<void> {
  const ended = await itemStore.updatePending(tx, id, {
    status: end.how === "unchanged" ? "skipped" : end.how,
    ...errorColumns(end.how === "failed" ? end.error : null),
  });
  if (!ended) return;
  const counts =
    end.how === "failed"
      ? { failed: 1 }
      : { succeeded: 1, skipped: end.how === "unchanged" ? 1 : 0 };
  const run = await store.addCounts(tx, run_id, counts);
  if (!run) return;
  if (end.how !== "failed") await listedStore.remember(tx, run, ended);
  await endRunIfDone(ctx, tx, run);
}

/** Ends the run when none of its items is left. */
export async function endRunIfDone(ctx: ImportContext, tx: Db, run: RunState): Promise<void> {
  if (run.listed === 0 || run.succeeded + run.failed < run.total) await emitRun(ctx, tx, run);
  else await endRun(ctx, tx, run, statusOf(run));
}

type EndStatus = Exclude<RunStatus, "pending" | "running">;

function statusOf({ error, succeeded, failed }: RunState): EndStatus {
  if (error !== null) return "failed";
  if (failed === 0) return "completed";
  return succeeded === 0 ? "failed" : "completed_with_errors";
}

async function endRun(
  ctx: ImportContext,
  tx: Db,
  { id, owner_id, kind, kept_sha256 }: RunState,
  status: EndStatus,
  error?: Failure,
): Promise<void> {
  const run = (await store.updateRun(tx, id, {
    status,
    finished_at: ctx.now_ms(),
    kept_url: null,
    kept_sha256: null,
    ...(error === undefined ? {} : errorColumns(error)),
    // Only failed runs can be retried.
    ...(status === "completed" || status === "cancelled" ? { secrets: null } : {}),
  }))!;
  if (kept_sha256 !== null) ctx.documents.removeFiles([kept_sha256]);
  await emitRun(ctx, tx, run);
  // The sender of files from a device has waited for them.
  if (kind === "device" || status === "cancelled") return;
  const body = finishedEvent(run);
  await ctx.emit(tx, WebhookDue, { owner_id, event_type: body.event, body });
  const { folder_id, succeeded, failed } = run;
  const ended = { owner_id, import_id: id, folder_id, status, succeeded, failed };
  await ctx.emit(tx, ImportEnded, { ...ended, error: run.error });
}

/** Finished items stay; the rest is skipped. */
export async function cancelRun(ctx: ImportContext, tx: Db, run: RunState): Promise<void> {
  await endRun(ctx, tx, run, "cancelled");
  await clearRun(ctx, tx, { ...run, status: "cancelled" });
}

/** Cancels a run by its id; does nothing when it has ended. */
export async function cancelIfUnfinished(
  ctx: ImportContext,
  tx: Db,
  run_id: string,
): Promise<void> {
  const run = await store.findUnfinished(tx, run_id);
  if (run) await cancelRun(ctx, tx, run);
}

/** Inside the transaction that deletes the folders: the remaining items of their runs fail. */
export async function removeFolders(
  ctx: ImportContext,
  tx: Db,
  folder_ids: readonly string[],
): Promise<void> {
  for (const { id, total, succeeded, failed } of await store.unfinishedIn(tx, folder_ids)) {
    const run = await store.addCounts(tx, id, { failed: total - succeeded - failed });
    if (!run) continue;
    await endRun(ctx, tx, run, "failed", failures.folder_deleted);
    await clearRun(ctx, tx, { ...run, status: "failed" });
  }
}

/** Afterwards: deletes what is remembered of their imports, in parts. */
export async function purgeFolders(
  { db, inDeletion }: ImportContext,
  folder_ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const run of await store.runsIn(db, folder_ids)) {
    await inParts(() => inDeletion((tx) => itemStore.deleteSome(tx, run.id)), signal);
    await inDeletion((tx) => store.forgetSource(tx, run));
  }
  await inParts(() => inDeletion((tx) => listedStore.forgetSome(tx, folder_ids)), signal);
}

/** Deletes every run of a deleted user, with its items, in parts. */
export async function purgeRunsOf(
  ctx: ImportContext,
  owner_id: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, inDeletion } = ctx;
  for (;;) {
    const run = await store.anyRun(db, owner_id);
    if (run === undefined) return ctx.truncateWal();
    // An unfinished run releases the file that it keeps.
    await inDeletion((tx) => cancelIfUnfinished(ctx, tx, run.id));
    await inParts(() => inDeletion((tx) => itemStore.deleteSome(tx, run.id)), signal);
    await inDeletion((tx) => store.deleteRun(tx, run.id));
  }
}

/** Inside the transaction that purges the documents: items that wait for one of them fail. */
export async function removeDocuments(
  ctx: ImportContext,
  tx: Db,
  document_ids: readonly string[],
): Promise<void> {
  for (const item of await itemStore.indexingItems(tx, document_ids))
    await endItem(ctx, tx, item, { how: "failed", error: failures.document_deleted });
  await listedStore.forgetDocuments(tx, document_ids);
}

/**
 * Indexing of a document has ended: so do the items that wait for this version of it, or for one
 * that it has replaced.
 */
export async function documentSettled(
  ctx: ImportContext,
  tx: Db,
  { document_id, version, status, error }: PayloadOf<typeof DocumentSettled>,
): Promise<void> {
  for (const item of await itemStore.indexingItems(tx, [document_id])) {
    if (item.version! > version) continue;
    const end: ItemEnd =
      status === "sync_failed"
        ? { how: "failed", error: error ?? failures.not_indexed }
        : { how: item.joined === 1 ? "unchanged" : "succeeded" };
    await endItem(ctx, tx, item, end);
  }
}

/** Deletes runs older than the retention time, with their items, in parts. */
export async function deleteOldRuns(
  { inDeletion, keep_runs_ms, certain_now_ms, truncateWal }: ImportContext,
  signal: AbortSignal,
): Promise<void> {
  const deletePart = async (tx: Db): Promise<boolean> => {
    const run = await store.anyOldRun(tx, certain_now_ms() - keep_runs_ms());
    if (run === undefined) return false;
    if (!(await itemStore.deleteSome(tx, run.id))) await store.deleteRun(tx, run.id);
    return true;
  };
  await inParts(() => inDeletion(deletePart), signal);
  truncateWal();
}
