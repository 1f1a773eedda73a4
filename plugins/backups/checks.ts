/** The health checks of backups, and of the files beside them. */
import { fill, rfc3339, type Context, type Fill } from "../../core/sdk";
import { ok, SystemChecks, type CheckResult } from "../doctor/contract";
import type { Copies } from "./copies";
import { whyUnusable } from "./directory";
import { elsewhere_message } from "./maker";
import type { BackupService } from "./service";

const day_ms = 86_400_000;
/** Without a schedule, one should be made this often. */
const age_days_max = 30;

/** The checks of the newest backup, and of copies of the database. */
export const backupChecks = (
  backups: BackupService,
  copies: Copies,
  { now_ms, paths }: Pick<Context, "now_ms" | "paths">,
): Fill[] => [
  fill(SystemChecks, {
    name: "Backups",
    run: async () => (paths.database === null ? ok(elsewhere_message) : check(backups, now_ms())),
    mend: async () => {
      const { path } = await backups.make({ with_secrets: false });
      return `${path} was created and rehearsed.`;
    },
  }),
  fill(SystemChecks, {
    name: "Copies",
    run: () => copies.check(),
    mend: () => copies.mend(),
  }),
];

async function check(backups: BackupService, now_ms: number): Promise<CheckResult> {
  const { failure, overdue, last_success, directory_gone } = await backups.standing();
  if (directory_gone)
    return {
      status: "fail",
      detail: backups.directoryGoneMessage(),
      fix: "Mount its disk, or change backups.directory.",
      mendable: false,
    };
  const unusable = await whyUnusable(backups.settings.directory);
  if (unusable !== null)
    return {
      status: "fail",
      detail: unusable,
      fix: "Correct that, or change backups.directory.",
      mendable: false,
    };
  const { backups: listed } = await backups.list();
  const bad = listed.find(({ problem, failure: why }) => problem ?? why);
  if (failure)
    return {
      status: "fail",
      detail: `The last backup failed: ${failure.error}.`,
      fix: "Fix the cause, then create a backup: dossier backup.",
    };
  if (overdue)
    return {
      status: "fail",
      detail:
        last_success === null
          ? "A scheduled backup is overdue, and none has been created yet."
          : `A scheduled backup is overdue. The last one is from ${rfc3339(last_success)}.`,
      fix: "Create one: dossier backup. The log has the reason why none was created.",
    };
  if (bad)
    return {
      status: "warn",
      detail: `${bad.name} is unusable: ${bad.problem ?? bad.failure}.`,
      fix: "Create a new backup, and delete this one.",
    };
  if (last_success === null || now_ms - last_success > age_days_max * day_ms)
    return {
      status: "warn",
      detail:
        last_success === null
          ? "There are no backups."
          : `The last backup is from ${rfc3339(last_success)}.`,
      fix: "Set backups.schedule, or create a backup: dossier backup.",
    };
  return ok(`The last backup is from ${rfc3339(last_success)}.`);
}
