/** How runs end without a document: what they kept is let go, in the transaction that ends them. */
import { forbidden, notFound, type Db } from "../../core/sdk";
import type { TranscriptionParts } from "./parts";
import * as store from "./store";
import type { RunRow } from "./store";

/** Runs that go with one statement. */
const runs_at_once = 500;

/** @throws HttpError 404 when there is no such run, 403 when it is another user's. */
export async function requireRun(from: Db, owner_id: string, run_id: string): Promise<RunRow> {
  const run = await store.findRun(from, run_id);
  if (!run) throw notFound("transcription");
  if (run.owner_id !== owner_id) throw forbidden("This transcription belongs to another user.");
  return run;
}

export function createEnding({
  afterCommit,
  cancelJobs,
  changed,
  documents,
  now_ms,
  quotas,
  truncateWal,
}: TranscriptionParts) {
  /**
   * The file that a run kept: its room is given back, and it is deleted unless a document or
   * another run has it.
   */
  async function letGo(tx: Db, { owner_id, sha256, size_bytes }: RunRow): Promise<void> {
    if (sha256 === null) return;
    await quotas.charge(tx, owner_id, "storage", -size_bytes);
    documents.removeFiles([sha256]);
  }
  /** True when it had not ended before. */
  async function end(
    tx: Db,
    run_id: string,
    values: Parameters<typeof store.endRun>[2],
  ): Promise<boolean> {
    const ended = await store.endRun(tx, run_id, values);
    if (!ended) return false;
    await letGo(tx, ended);
    await forgetResults(tx, [run_id]);
    changed(ended, "changed");
    return true;
  }
  const forgetResults = async (tx: Db, run_ids: readonly string[]): Promise<void> => {
    if (await store.deleteResults(tx, run_ids)) afterCommit(truncateWal);
  };

  return {
    letGo,
    forgetResults,

    /** Nothing when the run has ended before. */
    async fail(tx: Db, run_id: string, code: string, message: string): Promise<void> {
      await end(tx, run_id, {
        status: "failed",
        finished_at: now_ms(),
        error_code: code,
        error_message: message,
      });
    },

    /** False when the run has ended before. */
    async cancel(tx: Db, run_id: string): Promise<boolean> {
      if (!(await end(tx, run_id, { status: "cancelled", finished_at: now_ms() }))) return false;
      await cancelJobs(tx, [run_id]);
      return true;
    },

    /** Inside the transaction that deletes the folders: their runs go with all they heard. */
    async removeFrom(tx: Db, folder_ids: readonly string[]): Promise<void> {
      for (;;) {
        const runs = await store.runsIn(tx, folder_ids, runs_at_once),
          ids = runs.map(({ id }) => id);
        if (runs.length === 0) return;
        await cancelJobs(tx, ids);
        await forgetResults(tx, ids);
        await store.deleteRuns(tx, ids);
        for (const run of runs) {
          await letGo(tx, run);
          changed(run, "deleted");
        }
      }
    },

    /**
     * Inside the transaction that purges the documents: what was heard goes with them, and the run
     * stays.
     */
    removeDocuments: async (tx: Db, document_ids: readonly string[]): Promise<void> =>
      forgetResults(tx, await store.forgetDocuments(tx, document_ids)),
  };
}
export type Ending = ReturnType<typeof createEnding>;
