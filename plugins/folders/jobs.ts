/** The job of folders: payload, how it is enqueued, what it runs and its limits. */
import { handle, job, t, type Context, type Db, type JobHandler } from "../../core/sdk";
import { purgeFolder, type DeletedTree, type PurgeContext } from "./purge";

/** Deletes the rows and files of a deleted folder. */
const PurgeFolder = job("folders.purge", t.Object({ folder_id: t.String(), owner_id: t.String() }));

const hour_ms = 3_600_000;

/** The function that enqueues the purge of a deleted folder. */
export const purgeEnqueuer =
  ({ enqueue }: Pick<Context, "enqueue">) =>
  (tx: Db, deleted: DeletedTree): Promise<void> =>
    enqueue(tx, PurgeFolder, deleted, {
      key: deleted.folder_id,
      owner: deleted.owner_id,
      queue: `folders.purge:${deleted.folder_id}`,
    });

/** The job with its limits. */
export const folderJobs = (ctx: PurgeContext): readonly JobHandler[] => [
  handle(PurgeFolder, (deleted, { signal }) => purgeFolder(ctx, deleted, signal), {
    attempts_max: 20,
    // Every start continues it.
    crashes_max: Number.MAX_SAFE_INTEGER,
    timeout_ms: 6 * hour_ms,
    // It takes no slot from jobs that somebody is waiting for, and a large one delays no small one.
    io_bound: true,
    concurrency: 16,
    uses_reserve: true,
  }),
];
