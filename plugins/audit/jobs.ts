/** The job of the audit log: deletes entries after the retention time. */
import { every, handle, job, t, type Context, type JobHandler } from "../../core/sdk";
import { deleteBefore } from "./store";

export const Prune = job("audit.prune", t.Object({}));

/** Entries per transaction, and the pause after it. */
const each_max = 500;
const pause_ms = 20;

type PruneContext = Pick<Context, "certain_now_ms" | "inDeletion" | "truncateWal">;

/** The job, with the retention time in force when it runs. */
export const auditJobs = (
  { certain_now_ms, inDeletion, truncateWal }: PruneContext,
  keep_ms: () => number,
): readonly JobHandler[] => [
  handle(
    Prune,
    async (_payload, { signal }) => {
      const before = certain_now_ms() - keep_ms();
      for (;;) {
        signal.throwIfAborted();
        const deleted = await inDeletion((tx) => deleteBefore(tx, before, each_max));
        if (deleted > 0) truncateWal();
        if (deleted < each_max) return;
        await Bun.sleep(pause_ms);
      }
    },
    { attempts_max: 3, timeout_ms: 10 * 60_000, uses_reserve: true },
  ),
];

/** Once a day. */
export const auditSchedules = [every("41 3 * * *", Prune, {})];
