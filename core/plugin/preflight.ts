/**
 * Tries out plugin files in a child process before they are loaded here, to find those that hang or
 * end the process. The child's side is core/cli/preflight.ts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStem } from "./loader";
import type { PluginDescription } from "./plugin-files";
import { restoredSection } from "./restored-schema";

type Doing = "import" | "set-up";
/** Messages of the child, one JSON value per line. */
export type PreflightMessage =
  /** It has reached this file, and what it does with it. */
  | { readonly preflight: "at"; readonly file: string; readonly doing: Doing }
  /** It has finished that. */
  | { readonly preflight: "past"; readonly file: string }
  | ({ readonly preflight: "bad" } & RefusedPlugin)
  /** The parts of the plugin; the last such message counts. */
  | { readonly preflight: "found"; readonly file: string; readonly plugin: PluginDescription }
  | { readonly preflight: "end" };

/** A file that a server would leave out. */
export interface RefusedPlugin {
  readonly file: string;
  /** The plugin's name if known, otherwise that of its file. */
  readonly name: string;
  readonly version: string | null;
  /** Each in words that follow the plugin's name: "its path must begin with …". */
  readonly problems: readonly string[];
}

/** As one or more sentences; undefined when it is not bad. */
export const refusalReason = (bad: RefusedPlugin | undefined): string | undefined =>
  bad && bad.problems.join("; ");

/** The environment variable with the child's scratch data directory. */
export const preflight_scratch = "PREFLIGHT_SCRATCH";
/** The environment variable with the id of the parent, without which the child ends. */
export const preflight_parent = "PREFLIGHT_PARENT";

/** Limits each step: the import or the set-up of one file, the set-up of the host. */
const silence_ms_max = 5_000;
/** The same when adding a plugin: no start waits for it, and a wrong verdict would be an error. */
export const patient_silence_ms_max = 20_000;
/**
 * A child that started slowly is on a slow or busy machine: a step may take this many times as long
 * as the start did, and never less than the limit above.
 */
const silence_per_start = 10;
const complaint_length_max = 300;

/** By file. */
export interface TriedOut {
  /** Those that would be left out, and why. */
  readonly bad: ReadonlyMap<string, RefusedPlugin>;
  /** Every plugin that could be imported. */
  readonly found: ReadonlyMap<string, PluginDescription>;
}
interface Outcome extends TriedOut {
  readonly finished: boolean;
  /** The file at which the child ended. */
  readonly at: string | null;
  /** How it ended, in words. */
  readonly ending: string;
}

/** The bad ones among the files, see `tryOut`. */
export const preflight = async (
  ...args: Parameters<typeof tryOut>
): Promise<ReadonlyMap<string, RefusedPlugin>> => (await tryOut(...args)).bad;

/**
 * Imports and sets up the files one after another in a child, and returns the bad ones, by file.
 * When the child hangs or dies, the file it was at is bad, and the rest is tried in a new child.
 * `command`: starts the child, without the files.
 */
export async function tryOut(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  files: readonly string[],
  silence_ms = silence_ms_max,
): Promise<TriedOut> {
  const bad = new Map<string, RefusedPlugin>();
  const found = new Map<string, PluginDescription>();
  const addOutcome = (outcome: TriedOut): void => {
    for (const [file, refused] of outcome.bad) bad.set(file, refused);
    for (const [file, plugin] of outcome.found) found.set(file, plugin);
  };
  const blame = (file: string, reason: string): void => {
    bad.set(file, { file, name: fileStem(file), version: null, problems: [reason] });
  };
  for (;;) {
    const remaining = files.filter((file) => !bad.has(file));
    if (remaining.length === 0) return { bad, found };
    const outcome = await runChild([...command, ...remaining], env, silence_ms);
    addOutcome(outcome);
    if (outcome.finished) return { bad, found };
    if (outcome.at !== null) blame(outcome.at, outcome.ending);
    else if (outcome.bad.size === 0) {
      // It is unknown which of them it was: try each by itself.
      if (remaining.length < 2)
        for (const file of remaining) blame(file, `it could not be tried out: ${outcome.ending}`);
      else for (const file of remaining) addOutcome(await tryOut(command, env, [file], silence_ms));
      return { bad, found };
    }
  }
}

