/**
 * The checks of the server itself. Each reports what it found and, if something is wrong, what to
 * do about it.
 */
import { counted } from "../../core/lib/counted";
import { chmod, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freeSpace } from "../../core/lib/disk-usage";
import { rfc3339, type Context, type Operations } from "../../core/sdk";
import { ok, type CheckResult, type SystemCheck } from "./contract";

/** What the checks need besides `Context`. */
export interface ServerChecksContext extends Pick<Context, "operations" | "now_ms"> {
  readonly paths: Pick<Context["paths"], "data" | "temporary">;
  /** Reads the whole database. */
  readonly damage: () => Promise<CheckResult>;
  /** Describes rows that refer to missing rows. */
  readonly findDanglingRows: () => Promise<readonly string[]>;
}

const free_share_low = 0.05;
const free_bytes_low = 512 * 2 ** 20;
const waiting_ms_max = 10 * 60_000;
/** Users notice stalls longer than this. */
const stall_ms_max = 1_000;
/** Reads every row that has a reference. */
const dangling_hold_ms = 30 * 60_000;
/** Clocks of two machines normally differ by less. */
const clock_ms_max = 5 * 60_000;

/** Checks of the database, the disk, the data directory, plugins and jobs. */
export function serverChecks(ctx: ServerChecksContext): SystemCheck[] {
  const { operations, paths, now_ms, damage } = ctx;
  return [
    { name: "Database", run: damage },
    { name: "References", hold_ms: dangling_hold_ms, run: () => references(ctx) },
    { name: "Disk", run: () => disk(paths.data, operations) },
    { name: "Data directory", run: () => writable(paths.temporary) },
    {
      name: "Permissions",
      run: () => permissions(paths.data),
      mend: () => closeToOthers(paths.data),
    },
    { name: "Tables", run: () => tables(operations) },
    { name: "Clock", run: () => clock(operations, now_ms()) },
    { name: "Jobs", run: () => jobs(operations, now_ms()) },
    { name: "Plugins", run: () => plugins(operations) },
    { name: "Responsiveness", run: async () => responsiveness(operations) },
    { name: "Stored settings", run: async () => storedSettings(operations) },
  ];
}

async function references({ findDanglingRows }: ServerChecksContext): Promise<CheckResult> {
  const dangling = await findDanglingRows();
  if (dangling.length === 0) return ok("Every reference between rows is intact.");
  return {
    status: "fail",
    detail: `In the database ${dangling.join("; ")}.`,
    fix: "Create a backup and report this, because no version of Dossier writes such rows.",
  };
}

async function disk(data: string, operations: Operations): Promise<CheckResult> {
  const { free_bytes, share } = await freeSpace(data);
  const free_gib = (free_bytes / 2 ** 30).toFixed(1);
  const room = `${free_gib} GiB are free, ${Math.round(share * 100)} % of the disk.`;
  if (operations.storageFull())
    return {
      status: "fail",
      detail: `The disk is full, and nothing new can be saved. ${room}`,
      fix: "Free some space, or delete documents that are no longer needed.",
    };
  const slow = operations.storageSlowness();
  if (slow !== null)
    return {
      status: "warn",
      detail: `${slow} ${room}`,
      fix: "See what else uses the disk, and whether it fails: its own log, or smartctl.",
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
        "Check that the disk is not mounted read-only, and that the directory belongs to " +
        "the user that runs the server.",
    };
  }
}

/** Paths that only the server's user may read: the data directory and files with secrets. */
async function openToOthers(data: string): Promise<{ path: string; mode: number }[]> {
  // Windows has no such permission bits.
  if (process.platform === "win32") return [];
  const modes: [string, number][] = [
    [data, 0o700],
    [join(data, "secret.key"), 0o600],
  ];
  const open: { path: string; mode: number }[] = [];
  for (const [path, mode] of modes) {
    const stats = await stat(path).catch(() => null);
    if (stats !== null && (stats.mode & 0o077) !== 0) open.push({ path, mode });
  }
  return open;
}

