/** How the job is enqueued that deletes originals after a while, where they stay for one. */
import { job, t, type Context } from "../../core/sdk";

/** Deletes originals that nobody uses and that have stayed long enough. */
export const DeleteOriginals = job("documents.delete_originals", t.Object({}));
const minute_ms = 60_000;
/** One job sees to all that is due in so much time, or in a second where it is soon. */
const step_ms = minute_ms;
/** The schedule sees to what is due later. */
const later_ms = 60 * minute_ms;

export type DeletingParts = Pick<Context, "db" | "enqueue" | "now_ms">;

/** In so much time, a little later. */
export async function enqueueDeleting(
  { db, enqueue, now_ms }: DeletingParts,
  delay_ms: number,
  tx: Context["db"] = db,
): Promise<void> {
  if (delay_ms > later_ms) return;
  const step = delay_ms < step_ms ? 1_000 : step_ms;
  const at = Math.ceil((now_ms() + delay_ms) / step) * step;
  await enqueue(tx, DeleteOriginals, {}, { key: `due:${at}`, run_at_ms: at });
}
