/**
 * Fails the items of one host of a run, of which there may be fifty thousand: the first part in the
 * caller's transaction, the rest part by part in a job.
 */
import { inParts } from "../../core/lib/chunked-work";
import type { Db } from "../../core/sdk";
import type { HostFailure, ImportContext } from "./context";
import { errorColumns } from "./failures";
import * as itemStore from "./item-store";
import { endRunIfDone } from "./runs";
import * as store from "./store";

/** Items per transaction. */
const part_size = 500;

/** Fails those that no worker has started. */
export async function failHost(ctx: ImportContext, tx: Db, failure: HostFailure): Promise<void> {
  if (!(await failSome(ctx, tx, failure))) return;
  const run = await store.findUnfinished(tx, failure.run_id);
  if (run) await ctx.enqueueHostFailure(tx, run, failure);
}

/** Runs `FailHost`. */
export const failRest = (
  ctx: ImportContext,
  failure: HostFailure,
  signal: AbortSignal,
): Promise<void> => inParts(() => ctx.inTransaction((tx) => failSome(ctx, tx, failure)), signal);

/** True when there may be more. */
async function failSome(
  ctx: ImportContext,
  tx: Db,
  { run_id, host, code, message }: HostFailure,
): Promise<boolean> {
  if ((await store.findUnfinished(tx, run_id)) === undefined) return false;
  const end = { status: "failed", ...errorColumns({ code, message }) } as const;
  const failed = await itemStore.endSomeOfHost(tx, { run_id, host }, end, part_size);
  await endRunIfDone(ctx, tx, (await store.addCounts(tx, run_id, { failed }))!);
  return failed === part_size;
}
