/** The commands about jobs: what waits, runs and has failed, and running it again. */
import { printRows } from "../../core/lib/print-rows";
import {
  rfc3339,
  UsageError,
  type Command,
  type CommandHandler,
  type Operations,
} from "../../core/sdk";

const states = ["failed", "running", "ready"] as const;
const listed_max = 1_000;

export const commands = {
  jobList: {
    name: "job list",
    summary: "List jobs: those that have failed for good, run, or wait.",
    options: [
      {
        flags: "--state <state>",
        description: "which jobs",
        choices: states,
        default: "failed",
      },
      { flags: "--json", description: "print one JSON array" },
    ],
  },
  jobRetry: {
    name: "job retry",
    summary: "Run a failed job again, or every failed job of a kind.",
    changes: true,
    args: ["id?"],
    options: [
      {
        flags: "--kind <kind>",
        description: "every failed job of this kind, as job list names it",
      },
    ],
  },
} satisfies Record<string, Command>;

export const commandHandlers = (
  operations: Pick<Operations, "jobs" | "plugins">,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  jobList: async ({ options, print }) => {
    const state = options.state as (typeof states)[number];
    const { rows } = await operations.jobs.list(state, { limit: listed_max, offset: 0 });
    printRows(
      rows.map((job) => ({
        id: job.id,
        kind: job.name,
        subject: job.subject,
        attempts: job.attempts,
        due_at: rfc3339(job.run_at),
        can_retry: job.retriable,
        error: job.error,
      })),
      { json: Boolean(options.json), empty: emptyWords[state], print },
    );
  },
  jobRetry: async ({ args: [id], options: { kind }, print, about }) => {
    if ((id === undefined) === (kind === undefined))
      throw new UsageError("name one job by its id, or all of a kind with --kind");
    if (id !== undefined) {
      about(id);
      const { rows } = await operations.jobs.list("failed", { limit: listed_max, offset: 0 });
      const job = rows.find((one) => one.id === id);
      if (job && !(await operations.plugins()).some(({ name }) => name === job.plugin))
        throw new Error(
          `this job is of the plugin file ${job.plugin}, which commands don't load: run it again ` +
            "in the console",
        );
      await operations.jobs.retry(id);
      return print(`${id} runs again.`);
    }
    const { rows } = await operations.jobs.list("failed", { limit: listed_max, offset: 0 });
    const again = rows.filter((job) => job.name === kind && job.retriable);
    for (const job of again) await operations.jobs.retry(job.id);
    if (again.length === 0) throw new Error(`no failed job of the kind ${kind} can be run again`);
    print(`${again.length} ${again.length === 1 ? "job runs" : "jobs run"} again.`);
  },
});

const emptyWords = {
  failed: "No job has failed.",
  running: "No job runs.",
  ready: "No job waits.",
} as const;
