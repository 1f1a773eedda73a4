/** Enqueues the job that deletes originals after their grace period, where there is one. */
import { job, t, type Context } from "../../../core/sdk";

/** Deletes unused originals whose grace period is over. */
export const DeleteOriginals = job("documents.delete_originals", t.Object({}));
const minute_ms = 60_000;
/** One job handles everything due within this time, or within a second when it is due soon. */
const step_ms = minute_ms;
/** Whatever is due later is left to the schedule. */
const later_ms = 60 * minute_ms;

export type OriginalDeletionContext = Pick<Context, "db" | "enqueue" | "now_ms">;

/** Enqueues the job for then, or a little later. */
export async function enqueueDeletion(
  { db, enqueue, now_ms }: OriginalDeletionContext,
  delay_ms: number,
  tx: Context["db"] = db,
): Promise<void> {
  if (delay_ms > later_ms) return;
  const step = delay_ms < step_ms ? 1_000 : step_ms;
  const at = Math.ceil((now_ms() + delay_ms) / step) * step;
  await enqueue(tx, DeleteOriginals, {}, { key: `due:${at}`, run_at_ms: at });
}
