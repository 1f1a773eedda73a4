/** State changes of runs: a run's file is released in the transaction that ends the run. */
import { inParts } from "../../core/lib/chunked-work";
import { forbidden, requireOwned, type Change, type Context, type Db } from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Quotas } from "../quotas/contract";
import { TranscriptionChanged } from "./contract";
import * as store from "./store";
import type { RunRow } from "./store";

/** What the changes need besides `Context`. */
export interface TranscriptionRunsContext extends Pick<
  Context,
  "afterCommit" | "cancelJobs" | "db" | "emit" | "inDeletion" | "notify" | "now_ms" | "truncateWal"
> {
  readonly documents: Documents;
  readonly folders: Folders;
  readonly quotas: Quotas;
}

/** Unfinished runs per owner. */
const unfinished_max = 100;
/** Runs deleted per transaction: a transcript may be long. */
const delete_batch = 25;
/** Folders, or documents, per read. */
const looked_up_at_once = 200;
/** The same for runs with a file: more than an owner can have unfinished. */
const released_max = 2 * unfinished_max;

/** @throws HttpError 404 when there is no such run, 403 when it is another user's. */
export async function requireRun(db: Db, owner_id: string, run_id: string): Promise<RunRow> {
  return requireOwned(await store.findRun(db, run_id), owner_id, "transcription");
}

/** Calls `work` with all ids that `read` returns after one another, some at a time. */
async function eachBatch(
  read: typeof store.foldersAfter,
  db: Db,
  signal: AbortSignal,
  work: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  let after = "";
  await inParts(async () => {
    const ids = await read(db, after, looked_up_at_once);
    if (ids.length > 0) await work(ids);
    after = ids.at(-1) ?? after;
    return ids.length > 0;
  }, signal);
}

/** Starts, ends and deletes runs. */
export class TranscriptionRuns {
  constructor(private readonly ctx: TranscriptionRunsContext) {}

  /** Notifies open pages of the run, and listeners to events. */
  async publish(
    db: Db,
    { id, owner_id, folder_id, status, progress, ...run }: RunRow,
    action: Change["action"] = "changed",
  ): Promise<void> {
    const { emit, notify } = this.ctx;
    notify({ owner_id, kind: "transcription", id, folder_id, action });
    const { error_code: code, error_message: message } = run;
    const error = code === null ? null : { code, message: message ?? "" };
    const about = { owner_id, transcription_id: id, folder_id };
    await emit(db, TranscriptionChanged, { ...about, status, progress, error });
  }

  /** Does nothing if the run has ended. */
  async fail(tx: Db, run_id: string, code: string, message: string): Promise<void> {
    await this.end(tx, run_id, {
      status: "failed",
      finished_at: this.ctx.now_ms(),
      error_code: code,
      error_message: message,
    });
  }

  /** False if the run had ended before. */
  async cancel(tx: Db, run_id: string): Promise<boolean> {
    const finished_at = this.ctx.now_ms();
    if (!(await this.end(tx, run_id, { status: "cancelled", finished_at }))) return false;
    await this.ctx.cancelJobs(tx, [run_id]);
    return true;
  }

  /** @throws HttpError 403 when the owner has too many unfinished runs. */
  async requireCapacity(db: Db, owner_id: string): Promise<void> {
    if ((await store.unfinishedOf(db, owner_id)).length >= unfinished_max)
      throw forbidden(
        `A user can have at most ${unfinished_max} transcriptions in progress. Wait for ` +
          "one to end, or cancel it.",
        "quota_exceeded",
      );
  }

  /** Ends this user's unfinished runs, and stops a running transcription. */
  async cancelAll(tx: Db, owner_id: string): Promise<void> {
    for (const id of await store.unfinishedOf(tx, owner_id)) await this.cancel(tx, id);
  }

  /**
   * Releases the quota of the run's file; the file is deleted unless a document or another run uses
   * it.
   */
  async releaseFile(tx: Db, { owner_id, sha256, size_bytes }: RunRow): Promise<void> {
    if (sha256 === null) return;
    await this.ctx.quotas.charge(tx, owner_id, "storage", -size_bytes);
    this.ctx.documents.removeFiles([sha256]);
  }

