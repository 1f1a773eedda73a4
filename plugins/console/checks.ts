/**
 * What is looked at to say whether the server is well. Each check says what it found and, when
 * something is wrong, what to do about it.
 */
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Operations } from "../../core/sdk";
import type { CheckResult, SystemCheck } from "./contract";

export interface ChecksParts {
  readonly operations: Operations;
  readonly paths: { readonly data: string; readonly temporary: string };
  /** Looks through the whole database in a child process. Answers what is wrong. */
  readonly findDamage: () => Promise<readonly string[]>;
  readonly now_ms: () => number;
}

const free_share_low = 0.05;
const free_bytes_low = 512 * 2 ** 20;
const waiting_ms_max = 10 * 60_000;
/** What is slow to find out is asked again after so long. */
const remember_ms = { damage: 30 * 60_000, plugin: 60_000 };
/** A check that has no answer by then is told as it is; the next look may find more. */
const patience_ms = 3_000;

export const ok = (detail: string): CheckResult => ({ status: "ok", detail, fix: null });

export function createChecks({ operations, paths, findDamage, now_ms }: ChecksParts): {
  readonly run: (
    more: readonly SystemCheck[],
  ) => Promise<(CheckResult & { readonly name: string })[]>;
} {
  const own: readonly SystemCheck[] = [
    remembered({ name: "Database", run: () => database(findDamage) }, remember_ms.damage, now_ms),
    { name: "Disk", run: () => disk(paths.data, operations) },
    { name: "Data directory", run: () => writable(paths.temporary) },
    {
      name: "Tables",
      run: async () => {
        const { steps, last, applied_at } = await operations.schema();
        return ok(`${steps} steps are applied, the last one (${last}) at ${applied_at}.`);
      },
    },
    { name: "Jobs", run: () => jobs(operations, now_ms()) },
    { name: "Plugins", run: () => plugins(operations) },
  ];
  const kept = new Map<SystemCheck, SystemCheck>();
  return {
    async run(more) {
      for (const check of more)
        if (!kept.has(check)) kept.set(check, remembered(check, remember_ms.plugin, now_ms));
      return Promise.all(
        [...own, ...more.map((check) => kept.get(check)!)].map(async (check) => ({
          name: check.name,
          ...(await patiently(check)),
        })),
      );
    },
  };
}

/** Runs at most once at a time, and its answer holds for a while. */
function remembered(check: SystemCheck, hold_ms: number, now_ms: () => number): SystemCheck {
  let last: { readonly at_ms: number; readonly result: CheckResult } | undefined;
  let running: Promise<CheckResult> | undefined;
  return {
    name: check.name,
    async run() {
      if (last && now_ms() - last.at_ms < hold_ms) return last.result;
      running ??= check
        .run()
        .catch(failed)
        .then((result) => {
          last = { at_ms: now_ms(), result };
          running = undefined;
          return result;
        });
      return running;
    },
  };
}

async function patiently(check: SystemCheck): Promise<CheckResult> {
  const { promise, resolve } = Promise.withResolvers<CheckResult>();
  const timer = setTimeout(
    () =>
      resolve({ status: "warn", detail: "This takes a while. Look again in a moment.", fix: null }),
    patience_ms,
  );
  try {
    return await Promise.race([check.run().catch(failed), promise]);
  } finally {
    clearTimeout(timer);
  }
}
const failed = (error: unknown): CheckResult => ({
  status: "fail",
  detail: `It could not be checked: ${error instanceof Error ? error.message : String(error)}.`,
  fix: null,
});

async function database(findDamage: () => Promise<readonly string[]>): Promise<CheckResult> {
  const damage = await findDamage();
  if (damage.length === 0)
    return ok("Every page of the database was read, and nothing is wrong with it.");
  return {
    status: "fail",
    detail: `The database is damaged: ${damage.join("; ")}.`,
    fix:
      "Stop the server, keep a copy of the data directory, and go back to the newest copy of the " +
      "database that is whole.",
  };
}

async function disk(data: string, operations: Operations): Promise<CheckResult> {
  const { free_bytes, share } = await freeOf(data);
  const room = `${(free_bytes / 2 ** 30).toFixed(1)} GiB are free, ${Math.round(share * 100)} % of the disk.`;
  if (operations.storageFull())
    return {
      status: "fail",
      detail: `The disk is full: nothing new can be saved. ${room}`,
      fix: "Free some space, or delete documents that are no longer needed.",
    };
  if (share < free_share_low || free_bytes < free_bytes_low)
    return {
      status: "warn",
      detail: `The disk is almost full. ${room}`,
      fix: "Free some space before uploads are refused.",
    };
  return ok(room);
}

export async function freeOf(
  data: string,
): Promise<{ readonly free_bytes: number; readonly share: number }> {
  const { bavail, blocks, bsize } = await statfs(data);
  return { free_bytes: bavail * bsize, share: bavail / blocks };
}

async function writable(temporary: string): Promise<CheckResult> {
  const probe = join(temporary, "system-check");
  try {
    await writeFile(probe, "");
    await rm(probe, { force: true });
    return ok("Files can be written.");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return {
      status: "fail",
      detail: `No file can be written to the data directory: ${code}.`,
      fix:
        "See that the disk is not mounted read-only, and that the directory belongs to the user " +
        "that runs the server.",
    };
  }
}

async function jobs(operations: Operations, now_ms: number): Promise<CheckResult> {
  const { ready, running, failed: lost } = await operations.jobs.count();
  const {
    rows: [oldest],
  } = await operations.jobs.list("ready", { limit: 1, offset: 0 });
  const waited_ms = oldest ? now_ms - oldest.run_at : 0;
  if (waited_ms > waiting_ms_max && running === 0)
    return {
      status: "fail",
      detail: `Jobs are due for ${Math.round(waited_ms / 60_000)} minutes and none runs.`,
      fix: "Look at the log for why jobs can't be claimed, and restart the server.",
    };
  if (lost > 0)
    return {
      status: "warn",
      detail: `${lost} ${lost === 1 ? "job has" : "jobs have"} failed for good in the last 30 days.`,
      fix: "Look at the failed jobs, and run again what should have been done.",
    };
  return ok(`${running} run and ${ready} wait.`);
}

async function plugins(operations: Operations): Promise<CheckResult> {
  const bad = (await operations.plugins()).filter(({ status }) => status !== "loaded");
  if (bad.length === 0) return ok("Every plugin is loaded and well.");
  return {
    status: "warn",
    detail: bad.map(({ name, reason }) => `${name}: ${reason}`).join(" "),
    fix: "Correct or remove the plugins that are named, and restart the server.",
  };
}
