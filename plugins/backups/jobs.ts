/** The jobs of backups: making one, rehearsing one, and deleting old copies. */
import { messageOf } from "../../core/lib/error-message";
import { withAscendingRanges } from "../../core/lib/cron";
import { every, handle, job, PermanentFailure, t, type JobHandler } from "../../core/sdk";
import type { Copies } from "./copies";
import type { BackupService } from "./service";

export const MakeBackup = job("backups.make", t.Object({ with_secrets: t.Boolean() }));
export const RehearseBackup = job("backups.rehearse", t.Object({ name: t.String() }));
export const PruneCopies = job("backups.prune_copies", t.Object({}));

const limits = { attempts_max: 1, crashes_max: 1, timeout_ms: 12 * 3_600_000, io_bound: true };

/** The jobs with their limits. */
export const backupJobs = (backups: BackupService, copies: Pick<Copies, "prune">): JobHandler[] => [
  handle(
    MakeBackup,
    async ({ with_secrets }, { signal }) => {
      await backups.make({ with_secrets }, { signal }).catch(unlessStopped(signal));
    },
    limits,
  ),
  handle(
    RehearseBackup,
    async ({ name }, { signal }) => {
      await backups.rehearse(name, { signal }).catch(unlessStopped(signal));
    },
    limits,
  ),
  handle(PruneCopies, () => copies.prune().then(() => undefined), {
    attempts_max: 3,
    timeout_ms: 60_000,
    uses_reserve: true,
  }),
];

/** `cron`: when backups are made; null: never. */
export const backupSchedules = (cron: string | null) => [
  every("53 3 * * *", PruneCopies, {}),
  ...(cron === null ? [] : [every(withAscendingRanges(cron), MakeBackup, { with_secrets: false })]),
];

/**
 * A retry is left to the next tick, or to whoever reads the error; one that was interrupted by the
 * stop of the server starts over with its next start.
 */
const unlessStopped =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    if (signal.aborted) throw error;
    throw new PermanentFailure(messageOf(error));
  };
