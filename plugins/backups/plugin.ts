/**
 * Backups: made while the server runs, rehearsed before they count, by schedule or on request; and
 * restoring them. `maker.ts` makes them, `archive.ts` documents their content.
 */
import { join, resolve } from "node:path";
import { cron_pattern, nextTime } from "../../core/lib/cron";
import { ConfigError, definePlugin, Duration, t, type Context } from "../../core/sdk";
import { backupChecks } from "./checks";
import { commandHandlers, commands } from "./commands";
import { BackupProbes } from "./contract";
import { backupJobs, backupSchedules } from "./jobs";
import { Copies } from "./copies";
import { BackupMaker, elsewhere_message } from "./maker";
import { backupMetrics } from "./metrics";
import { migrations } from "./migrations";
import { restoreTool } from "./restore";
import { rollbackTool } from "./rollback";
import { backupHandlers, routes } from "./routes";
import { BackupService, type BackupSettings } from "./service";
import { tasks } from "./tasks";

export default definePlugin({
  name: "backups",
  version: "1.0.0",
  config: t.Object({
    schedule: t.Optional(
      t.String({
        changes: "now",
        stored: { shown: { pattern: cron_pattern } },
        description: "When backups are made: a cron expression in UTC, such as `0 3 * * *`.",
      }),
    ),
    keep: t.Integer({
      default: 7,
      minimum: 1,
      maximum: 10_000,
      changes: "now",
      description: "How many backups are kept, in addition to those that a newer one depends on.",
    }),
    keep_copies: Duration({
      default: "30d",
      changes: "now",
      description:
        "How long copies made before upgrades, and databases set aside by rollbacks, are " +
        "kept; at most three of each.",
    }),
    directory: t.Optional(
      t.String({
        changes: "outside",
        description: "The directory for backups; by default `backups` in the data directory.",
      }),
    ),
  }),
  checkConfig: ({ schedule }) => requireCron(scheduleOf(schedule)),
  slots: { probes: BackupProbes },
  tables: ["backups_runs"],
  migrations,
  routes,
  commands,
  tools: { restore: restoreTool, rollback: rollbackTool },
  tasks,
  setup: (ctx) => {
    const settings = settingsOf(ctx.config, ctx.paths);
    const maker = new BackupMaker({
      ...ctx,
      directory: settings.directory,
      probes: () => ctx.slots.probes(),
      secret_settings: () =>
        ctx.operations
          .settings()
          .filter(({ value }) => value === "[secret]")
          .map(({ setting }) => setting),
    });
    const backups = new BackupService({ ...ctx, settings, maker });
    const copies = new Copies({ ...ctx, keep_ms: () => settings.keep_copies });
    return {
      routes: backupHandlers(ctx, backups),
      commands: commandHandlers(backups, ctx),
      jobs: backupJobs(backups, copies),
      schedules: () => {
        if (settings.schedule === null && scheduleOf(ctx.config.schedule) !== null)
          ctx.log.warn("backups.schedule has no effect", { reason: elsewhere_message });
        return backupSchedules(settings.schedule);
      },
      fills: [...backupMetrics(backups, ctx), ...backupChecks(backups, copies, ctx)],
      health: () => backups.health(),
      start: async () => {
        await maker.clean();
        await copies.clean();
      },
    };
  },
});

/** The current settings. */
function settingsOf(
  config: {
    readonly schedule?: string;
    readonly keep: number;
    readonly keep_copies: number;
    readonly directory?: string;
  },
  { data, database }: Pick<Context["paths"], "data" | "database">,
): BackupSettings {
  const directory =
    config.directory === undefined ? join(data, "backups") : resolve(data, config.directory);
  return {
    get schedule() {
      return database === null ? null : scheduleOf(config.schedule);
    },
    get keep() {
      return config.keep;
    },
    get keep_copies() {
      return config.keep_copies;
    },
    directory,
  };
}

const scheduleOf = (written: string | undefined): string | null => written?.trim() || null;

/** @throws ConfigError on an invalid schedule. */
function requireCron(schedule: string | null): void {
  const wrong = schedule === null ? null : problemOf(schedule);
  if (wrong !== null)
    throw new ConfigError([
      `backups.schedule: ${JSON.stringify(schedule)} is not a cron expression such as ` +
        `"0 3 * * *" (${wrong}).`,
    ]);
}

function problemOf(cron: string): string | null {
  try {
    return nextTime(cron, 0) === null ? "it never occurs" : null;
  } catch (error) {
    return (error as Error).message;
  }
}