async function runChild(
  command: string[],
  env: Readonly<Record<string, string | undefined>>,
  silence_ms: number,
): Promise<Outcome> {
  // Created here, because a child that is killed does not clean up.
  const scratch = mkdtempSync(join(tmpdir(), "dossier-preflight-"));
  try {
    const child = Bun.spawn(command, {
      env: { ...env, [preflight_scratch]: scratch, [preflight_parent]: String(process.pid) },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [{ text, limit_ms }, error_output] = await Promise.all([
      textOf(child, silence_ms),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    const { doing, ...progress } = progressOf(text);
    const last_words = lastWords(error_output);
    const ending =
      child.signalCode === "SIGKILL"
        ? `its ${doing} hung and was stopped after ${Math.round(limit_ms / 1_000)} s`
        : `its ${doing} ended the process: ${last_words || `exit code ${child.exitCode}`}`;
    return { ...progress, ending };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * The child's output; a child that is silent for too long is killed. `limit_ms`: the limit that
 * applied in the end.
 */
async function textOf(
  child: Bun.Subprocess<"ignore", "pipe", "pipe">,
  silence_ms: number,
): Promise<{ readonly text: string; readonly limit_ms: number }> {
  const stop = (): void => child.kill("SIGKILL");
  const decoder = new TextDecoder();
  const begun_ms = performance.now();
  let text = "";
  // No plugin's code runs before the first message.
  let limit_ms = Math.max(silence_ms, patient_silence_ms_max);
  let timer = setTimeout(stop, limit_ms);
  for await (const bytes of child.stdout) {
    clearTimeout(timer);
    if (text === "") limit_ms = silenceFor(silence_ms, performance.now() - begun_ms);
    timer = setTimeout(stop, limit_ms);
    text += decoder.decode(bytes, { stream: true });
  }
  // A child that has closed its output may still be running.
  void child.exited.then(() => clearTimeout(timer));
  return { text, limit_ms };
}

const silenceFor = (silence_ms: number, start_ms: number): number =>
  Math.max(silence_ms, Math.min(start_ms * silence_per_start, patient_silence_ms_max));

/** The error, if there is one: the last line is the version of the runtime. */
function lastWords(complaint: string): string | undefined {
  const lines = complaint.split("\n").filter((line) => line.trim() && !/^Bun v\d/.test(line));
  const error = lines.findLast((line) => /^\s*(\w*error|\w*Error): /.test(line));
  return (error ?? lines.at(-1))?.trim().slice(0, complaint_length_max);
}

function progressOf(output: string): Omit<Outcome, "ending"> & { readonly doing: Doing } {
  const bad = new Map<string, RefusedPlugin>();
  const found = new Map<string, PluginDescription>();
  let at: string | null = null;
  let doing: Doing = "import";
  let finished = false;
  for (const line of output.split("\n")) {
    const message = messageIn(line);
    if (message?.preflight === "at") {
      at = message.file;
      doing = message.doing;
    }
    if (message?.preflight === "past" && message.file === at) at = null;
    if (message?.preflight === "bad") {
      const { preflight: _, ...failure } = message;
      bad.set(message.file, failure);
      if (message.file === at) at = null;
    }
    if (message?.preflight === "found") {
      const { file, plugin } = message;
      found.set(file, { ...plugin, config: restoredSection(plugin.config) });
    }
    if (message?.preflight === "end") finished = true;
  }
  return { bad, found, at, doing, finished };
}

/** Null for output of a plugin. */
function messageIn(line: string): PreflightMessage | null {
  if (!line.startsWith('{"preflight"')) return null;
  try {
    return JSON.parse(line) as PreflightMessage;
  } catch {
    return null;
  }
}
