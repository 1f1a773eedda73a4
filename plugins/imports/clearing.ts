/**
 * Ends the jobs and items of a run that has ended, of which there may be fifty thousand: the first
 * part in the transaction that ends the run, the rest part by part in a job.
 */
import { inParts } from "../../core/lib/chunked-work";
import type { Db } from "../../core/sdk";
import type { ImportContext } from "./context";
import { errorColumns, failures } from "./failures";
import * as itemStore from "./item-store";
import * as store from "./store";
import type { RunState } from "./store";

/** Jobs, or items, per transaction. */
const part_size = 500;

/** Call it once the run has ended. */
export async function clearRun(
  ctx: ImportContext,
  tx: Db,
  run: Pick<RunState, "id" | "owner_id" | "status">,
): Promise<void> {
  if (await clearSome(ctx, tx, run)) await ctx.enqueueClearing(tx, run);
}

/** Runs `ClearRun`. */
export const clearRest = (ctx: ImportContext, run_id: string, signal: AbortSignal): Promise<void> =>
  inParts(
    () =>
      ctx.inDeletion(async (tx) => {
        const run = await store.findRun(tx, run_id);
        return run !== undefined && run.finished_at !== null && clearSome(ctx, tx, run);
      }),
    signal,
  );

/** True when there may be more. Items of a deleted folder are deleted with it. */
async function clearSome(
  ctx: ImportContext,
  tx: Db,
  { id, status }: Pick<RunState, "id" | "status">,
): Promise<boolean> {
  if (await ctx.cancelSomeJobs(tx, id, part_size)) return true;
  if (status !== "cancelled") return false;
  const skipped = { status: "skipped", ...errorColumns(failures.cancelled) } as const;
  return (await itemStore.endSomePending(tx, id, skipped, part_size)) === part_size;
}
