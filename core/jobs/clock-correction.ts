/**
 * Repairs the job table after the clock was ahead and then set back: rows with times in the future
 * would otherwise wait until then.
 */
import type { Store } from "../store/store";
import { rowsOf } from "../store/raw-statements";
import type { JobsDb } from "./store";

/** Jobs per transaction. */
const jobs_per_transaction = 500;

/**
 * Limits the wait of each job to what was intended when it was enqueued or last started, and
 * removes finish times in the future, which would delay deletion. The future begins `slack_ms` from
 * now. Works in batches; returns how many jobs were changed.
 */
export async function correctTimes(
  { inDeletion }: Pick<Store, "inDeletion">,
  now_ms: number,
  slack_ms = 0,
): Promise<number> {
  let corrected = 0;
  for (const correct of [correctWaiting, correctFinished]) {
    let count: number;
    do {
      count = await inDeletion((tx) => correct(tx, now_ms, now_ms + slack_ms));
      corrected += count;
    } while (count === jobs_per_transaction);
  }
  return corrected;
}

/** When the wait began, by the clock of that time: the correction moves this moment to now. */
const since = "case when started_at > created_at then started_at else created_at end";
const waiting_sql = `
update core_jobs set
  run_at = run_at - (${since}) + ?,
  created_at = case when created_at > ? then ? else created_at end,
  started_at = case when started_at > ? then ? else started_at end
where id in (
  select id from core_jobs
  where state = 'ready' and run_at > ? and (created_at > ? or started_at > ?)
  limit ?
) returning id`;
const correctWaiting = async (tx: JobsDb, now_ms: number, future_ms: number): Promise<number> =>
  (
    await rowsOf(tx, waiting_sql, [
      ...Array<number>(5).fill(now_ms),
      ...Array<number>(3).fill(future_ms),
      jobs_per_transaction,
    ])
  ).length;

const finished_sql = `
update core_jobs set finished_at = ?
where id in (
  select id from core_jobs
  where state in ('done', 'failed', 'cancelled') and state = ? and finished_at > ?
  limit ?
) returning id`;
async function correctFinished(tx: JobsDb, now_ms: number, future_ms: number): Promise<number> {
  let corrected = 0;
  for (const state of ["done", "failed", "cancelled"] as const) {
    const limit = jobs_per_transaction - corrected;
    if (limit > 0)
      corrected += (await rowsOf(tx, finished_sql, [now_ms, state, future_ms, limit])).length;
  }
  return corrected;
}