  /**
   * Called in the transaction that deletes the folders: releases the files of their runs. With the
   * folder, all of these runs are gone for everyone.
   */
  async removeFolders(tx: Db, folder_ids: readonly string[]): Promise<void> {
    await this.delete(tx, await store.runsIn(tx, folder_ids, released_max, { with_file: true }));
  }

  /** Called after it: deletes the runs with their transcripts, in batches. */
  async purgeFolders(folder_ids: readonly string[], signal: AbortSignal): Promise<void> {
    await inParts(async () => {
      return this.ctx.inDeletion(async (tx) => {
        const runs = await store.runsIn(tx, folder_ids, delete_batch);
        await this.delete(tx, runs);
        return runs.length > 0;
      });
    }, signal);
  }

  /** Deletes every run of a deleted user. */
  async deleteOf(owner_id: string, signal: AbortSignal): Promise<void> {
    await inParts(async () => {
      return this.ctx.inDeletion(async (tx) => {
        const runs = await store.runsOf(tx, owner_id, delete_batch);
        await this.delete(tx, runs);
        return runs.length > 0;
      });
    }, signal);
    this.ctx.truncateWal();
  }

  /** Deletes runs that ended before this time, in batches; their documents stay. */
  async deleteBefore(finished_before: number, signal: AbortSignal): Promise<void> {
    await inParts(async () => {
      return this.ctx.inDeletion(async (tx) => {
        const runs = await store.runsBefore(tx, finished_before, delete_batch);
        await this.delete(tx, runs);
        if (runs.length > 0) this.ctx.afterCommit(this.ctx.truncateWal);
        return runs.length > 0;
      });
    }, signal);
  }

  /**
   * Called in the transaction that purges the documents: deletes their transcripts, and keeps the
   * runs.
   */
  async removeDocuments(tx: Db, document_ids: readonly string[]): Promise<void> {
    await this.deleteResults(tx, await store.detachDocuments(tx, document_ids));
  }

  /**
   * Deletes what belongs to folders and documents that are gone: they may have been deleted while
   * this plugin was not loaded, and so was not told.
   */
  async deleteForgotten(signal: AbortSignal): Promise<void> {
    const { db, documents, folders, inDeletion } = this.ctx;
    await eachBatch(store.foldersAfter, db, signal, async (ids) => {
      const existing = await folders.findRoots(db, ids);
      const gone = ids.filter((id) => !existing.has(id));
      await this.purgeFolders(gone, signal);
    });
    await eachBatch(store.documentsAfter, db, signal, async (ids) => {
      const existing = await documents.findNames(db, ids);
      const gone = ids.filter((id) => !existing.has(id));
      if (gone.length > 0) await inDeletion((tx) => this.removeDocuments(tx, gone));
    });
  }

  /** False if the run had ended before. */
  private async end(
    tx: Db,
    run_id: string,
    values: Parameters<typeof store.endRun>[2],
  ): Promise<boolean> {
    const ended = await store.endRun(tx, run_id, values);
    if (!ended) return false;
    await this.releaseFile(tx, ended);
    await this.deleteResults(tx, [run_id]);
    await this.publish(tx, { ...ended, ...values });
    return true;
  }

  private async delete(tx: Db, runs: readonly RunRow[]): Promise<void> {
    if (runs.length === 0) return;
    const ids = runs.map(({ id }) => id);
    await this.ctx.cancelJobs(tx, ids);
    await this.deleteResults(tx, ids);
    await store.deleteRuns(tx, ids);
    for (const run of runs) {
      await this.releaseFile(tx, run);
      const { owner_id, id, folder_id } = run;
      this.ctx.notify({ owner_id, kind: "transcription", id, folder_id, action: "deleted" });
    }
  }

  private async deleteResults(tx: Db, run_ids: readonly string[]): Promise<void> {
    if (await store.deleteResults(tx, run_ids)) this.ctx.afterCommit(this.ctx.truncateWal);
  }
}
