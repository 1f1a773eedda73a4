/** `dossier plugin check`: what is wrong with a plugin, before any server sees it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { preflight } from "../plugin/preflight";
import { PackFailure, packInto } from "./pack";
import type { Project } from "./project";
import { writeSupport } from "./support";
import { asDossier, runBun } from "./toolchain";

export interface CheckTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The words that start this executable. */
  readonly self: readonly string[];
  /** The words that start its preflight. */
  readonly preflight_command: readonly string[];
}

/** Errors of types, `plugin.ts:3:7: why`; none when all is well. */
export async function checkTypes(
  project: Project,
  tools: Pick<CheckTools, "env" | "self">,
): Promise<string[]> {
  if (project.has_config) return problemsIn(project.directory, tools.env);
  return inScratch(async (scratch) => {
    await writeSupport(scratch, tools.self);
    const config = { extends: "./.dossier/tsconfig.json", files: [project.entry] };
    await Bun.write(join(scratch, "tsconfig.json"), JSON.stringify(config));
    return problemsIn(scratch, tools.env);
  });
}

/** What the compiler says about the project in this directory. */
async function problemsIn(directory: string, env: CheckTools["env"]): Promise<string[]> {
  const words = ["check", "--no-script", "--no-pretty", "--all"];
  const { code, output } = await runBun(words, directory, env);
  if (code === 0) return [];
  const lines = output.split("\n").map((line) => line.trimEnd());
  // What is said at the end counts and gives advice about installing packages.
  const problems = lines.filter(
    (line) => /\(\d+,\d+\): error |^error[ :]|^ {2,}\S/.test(line) && !/^ +\d+ /.test(line),
  );
  return problems.length > 0
    ? problems.map((line) =>
        line.replace(
          /^(.*?)\((\d+),(\d+)\): error (TS\d+): /,
          (_, file: string, row: string, column: string, number: string) =>
            `${shown(resolve(directory, file))}:${row}:${column}: ${number}: `,
        ),
      )
    : [output];
}

/** Why a server would leave the plugin out; null when it would not. */
export async function checkStart(
  project: Project,
  { env, preflight_command }: CheckTools,
): Promise<string | null> {
  return inScratch(async (scratch) => {
    try {
      const file = await packInto(project, scratch);
      const command = [...preflight_command, "--data", scratch];
      const reason = (await preflight(command, asDossier(env), [file])).get(file);
      return reason === undefined
        ? null
        : `${shown(project.entry)}: ${reason.replaceAll(file, shown(project.entry))}`;
    } catch (error) {
      if (error instanceof PackFailure) return error.message;
      throw error;
    }
  });
}

const shown = (path: string): string => relative(process.cwd(), path);

async function inScratch<R>(work: (directory: string) => Promise<R>): Promise<R> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-check-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