async function permissions(data: string): Promise<CheckResult> {
  const open = await openToOthers(data);
  if (open.length === 0) return ok("Only the server's user can read the data directory.");
  return {
    status: "fail",
    detail: `Other users of this machine can read ${open.map(({ path }) => path).join(" and ")}.`,
    fix: open.map(({ path, mode }) => `chmod ${mode.toString(8)} ${path}`).join("; "),
  };
}

async function closeToOthers(data: string): Promise<string> {
  const open = await openToOthers(data);
  for (const { path, mode } of open) await chmod(path, mode);
  return `Only the server's user can read ${open.map(({ path }) => path).join(" and ")} now.`;
}

/** The latest timestamp written must not be ahead of the clock. */
async function clock(operations: Operations, now_ms: number): Promise<CheckResult> {
  const { applied_at } = await operations.schema();
  const newest = await operations.jobs.newest();
  const ahead_ms = Math.max(Date.parse(applied_at), newest ?? 0) - now_ms;
  if (ahead_ms <= clock_ms_max) return ok(`It is ${rfc3339(now_ms)} (UTC).`);
  return {
    status: "fail",
    detail:
      `It is ${rfc3339(now_ms)} (UTC), but the database has entries up to ` +
      `${rfc3339(now_ms + ahead_ms)}. The clock is wrong, or was wrong before.`,
    fix: "Correct the clock of this machine, and synchronize it over the network (NTP).",
  };
}

async function tables(operations: Operations): Promise<CheckResult> {
  const { steps, last, applied_at } = await operations.schema();
  return ok(`${steps} migrations are applied, the last one (${last}) at ${applied_at}.`);
}

async function jobs(operations: Operations, now_ms: number): Promise<CheckResult> {
  const { ready, running, failed: failed_jobs } = await operations.jobs.count();
  const {
    rows: [oldest],
  } = await operations.jobs.list("ready", { limit: 1, offset: 0 });
  if (operations.intakePaused())
    return {
      status: "warn",
      detail: `Intake is paused: ${counted(ready, "job is", "jobs are")} waiting.`,
      fix: "Resume it when documents may be indexed again: dossier job resume.",
    };
  const waited_ms = oldest ? now_ms - oldest.run_at : 0;
  if (waited_ms > waiting_ms_max && running === 0)
    return {
      status: "fail",
      detail:
        `Jobs are overdue by ${counted(Math.round(waited_ms / 60_000), "minute")}, ` +
        "and none is running.",
      fix: "Check the log for the reason, and restart the server.",
    };
  if (failed_jobs > 0)
    return {
      status: "warn",
      detail:
        `${counted(failed_jobs, "job has", "jobs have")} failed permanently ` +
        "in the last 30 days.",
      fix: "Check the failed jobs (dossier job list), and run those again that are still needed.",
    };
  return ok(`${running} running, ${ready} waiting.`);
}

function responsiveness(operations: Operations): CheckResult {
  const { max_ms, p99_ms } = operations.stalls();
  const detail =
    `In the last minute the server was blocked for at most ${max_ms} ms, and for at most ` +
    `${p99_ms} ms in 99 of 100 measurements.`;
  if (max_ms < stall_ms_max) return ok(detail);
  return {
    status: "warn",
    detail,
    fix: "Check the log for what was running, and whether the machine is busy with something else.",
  };
}

/** A stored secret can't be opened when the secret key was lost, changed or damaged. */
function storedSettings(operations: Operations): CheckResult {
  const unused = operations.settingStates().filter(({ problem }) => problem !== null);
  if (unused.length === 0) return ok("Every stored setting can be used.");
  return {
    status: "fail",
    detail: unused.map(({ setting, problem }) => `${setting} is not used: ${problem}.`).join(" "),
    fix: "Enter these settings again. Where the secret key is another one, put the right one back.",
  };
}

async function plugins(operations: Operations): Promise<CheckResult> {
  const bad = (await operations.plugins()).filter(
    ({ status }) => status !== "loaded" && status !== "disabled",
  );
  if (bad.length === 0) return ok("All plugins are loaded and working.");
  return {
    status: "warn",
    detail: bad.map(({ name, reason }) => `${name}: ${reason}`).join(" "),
    fix: "Correct or remove these plugins, and restart the server.",
  };
}
