/** The commands for jobs: listing queued, running and failed ones, and retrying them. */
import { counted } from "../../core/lib/counted";
import { printRows } from "../../core/lib/print-rows";
import {
  rfc3339,
  UsageError,
  type BatchDone,
  type Command,
  type CommandHandler,
  type CommandInput,
  type Operations,
} from "../../core/sdk";
import { pause_setting } from "../search-index/contract";
import { StoredChange, type StoredChangeContext } from "../settings/contract";

const states = ["failed", "running", "ready"] as const;
const listed_max = 1_000;

const reason_option = {
  flags: "--reason <text>",
  description: "only jobs that failed for exactly this reason",
};

export const commands = {
  jobList: {
    name: "job list",
    summary: "List jobs that have failed, are running or are waiting.",
    options: [
      {
        flags: "--state <state>",
        description: "the state of the jobs",
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
    loads_plugins: true,
    args: ["id?"],
    options: [
      {
        flags: "--kind <kind>",
        description: "every failed job of this kind, as job list names it",
      },
      reason_option,
    ],
  },
  jobDrop: {
    name: "job drop",
    summary: "Remove a failed job, or cancel a waiting one; or all jobs of a kind.",
    changes: true,
    loads_plugins: true,
    args: ["id?"],
    options: [
      { flags: "--kind <kind>", description: "every job of this kind, as job list names it" },
      {
        flags: "--state <state>",
        description: "the state of the jobs",
        choices: ["failed", "ready"],
        default: "failed",
      },
      reason_option,
      { flags: "--yes", description: "don't ask for confirmation" },
    ],
  },
  jobPause: {
    name: "job pause",
    summary: "Pause intake (documents, imports and recordings wait), or the creation of vectors.",
    args: ["what?"],
    changes: true,
  },
  jobResume: {
    name: "job resume",
    summary: "Resume intake, or the creation of vectors.",
    args: ["what?"],
    changes: true,
  },
} satisfies Record<string, Command>;

/**
 * By argument of `job pause` and `job resume`: the setting that pauses it, and what is printed once
 * it is `paused` or `open`.
 */
const pausables: ReadonlyMap<
  string,
  { readonly setting: string; readonly paused: string; readonly open: string }
> = new Map([
  [
    "intake",
    {
      setting: "jobs.pause_intake",
      paused:
        "Intake is paused. New documents, imports and recordings wait until you run dossier " +
        "job resume.",
      open: "Intake is open.",
    },
  ],
  [
    "vectors",
    {
      setting: pause_setting,
      paused:
        "Vectors are paused until you run dossier job resume vectors. Until then, new " +
        "documents are found by words only.",
      open: "Vectors are being created.",
    },
  ],
]);

type Jobs = Operations["jobs"];

export const commandHandlers = (
  ctx: StoredChangeContext,
): { readonly [N in keyof typeof commands]: CommandHandler } => {
  const { jobs } = ctx.operations;
  const pause =
    (paused: boolean): CommandHandler =>
    async ({ args: [target = "intake"], print, about }) => {
      const pausable = pausables.get(target);
      if (pausable === undefined)
        throw new UsageError(
          `the work ${target} can't be paused. Only these can: ` +
            `${[...pausables.keys()].join(", ")}.`,
        );
      about(`${target}.${paused ? "paused" : "open"}`);
      const change = new StoredChange(ctx);
      await ctx.operations.turn(pausable.setting, paused, change.note);
      const delay_note =
        (await change.followed()) === "late" ? " The running server applies this in a moment." : "";
      print(`${paused ? pausable.paused : pausable.open}${delay_note}`);
    };
  return {
    jobList: async ({ options, print }) => {
      const state = options.state as (typeof states)[number];
      const { rows } = await jobs.list(state, { limit: listed_max, offset: 0 });
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
        { json: Boolean(options.json), empty: empty_messages[state], print },
      );
    },
    jobRetry: async ({ args: [id], options: { kind, reason }, print, about }) => {
      requireIdOrKind(id, kind);
      if (id !== undefined) {
        about(id);
        await jobs.retry(id);
        return print(`Queued ${id} again.`);
      }
      about(String(kind));
      const retried = await workInBatches(jobs, String(kind), "failed", (job_kind, after) =>
        jobs.retryKind({ ...job_kind, after, error: optionalText(reason) }),
      );
      if (retried === 0)
        throw new Error(`there is no failed job of the kind ${kind} that can be run again`);
      print(`Queued ${counted(retried, "job")} again.`);
    },
    jobDrop: (input) => drop(jobs, input),
    jobPause: pause(true),
    jobResume: pause(false),
  };
};

async function drop(
  jobs: Jobs,
  { args: [id], options, ask, print, about }: CommandInput,
): Promise<void> {
  const { kind, reason } = options;
  requireIdOrKind(id, kind);
  if (id !== undefined) {
    about(id);
    await jobs.drop(id);
    return print(`Dropped ${id}.`);
  }
  about(String(kind));
  const state = options.state as "failed" | "ready";
  if (!options.yes) {
    const typed = await ask(
      `This permanently drops all ${state === "failed" ? "failed" : "waiting"} jobs of the ` +
        `kind ${kind}. Type the kind to confirm: `,
    );
    if (typed.trim() !== kind) throw new Error("the kind does not match. Nothing was dropped");
  }
  const dropped = await workInBatches(jobs, String(kind), state, (job_kind, after) =>
    jobs.dropKind({ ...job_kind, after, state, error: optionalText(reason) }),
  );
  if (dropped === 0) throw new Error(`there is no such job of the kind ${kind}`);
  print(`Dropped ${counted(dropped, "job")}.`);
}

function requireIdOrKind(id: string | undefined, kind: unknown): void {
  if ((id === undefined) === (kind === undefined))
    throw new UsageError("specify a job by its id, or all jobs of a kind with --kind");
}

/** Runs `work` in batches for every plugin with such jobs. Returns how many jobs were changed. */
async function workInBatches(
  jobs: Jobs,
  kind: string,
  state: "failed" | "ready",
  work: (
    job_kind: { readonly plugin: string; readonly name: string },
    after: string | undefined,
  ) => Promise<BatchDone>,
): Promise<number> {
  const kinds = (await jobs.kinds()).filter(
    (count) => count.name === kind && count.state === state,
  );
  let done = 0;
  for (const { plugin, name } of kinds)
    for (let after: string | null | undefined; after !== null;) {
      const batch: BatchDone = await work({ plugin, name }, after);
      done += batch.done;
      after = batch.next;
    }
  return done;
}

const optionalText = (option: unknown): string | undefined =>
  typeof option === "string" ? option : undefined;

const empty_messages = {
  failed: "No failed jobs.",
  running: "No running jobs.",
  ready: "No waiting jobs.",
} as const;
