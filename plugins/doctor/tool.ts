/** `dossier doctor`: the checks on the command line, also for a directory that can't be opened. */
import { constants } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../core/lib/error-message";
import {
  copy_pattern,
  type DamageFound,
  type SearchPlace,
  type Tool,
  type ToolInput,
} from "../../core/sdk";
import { Doctors, failed, ok, type Checked, type CheckResult, type Doctor } from "./contract";
import { toChecked } from "./all-checks";

const limits = { timeout_ms: 10 * 60_000, memory_max_bytes: 512 * 2 ** 20 };
/** How often a long check says how far it is. */
const progress_ms = 10_000;
const words: Readonly<Record<CheckResult["status"], string>> = {
  ok: "ok      ",
  warn: "warning ",
  fail: "FAILING ",
};

export const doctorTool: Tool = {
  name: "doctor",
  summary:
    "Check the data directory and everything in it, whether or not the server is running. " +
    "Exits with 1 if a check fails.",
  options: [
    { flags: "--fix", description: "repair what can be repaired without losing data" },
    { flags: "--deep", description: "also read all originals, texts and models to the end" },
    { flags: "--json", description: "print one JSON array" },
  ],
  async run(input) {
    const { options, print } = input;
    const all: (Checked & { done: string | null })[] = [];
    const report = (checked: Checked, done: string | null = null): void => {
      all.push({ ...checked, done });
      if (options.json) return;
      print(`${words[checked.status]} ${checked.name}: ${checked.detail}`);
      if (done !== null) print(` Repaired: ${done}`);
      else if (checked.fix !== null) {
        if (checked.mendable) print("         --fix repairs it. Without it:");
        print(`         ${checked.fix}`);
      }
    };
    await examine(input, report);
    if (options.json) print(JSON.stringify(all));
    const failing = all.filter(({ status, done }) => status === "fail" && done === null);
    if (failing.length > 0)
      throw new Error(
        `${failing.length} of ${all.length} checks ${failing.length === 1 ? "is" : "are"} ` +
          `failing: ${failing.map(({ name }) => name).join(", ")}`,
      );
  },
};

type Report = (checked: Checked, done?: string | null) => void;

async function examine(input: ToolInput, report: Report): Promise<void> {
  const { data, open, options, database } = input;
  if (database !== null) {
    const checked =
      (await unreachable(data, database)) ?? (await damageOf(input, database).catch(failed));
    report(toChecked(closed("Database"), checked));
    if (checked.status === "fail") return;
  }
  try {
    await open(async ({ slot }) => {
      const [doctor] = slot(Doctors);
      for await (const checked of doctor!.examine({
        without: database === null ? [] : ["database"],
        deep: options.deep === true ? tellProgress(input) : undefined,
      })) {
        if (checked.mendable && options.fix === true) await mend(doctor!, checked, report);
        else report(checked);
      }
    });
  } catch (error) {
    const reason = messageOf(error);
    const name = is_earlier.test(reason) || is_newer.test(reason) ? "Tables" : "Opening";
    report(toChecked(closed(name), await unopened(reason, data)));
  }
}

/** Why the database can't even be opened; undefined when it can. */
async function unreachable(data: string, database: string): Promise<CheckResult | undefined> {
  try {
    // SQLite writes beside the database even to read it.
    for (const path of [data, database]) await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return { status: "fail", ...unreachableInWords(error as NodeJS.ErrnoException, data) };
  }
}

function unreachableInWords(
  { code, message }: NodeJS.ErrnoException,
  data: string,
): Pick<CheckResult, "detail" | "fix"> {
  if (code === "ENOENT" || code === "ENOTDIR")
    return {
      detail: `There is no data directory ${data}, or no database in it.`,
      fix: "Specify the data directory with --data.",
    };
  if (code === "EACCES")
    return {
      detail: `This user may not read and write ${data}.`,
      fix: "Run the command as the user that the server runs as.",
    };
  if (code === "EROFS")
    return {
      detail: `The disk of ${data} is read-only, and SQLite writes there even to read.`,
      fix: "Mount it for writing, or copy the directory to another disk and check the copy.",
    };
  return { detail: `${data} can't be opened: ${message}.`, fix: null };
}

/** Prints how far a check is, now and then. */
function tellProgress({ options, print }: ToolInput): (check: string, progress: string) => void {
  let told_at = performance.now();
  return (check, progress) => {
    if (options.json || performance.now() - told_at < progress_ms) return;
    told_at = performance.now();
    print(`…        ${check}: ${progress}`);
  };
}

async function mend(doctor: Doctor, checked: Checked, report: Report): Promise<void> {
  try {
    report(checked, await doctor.mend(checked.id));
  } catch (error) {
    const why = messageOf(error);
    report({ ...checked, mendable: false, fix: `It can't be repaired now: ${why}.` });
  }
}

/** A check of a data directory that is not open. */
const closed = (name: string) => ({ name, run: async () => ok("") });

/** Reads the whole database like the check of the running server, but without its pauses. */
async function damageOf({ isolate, data }: ToolInput, path: string): Promise<CheckResult> {
  const problems: string[] = [];
  for (let from: SearchPlace | null = null; ;) {
    const damage = (await isolate("findDamage", { path, from }, limits)) as DamageFound;
    problems.push(...damage.problems);
    if (damage.next === null) break;
    from = damage.next;
  }
  if (problems.length === 0) return ok("All of it was read, and no damage was found.");
  return {
    status: "fail",
    detail: `The database is damaged: ${problems.join("; ")}.`,
    fix: await wayBack(data),
  };
}

/** What the store reports about tables that differ from those of this version. */
const is_earlier = /written by an earlier version/;
const is_newer = /written by a newer build/;

async function unopened(reason: string, data: string): Promise<CheckResult> {
  const is_older = is_earlier.test(reason);
  return {
    status: is_older ? "warn" : "fail",
    detail: `It can't be opened, so nothing else was checked: ${reason}.`,
    fix: is_older ? "Start the server once." : await wayBack(data),
  };
}

/** The backups that can be restored. */
async function wayBack(data: string): Promise<string> {
  const backups = join(data, "backups");
  const names = (await readdir(backups).catch(() => [])).sort().reverse();
  const newest = names.find((name) => /^dossier-.*\.zip$/.test(name));
  const copy = names.find((name) => copy_pattern.test(name));
  return [
    "Stop the server, and don't change the directory.",
    newest === undefined
      ? `There is no backup in ${backups}. Check backups.directory.`
      : `The newest backup in ${backups} is ${newest}. To restore it: dossier restore ` +
        `${join(backups, newest)} --data NEW.`,
    ...(copy === undefined
      ? []
      : [
          `There is also a copy from before the last upgrade, ${copy}. To go back to it: ` +
            `dossier rollback --data ${data}.`,
        ]),
  ].join(" ");
}
