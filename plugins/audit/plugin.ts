/**
 * The audit log: who did what to which record, and from where. It observes requests and commands,
 * so no other plugin depends on it. entries.ts decides what is recorded.
 */
import {
  CommandObserver,
  definePlugin,
  Duration,
  fill,
  RequestObserver,
  t,
  takeCommandNotes,
} from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { commandEntry, entriesOf, notedEntry } from "./entries";
import { auditJobs, auditSchedules } from "./jobs";
import { migrations } from "./migrations";
import { Recorder } from "./recorder";
import { auditHandlers, routes } from "./routes";
import { AuditLog } from "./service";
import { insertMissing } from "./store";

export default definePlugin({
  name: "audit",
  version: "1.0.0",
  config: t.Object({
    reads: t.Boolean({
      default: false,
      changes: "now",
      description: "Whether reading records in the console is recorded in the audit log, too.",
    }),
    keep: Duration({
      default: "365d",
      changes: "now",
      description: "How long entries of the audit log are kept.",
    }),
  }),
  needs: { accounts: Accounts },
  tables: ["audit_entries"],
  migrations,
  routes,
  setup: (ctx) => {
    const { config, services } = ctx;
    const recorder = new Recorder({ ...ctx, ...services });
    return {
      fills: [
        fill(RequestObserver, (served) => {
          for (const entry of entriesOf(served, config)) recorder.record(entry);
        }),
        fill(CommandObserver, (command) => recorder.record(commandEntry(command))),
      ],
      routes: auditHandlers(new AuditLog(ctx, recorder)),
      jobs: auditJobs(ctx, () => config.keep),
      schedules: auditSchedules,
      health: async () => {
        const failing = recorder.failure();
        return failing === null ? "ok" : { failing };
      },
      start: () =>
        takeCommandNotes(ctx.paths.data, async (notes) => {
          await ctx.inTransaction((tx) => insertMissing(tx, notes.map(notedEntry)));
        }),
      stop: () => recorder.flush(),
    };
  },
});
