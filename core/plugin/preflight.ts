/**
 * Tries plugin files in a child process before they are loaded here: one that hangs or ends the
 * process is found there. The child's side is core/cli/preflight.ts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginDescription } from "./plugin-files";
import { revivedSection } from "./revived-schema";

/** What the child says, one JSON value a line. */
export type PreflightMessage =
  /** It has come to this file, and what it does with it. */
  | { readonly preflight: "at"; readonly file: string; readonly doing: "import" | "set-up" }
  | { readonly preflight: "bad"; readonly file: string; readonly reason: string }
  /** What it is made of; the last of these holds. `file`: the name of one that is built in. */
  | { readonly preflight: "found"; readonly file: string; readonly plugin: PluginDescription }
  | { readonly preflight: "end" };

/** The environment variable that tells the child where its scratch data directory is. */
export const preflight_scratch = "PREFLIGHT_SCRATCH";

const preflight_ms_max = 5_000;
const each_ms = 100;
const complaint_length_max = 300;

/** By file. */
export interface TriedOut {
  /** Why these would be left out. */
  readonly bad: ReadonlyMap<string, string>;
  /** Every one that could be imported; those that are built in under their names. */
  readonly found: ReadonlyMap<string, PluginDescription>;
}
interface Outcome {
  readonly bad: Map<string, string>;
  readonly found: Map<string, PluginDescription>;
  readonly finished: boolean;
  /** The file at which the child ended. */
  readonly at: string | null;
  /** How it ended, in words. */
  readonly ending: string;
}

/** The reasons of those files that are bad, see `tryOut`. */
export const preflight = async (
  ...given: Parameters<typeof tryOut>
): Promise<ReadonlyMap<string, string>> =>
  given[2].length === 0 ? new Map() : (await tryOut(...given)).bad;

/**
 * Imports and sets up the files one after another in a child, and answers the reasons of those that
 * are bad. When the child hangs or dies, the file it was at is bad, and the rest is tried in a
 * fresh one. `command`: the words that start the child, without the files.
 */
export async function tryOut(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  files: readonly string[],
): Promise<TriedOut> {
  const bad = new Map<string, string>();
  const found = new Map<string, PluginDescription>();
  for (let round = 1; ; round++) {
    const rest = files.filter((file) => !bad.has(file));
    if (rest.length === 0 && round > 1) return { bad, found };
    const outcome = await runChild([...command, ...rest], env, rest.length);
    for (const [file, reason] of outcome.bad) bad.set(file, reason);
    for (const [file, plugin] of outcome.found) found.set(file, plugin);
    if (outcome.finished) return { bad, found };
    // A child that dies before it reached a file says nothing about any one of them: none can be
    // trusted.
    if (outcome.at === null) {
      for (const file of rest)
        if (!bad.has(file)) bad.set(file, `it could not be tried out: ${outcome.ending}`);
      return { bad, found };
    }
    bad.set(outcome.at, outcome.ending);
  }
}

async function runChild(
  command: string[],
  env: Readonly<Record<string, string | undefined>>,
  files: number,
): Promise<Outcome> {
  const limit_ms = preflight_ms_max + files * each_ms;
  // Made here, because a child that is stopped cleans nothing up.
  const scratch = mkdtempSync(join(tmpdir(), "dossier-preflight-"));
  try {
    const child = Bun.spawn(command, {
      env: { ...env, [preflight_scratch]: scratch },
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
    const { doing, ...progress } = progressOf(output);
    const last_words = complaint.trim().split("\n").at(-1)?.slice(0, complaint_length_max);
    const ending =
      child.signalCode === "SIGKILL"
        ? `its ${doing} hung and was stopped after ${limit_ms / 1_000} s`
        : `its ${doing} ended the process: ${last_words || `exit code ${child.exitCode}`}`;
    return { ...progress, ending };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function progressOf(output: string): Omit<Outcome, "ending"> & { readonly doing: string } {
  const bad = new Map<string, string>();
  const found = new Map<string, PluginDescription>();
  let at: string | null = null;
  let doing = "import";
  let finished = false;
  for (const line of output.split("\n")) {
    if (!line.startsWith('{"preflight"')) continue;
    const message = JSON.parse(line) as PreflightMessage;
    if (message.preflight === "at") {
      at = message.file;
      doing = message.doing;
    }
    if (message.preflight === "bad") {
      bad.set(message.file, message.reason);
      at = null;
    }
    if (message.preflight === "found") {
      const { file, plugin } = message;
      found.set(file, { ...plugin, config: revivedSection(plugin.config) });
    }
    if (message.preflight === "end") finished = true;
  }
  return { bad, found, at, doing, finished };
}
