/**
 * The health checks of the server. Each says what it found and, when something is wrong, what to do
 * about it.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { settlesWithin } from "../../core/lib/timeout";
import type { Context, Operations } from "../../core/sdk";
import { cached } from "./cached";
import { failed, ok, type CheckResult, type SystemCheck } from "./contract";
import { DamageCheck, type DamageCheckParts } from "./damage-check";
import { freeSpace } from "./disk-usage";

export interface HealthChecksParts extends DamageCheckParts, Pick<Context, "operations"> {
  readonly paths: Pick<Context["paths"], "data" | "temporary">;
}

const free_share_low = 0.05;
const free_bytes_low = 512 * 2 ** 20;
const waiting_ms_max = 10 * 60_000;
/** So long a standstill is noticed by people. */
const stall_ms_max = 1_000;
/** How long the results of plugins' checks are reused. */
const plugin_hold_ms = 60_000;
/** A check that takes longer is reported as such; a later look may find its result. */
const timeout_ms = 3_000;

export class HealthChecks {
  readonly #now_ms: () => number;
  readonly #own: readonly SystemCheck[];
  /** Checks of plugins, with their results reused. */
  readonly #of_plugins = new Map<SystemCheck, SystemCheck>();

  constructor({ operations, paths, findDamage, now_ms }: HealthChecksParts) {
    this.#now_ms = now_ms;
    const damage = new DamageCheck({ findDamage, now_ms });
    this.#own = [
      { name: "Database", run: () => damage.run() },
      { name: "Disk", run: () => disk(paths.data, operations) },
      { name: "Data directory", run: () => writable(paths.temporary) },
      { name: "Tables", run: () => tables(operations) },
      { name: "Jobs", run: () => jobs(operations, now_ms()) },
      { name: "Plugins", run: () => plugins(operations) },
      { name: "Responsiveness", run: async () => responsiveness(operations) },
    ];
  }

  /** The server's own checks and those of plugins, all at the same time. */
  async run(
    of_plugins: readonly SystemCheck[],
  ): Promise<(CheckResult & { readonly name: string })[]> {
    for (const check of of_plugins)
      if (!this.#of_plugins.has(check)) this.#of_plugins.set(check, this.#reused(check));
    const checks = [...this.#own, ...of_plugins.map((check) => this.#of_plugins.get(check)!)];
    return Promise.all(
      checks.map(async (check) => ({ name: check.name, ...(await inTime(check)) })),
    );
  }

  #reused(check: SystemCheck): SystemCheck {
    const run = cached(() => check.run().catch(failed), plugin_hold_ms, this.#now_ms);
    return { name: check.name, run };
  }
}

async function inTime(check: SystemCheck): Promise<CheckResult> {
  const result = check.run().catch(failed);
  if (await settlesWithin(result, timeout_ms)) return result;
  return { status: "warn", detail: "This takes a while. Look again in a moment.", fix: null };
}

async function disk(data: string, operations: Operations): Promise<CheckResult> {
  const { free_bytes, share } = await freeSpace(data);
  const free_gib = (free_bytes / 2 ** 30).toFixed(1);
  const room = `${free_gib} GiB are free, ${Math.round(share * 100)} % of the disk.`;
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

async function tables(operations: Operations): Promise<CheckResult> {
  const { steps, last, applied_at } = await operations.schema();
  return ok(`${steps} steps are applied, the last one (${last}) at ${applied_at}.`);
}

async function jobs(operations: Operations, now_ms: number): Promise<CheckResult> {
  const { ready, running, failed: failed_jobs } = await operations.jobs.count();
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
  if (failed_jobs > 0)
    return {
      status: "warn",
      detail:
        `${failed_jobs} ${failed_jobs === 1 ? "job has" : "jobs have"} failed for good in the ` +
        "last 30 days.",
      fix: "Look at the failed jobs, and run again what should have been done.",
    };
  return ok(`${running} run and ${ready} wait.`);
}

function responsiveness(operations: Operations): CheckResult {
  const { max_ms, p99_ms } = operations.stalls();
  const detail =
    `In the last minute the server stood still for ${max_ms} ms at most, ` +
    `and for ${p99_ms} ms or less in 99 of 100 looks.`;
  if (max_ms < stall_ms_max) return ok(detail);
  return {
    status: "warn",
    detail,
    fix: "Look at the log for what was in work, and whether the machine has other things to do.",
  };
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
