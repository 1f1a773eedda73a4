/**
 * Retries the failed items of a run, of which there may be fifty thousand: the first part in the
 * transaction that reopens the run, the rest part by part in a job.
 */
import { inParts } from "../../core/lib/chunked-work";
import type { Db } from "../../core/sdk";
import type { ImportContext, Reopening } from "./context";
import * as itemStore from "./item-store";
import { emitRun, endRunIfDone } from "./runs";
import * as store from "./store";
import type { RunState } from "./store";

/** Items per transaction: each may be the only one of its host, which takes a job. */
const part_size = 100;

/** Makes the first failed items of the run pending, which is unfinished again but not listed. */
export async function reopenRun(
  ctx: ImportContext,
  tx: Db,
  reopening: Reopening,
): Promise<RunState> {
  const { run, after, is_last } = (await reopenSome(ctx, tx, reopening))!;
  if (!is_last) await ctx.enqueueReopening(tx, run, { ...reopening, after });
  return run;
}

/** Runs `ReopenItems`. */
export async function reopenRest(
  ctx: ImportContext,
  reopening: Reopening,
  signal: AbortSignal,
): Promise<void> {
  let { after } = reopening;
  await inParts(async () => {
    const part = await ctx.inTransaction((tx) => reopenSome(ctx, tx, { ...reopening, after }));
    after = part?.after ?? after;
    return part?.is_last === false;
  }, signal);
}

interface ReopenedPart extends Pick<Reopening, "after"> {
  readonly run: RunState;
  readonly is_last: boolean;
}

/**
 * Until the last part the run counts as not listed, so that it does not end before. Undefined when
 * it has ended.
 */
async function reopenSome(
  ctx: ImportContext,
  tx: Db,
  { run_id, relists, after }: Reopening,
): Promise<ReopenedPart | undefined> {
  const before = await store.findUnfinished(tx, run_id);
  if (before?.listed !== 0) return undefined;
  const forgotten = await itemStore.forgetUnlisted(tx, run_id, part_size);
  const items = await itemStore.reopenFailed(tx, run_id, after, part_size - forgotten);
  for (const host of new Set(items.map((item) => item.host)))
    await ctx.enqueueItems(tx, before, host);
  const is_last = forgotten + items.length < part_size;
  let run = (await store.addCounts(tx, run_id, {
    total: -forgotten,
    failed: -forgotten - items.length,
  }))!;
  if (is_last && relists) await ctx.enqueueListing(tx, run);
  else if (is_last) run = (await store.updateRun(tx, run_id, { listed: 1 }))!;
  if (run.listed === 1) await endRunIfDone(ctx, tx, run);
  else await emitRun(ctx, tx, run);
  return { run, after: Math.max(after, ...items.map(({ ordinal }) => ordinal)), is_last };
}
