/** The age of the newest backup, as metrics. */
import { fill, type Context } from "../../core/sdk";
import { Metrics } from "../metrics/contract";
import type { BackupService } from "./service";

export const backupMetrics = (
  backups: Pick<BackupService, "standing">,
  { now_ms }: Pick<Context, "now_ms">,
) => [
  fill(Metrics, {
    name: "dossier_backup_age_seconds",
    help: "Seconds since the last successful and rehearsed backup; absent while there is none.",
    type: "gauge",
    read: async () => {
      const { last_success } = await backups.standing();
      return last_success === null ? null : (now_ms() - last_success) / 1_000;
    },
  }),
  fill(Metrics, {
    name: "dossier_backup_failing",
    help: "1 if the last backup failed or a backup is overdue.",
    type: "gauge",
    read: async () => {
      const { failure, overdue } = await backups.standing();
      return Number(failure !== null || overdue);
    },
  }),
];
