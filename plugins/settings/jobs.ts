/** How the server learns of what a command has stored: by a job in the same transaction. */
import { handle, job, t, type Context, type Db, type JobHandler } from "../../core/sdk";

export const ReloadSettings = job("settings.reload", t.Object({}));

/** It takes no slot, so that no long job holds it up. */
export const settingJobs = ({ operations }: Pick<Context, "operations">): readonly JobHandler[] => [
  handle(ReloadSettings, () => operations.reloadSettings(), {
    attempts_max: 10,
    timeout_ms: 60_000,
    io_bound: true,
    uses_reserve: true,
  }),
];

/** `subject` tells when it is done. */
export const enqueueReload = (
  { enqueue }: Pick<Context, "enqueue">,
  tx: Db,
  subject: string,
): Promise<void> => enqueue(tx, ReloadSettings, {}, { subject });
