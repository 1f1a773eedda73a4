/**
 * How items and runs end: every counter moves in the transaction that ends an item, and the last
 * item ends the run and tells those who wait.
 */
import type { Context, Db, PayloadOf } from "../../core/sdk";
import type { DocumentSettled } from "../documents/contract";
import { WebhookDue } from "../webhooks/contract";
import * as itemStore from "./item-store";
import * as store from "./store";
import type { ItemRow, RunState, RunStatus } from "./store";

export interface EndingParts {
  readonly now_ms: () => number;
  readonly emit: Context["emit"];
  readonly cancelJobs: Context["cancelJobs"];
  /** Deletes originals that nobody uses any more, once the transaction is on disk. */
  readonly removeFiles: (sha256s: readonly string[]) => void;
  /** Somebody may be watching this run. */
  readonly changed: (run: RunState) => void;
}
export interface Failure {
  readonly code: string;
  readonly message: string;
}
export type ItemEnd =
  { readonly how: "succeeded" | "unchanged" } | { readonly how: "failed"; readonly error: Failure };

const left = {
  folder: { code: "folder_deleted", message: "The folder was deleted while the import ran." },
  document: {
    code: "document_deleted",
    message: "The document was deleted before it was indexed.",
  },
  cancelled: { code: "cancelled", message: "The import was cancelled before this was done." },
  unknown: { code: "extract_failed", message: "The document could not be indexed." },
};
const error_length_max = 1_000;
/** As it is stored. */
export const storedError = (error: Failure | null) => ({
  error_code: error?.code ?? null,
  error: error?.message.slice(0, error_length_max) ?? null,
});

export function createEnding({ now_ms, emit, cancelJobs, removeFiles, changed }: EndingParts) {
  async function endItem(
    tx: Db,
    { id, run_id }: Pick<ItemRow, "id" | "run_id">,
    end: ItemEnd,
  ): Promise<void> {
    const status = end.how === "unchanged" ? "skipped" : end.how;
    const ended = await itemStore.updatePending(tx, id, {
      status,
      ...storedError(end.how === "failed" ? end.error : null),
    });
    if (!ended) return;
    const run = await store.count(
      tx,
      run_id,
      end.how === "failed"
        ? { failed: 1 }
        : { succeeded: 1, skipped: end.how === "unchanged" ? 1 : 0 },
    );
    if (run) await finishIfDone(tx, run);
  }

  /** Ends the run when nothing of it is left to do. */
  async function finishIfDone(tx: Db, run: RunState): Promise<void> {
    changed(run);
    if (run.listed === 0 || run.succeeded + run.failed < run.total) return;
    await finish(tx, run, statusOf(run));
  }

  async function finish(
    tx: Db,
    { id, owner_id, kind, kept_sha256 }: RunState,
    status: RunStatus,
    error?: Failure,
  ): Promise<void> {
    const run = await store.updateRun(tx, id, {
      status,
      finished_at: now_ms(),
      kept_url: null,
      kept_sha256: null,
      ...(error === undefined ? {} : storedError(error)),
    });
    if (kept_sha256 !== null) removeFiles([kept_sha256]);
    changed(run!);
    if (kind === "device" || status === "cancelled") return;
    await emit(tx, WebhookDue, {
      owner_id,
      event_type: "import.finished",
      body: {
        event: "import.finished",
        import_run_id: id,
        status,
        completed_item_count: run!.succeeded + run!.failed,
        succeeded_item_count: run!.succeeded,
        failed_item_count: run!.failed,
      },
    });
  }

  /** Fails what is left of one host of a run. */
  async function failHost(tx: Db, run_id: string, host: string, error: Failure): Promise<void> {
    const failed = await itemStore.endPending(
      tx,
      run_id,
      { status: "failed", ...storedError(error) },
      host,
    );
    const run = await store.count(tx, run_id, { failed });
    if (run) await finishIfDone(tx, run);
  }

  /** What is finished stays; the rest is left. */
  async function cancel(tx: Db, run: RunState): Promise<void> {
    await cancelJobs(tx, [run.id]);
    await itemStore.endPending(tx, run.id, { status: "skipped", ...storedError(left.cancelled) });
    await finish(tx, run, "cancelled");
  }

  return {
    endItem,
    finishIfDone,
    failHost,

    /**
     * A document has settled: whoever waits for this version of it, or for one that it has
     * replaced.
     */
    async settled(
      tx: Db,
      { document_id, version, status, error }: PayloadOf<typeof DocumentSettled>,
    ): Promise<void> {
      for (const item of await itemStore.indexingItems(tx, [document_id])) {
        if (item.version! > version) continue;
        await endItem(
          tx,
          item,
          status === "sync_failed"
            ? { how: "failed", error: error ?? left.unknown }
            : { how: item.joined === 1 ? "unchanged" : "succeeded" },
        );
      }
    },

    /** These documents go for good. */
    async documentsGone(tx: Db, document_ids: readonly string[]): Promise<void> {
      for (const item of await itemStore.indexingItems(tx, document_ids))
        await endItem(tx, item, { how: "failed", error: left.document });
    },

    /** The run's folder goes: what is left of it fails, and so does the run. */
    async folderGone(tx: Db, run: RunState): Promise<void> {
      await cancelJobs(tx, [run.id]);
      const failed = await itemStore.endPending(tx, run.id, {
        status: "failed",
        ...storedError(left.folder),
      });
      const now = await store.count(tx, run.id, { failed });
      if (now) await finish(tx, now, "failed", left.folder);
    },

    cancel,
    async cancelIfUnfinished(tx: Db, run_id: string): Promise<void> {
      const run = await store.findUnfinished(tx, run_id);
      if (run) await cancel(tx, run);
    },
  };
}
export type Ending = ReturnType<typeof createEnding>;

function statusOf({ error, succeeded, failed }: RunState): RunStatus {
  if (error !== null) return "failed";
  if (failed === 0) return "completed";
  return succeeded === 0 ? "failed" : "completed_with_errors";
}
