/** `dossier plugin check`: what is wrong with a plugin, before any server sees it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { preflight } from "../plugin/preflight";
import { PackFailure, packInto } from "./pack";
import type { Project } from "./project";
import { asDossier, runBun } from "./toolchain";

export interface CheckTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The words that start this executable's preflight. */
  readonly preflight_command: readonly string[];
}

/** Errors of types, `plugin.ts:3:7: why`; none when all is well. */
export async function checkTypes({ directory, entry }: Project, env: CheckTools["env"]) {
  const of_directory = /(^|[/\\])plugin\.(ts|js)$/.test(entry);
  const { code, output } = await runBun(
    [
      "check",
      "--no-script",
      "--no-pretty",
      "--all",
      ...(of_directory ? [] : [relative(directory, entry)]),
    ],
    directory,
    env,
  );
  if (code === 0) return [];
  return output
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(Found|Checked|note:|✓)/.test(line))
    .map((line) => line.replace(/^(\S+?)\((\d+),(\d+)\): error (TS\d+): /, "$1:$2:$3: $4: "));
}

/** Why a server would leave the plugin out; null when it would not. */
export async function checkStart(
  project: Project,
  { env, preflight_command }: CheckTools,
): Promise<string | null> {
  const scratch = mkdtempSync(join(tmpdir(), "dossier-check-"));
  try {
    const file = await packInto(project, scratch);
    const bad = await preflight([...preflight_command, "--data", scratch], asDossier(env), [file]);
    const reason = bad.get(file);
    return reason === undefined
      ? null
      : `${relative(process.cwd(), project.entry)}: ${reason.replaceAll(file, project.entry)}`;
  } catch (error) {
    if (error instanceof PackFailure) return error.message;
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
