/**
 * Loads plugin files from a directory, in the compiled executable as under `bun run`; a bad one is
 * left out and named.
 */
import { plugin as virtual } from "bun";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Plugin } from "./define";
import type { PluginFailure } from "./operations";

export interface Loaded {
  readonly plugins: readonly { readonly plugin: Plugin; readonly file: string }[];
  readonly failures: readonly PluginFailure[];
}

/** The environment variable that tells the child where its scratch data directory is. */
export const trial_scratch = "TRIAL_SCRATCH";
/** A file is tried in a child process first: one that hangs or ends the process is found there. */
const trial_ms_max = 5_000;
const import_ms_max = 2_000;

/**
 * Makes `import … from "dossier"` inside a plugin file mean the objects that already run in this
 * process. Exact names only: a prefix can't be caught (oven-sh/bun#40397).
 */
export function installModules(modules: Readonly<Record<string, object>>): void {
  virtual({
    name: "dossier",
    setup(build) {
      for (const [name, exports] of Object.entries(modules))
        build.module(name, () => ({ exports: { ...exports }, loader: "object" }));
    },
  });
}

/**
 * `<dir>/name.ts`, `<dir>/name.js`, `<dir>/name/plugin.ts` and `<dir>/name/plugin.js`, in the order
 * of their names.
 */
export function findPluginFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.name.startsWith(".")) return [];
      if (/\.(ts|js)$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
        return [resolve(directory, entry.name)];
      return ["plugin.ts", "plugin.js"]
        .map((name) => join(resolve(directory), entry.name, name))
        .filter((path) => existsSync(path))
        .slice(0, 1);
    })
    .sort();
}

/** The name a file goes by until it has told its own. */
export const fileStem = (file: string): string =>
  /^plugin\.(ts|js)$/.test(basename(file))
    ? basename(dirname(file))
    : basename(file).replace(/\.(ts|js)$/, "");

/**
 * Imports every file that passes `tryOut` (import and set-up in a child process; answers the reason
 * when it fails).
 */
export async function loadPlugins(
  files: readonly string[],
  tryOut: (files: readonly string[]) => Promise<Map<string, string>>,
): Promise<Loaded> {
  const failures: PluginFailure[] = [];
  const plugins: { plugin: Plugin; file: string }[] = [];
  if (files.length === 0) return { plugins, failures };
  const bad = await tryOut(files);
  for (const file of files) {
    const reason = bad.get(file);
    if (reason !== undefined) {
      failures.push({ name: fileStem(file), file, reason });
      continue;
    }
    try {
      plugins.push({ plugin: await importPlugin(file), file });
    } catch (error) {
      failures.push({ name: fileStem(file), file, reason: reasonOf(error) });
    }
  }
  return { plugins, failures };
}

/** @throws Error with the reason when the file is no plugin. */
export async function importPlugin(file: string): Promise<Plugin> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`its import took longer than ${import_ms_max / 1_000} s`)),
    import_ms_max,
  );
  try {
    const module = await Promise.race([import(file) as Promise<{ default?: unknown }>, promise]);
    const found = module.default as Plugin | undefined;
    if (
      typeof found !== "object" ||
      found === null ||
      typeof found.name !== "string" ||
      typeof found.setup !== "function" ||
      typeof found.contract !== "number"
    )
      throw new Error("its default export is not made by definePlugin");
    return found;
  } finally {
    clearTimeout(timer);
  }
}

/** What may be said of why a file did not load. A parse error names its place. */
export function reasonOf(error: unknown): string {
  // Several faults of one file come as one error without their places: the first says enough.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const place = (error as { position?: { line?: number; column?: number } }).position;
  const hint = /Cannot find (package|module)/.test(error.message)
    ? " (a plugin is one file: bundle what it imports with `bun run pack-plugin`)"
    : "";
  return `${error.message}${place?.line ? ` (line ${place.line}, column ${place.column})` : ""}${hint}`;
}

/**
 * Tries files in a child process that imports and sets them up one after another and says where it
 * is.
 * When it hangs or dies, the file it was at is bad, and the rest is tried again in a fresh child.
 */
export function trialBy(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): (files: readonly string[]) => Promise<Map<string, string>> {
  return async (files) => {
    const bad = new Map<string, string>();
    for (;;) {
      const rest = files.filter((file) => !bad.has(file));
      if (rest.length === 0) return bad;
      const outcome = await runTrial([...command, ...rest], env, rest.length);
      for (const [file, reason] of outcome.bad) bad.set(file, reason);
      if (outcome.finished) return bad;
      // A child that dies before it reached a file says nothing about any one of them: none can be
      // trusted.
      if (outcome.at === null) {
        for (const file of rest)
          if (!bad.has(file)) bad.set(file, `it could not be tried out: ${outcome.ending}`);
        return bad;
      }
      bad.set(outcome.at, outcome.ending);
    }
  };
}

interface TrialOutcome {
  readonly bad: Map<string, string>;
  readonly finished: boolean;
  readonly at: string | null;
  readonly ending: string;
}

async function runTrial(
  command: string[],
  env: Readonly<Record<string, string | undefined>>,
  files: number,
): Promise<TrialOutcome> {
  const limit_ms = trial_ms_max + files * 100;
  // Made here, because a child that is stopped cleans nothing up.
  const scratch = mkdtempSync(join(tmpdir(), "dossier-trial-"));
  try {
    return await watchTrial(command, { ...env, [trial_scratch]: scratch }, limit_ms);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function watchTrial(
  command: string[],
  env: Record<string, string | undefined>,
  limit_ms: number,
): Promise<TrialOutcome> {
  const child = Bun.spawn(command, {
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: limit_ms,
    killSignal: "SIGKILL",
  });
  const [output, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const bad = new Map<string, string>();
  let at: string | null = null;
  let doing = "import";
  let finished = false;
  for (const line of output.split("\n")) {
    if (!line.startsWith('{"trial"')) continue;
    const said = JSON.parse(line) as {
      trial: "at" | "bad" | "end";
      file: string;
      doing: string;
      reason: string;
    };
    if (said.trial === "at") {
      at = said.file;
      doing = said.doing;
    }
    if (said.trial === "bad") {
      bad.set(said.file, said.reason);
      at = null;
    }
    if (said.trial === "end") finished = true;
  }
  const ending =
    child.signalCode === "SIGKILL"
      ? `its ${doing} hung and was stopped after ${limit_ms / 1_000} s`
      : `its ${doing} ended the process: ${complaint.trim().split("\n").slice(-1)[0]?.slice(0, 300) || `exit code ${child.exitCode}`}`;
  return { bad, finished, at, ending };
}
