/** `dossier plugin check`: finds problems of a plugin before a server loads it. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { PackFailure, packInto } from "./pack";
import type { Project } from "./project";
import { StartFailure, startServer, type ServerProcess } from "./server-process";
import { writeSupport } from "./support";
import { runBun, settingsOf } from "./toolchain";

/** What a check needs of this process. */
export interface CheckTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command that starts this executable. */
  readonly self: readonly string[];
}

/** Type errors, as `plugin.ts:3:7: why`; empty when there are none. */
export async function checkTypes(project: Project, tools: CheckTools): Promise<string[]> {
  if (project.has_config) return problemsIn(project.directory, tools.env);
  return inScratchDirectory(async (scratch) => {
    await writeSupport(scratch, tools.self);
    const config = { extends: "./.dossier/tsconfig.json", files: [project.entry] };
    await Bun.write(join(scratch, "tsconfig.json"), JSON.stringify(config));
    return problemsIn(scratch, tools.env);
  });
}

/** The compiler's complaints about the project in this directory. */
async function problemsIn(directory: string, env: CheckTools["env"]): Promise<string[]> {
  const bun_args = ["check", "--no-script", "--no-pretty", "--all"];
  const { code, output } = await runBun(bun_args, directory, env);
  if (code === 0) return [];
  const problems: string[] = [];
  /** The most specific explanation is the last line below the error. */
  let reason: string | undefined;
  const endProblem = (): void => {
    if (reason !== undefined) problems.push(`${problems.pop()!}\n    ${reason.trim()}`);
    reason = undefined;
  };
  for (const line of output.split("\n").map(withShortTypes)) {
    const [, file, row, column, message] = /^(\S.*?)\((\d+),(\d+)\): error (.*)$/.exec(line) ?? [];
    if (file !== undefined || /^error[ :]/.test(line)) {
      endProblem();
      problems.push(
        file === undefined
          ? line
          : `${relativePath(resolve(directory, file))}:${row}:${column}: ${message}`,
      );
    } else if (problems.length > 0 && /^ +\D/.test(line) && !/^ +\d+ /.test(line)) reason = line;
    else endProblem();
  }
  endProblem();
  return problems.length > 0 ? problems : [output];
}

const type_length_max = 80;
/** Shortens the full types that the compiler prints. */
const withShortTypes = (line: string): string =>
  line.replace(/'([^']+)'/g, (all, type: string) =>
    type.length > type_length_max ? `'${type.slice(0, type_length_max - 1)}…'` : all,
  );

/** The result of starting a server with the plugin. */
export interface StartCheck {
  /** Why the server leaves it out, or what failed at its start. */
  readonly problems: readonly string[];
  /** Settings that are required before it can be set up. */
  readonly unset: readonly string[];
}

/**
 * Starts a server with the plugin on empty data, with the settings of this shell, and stops it
 * again.
 */
export async function checkStart(project: Project, { env, self }: CheckTools): Promise<StartCheck> {
  return inScratchDirectory(async (scratch) => {
    try {
      const data = join(scratch, "data");
      await packInto(project, join(data, "plugins"));
      return await tryStart(data, project, { env, self });
    } catch (error) {
      if (error instanceof PackFailure) return { problems: [error.message], unset: [] };
      throw error;
    }
  });
}

async function tryStart(
  data: string,
  { entry, name }: Project,
  { env, self }: CheckTools,
): Promise<StartCheck> {
  let server: ServerProcess;
  try {
    server = await startServer({
      command: self,
      data,
      env: {
        DOSSIER_EMBEDDINGS_PROVIDER: "none",
        ...settingsOf(env),
        DOSSIER_PLUGINS_DIRECTORY: join(data, "plugins"),
      },
      inherited: env,
    });
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    return { problems: [`${relativePath(entry)}: ${error.last_message}`], unset: [] };
  }
  try {
    const reasons = await reasonsOf(server);
    const unset = reasons.flatMap((reason) => [...reason.matchAll(required_setting)]);
    if (unset.length > 0)
      return {
        problems: [],
        unset: unset.map(([, setting, variable]) => `${setting} (${variable})`),
      };
    const packed = join(data, "plugins", `${name}.js`);
    return {
      problems: reasons.map((reason) =>
        withLocation(reason.replaceAll(packed, relativePath(entry)), entry),
      ),
      unset: [],
    };
  } finally {
    await server.stop();
  }
}

/** `no luck (plugin.ts:3:9)` → `notes/plugin.ts:3:9: no luck`. */
function withLocation(reason: string, entry: string): string {
  const [, message, file, location] = /^([^]*) \(([^()\s]+\.[jt]s):(\d+:\d+)\)$/.exec(reason) ?? [];
  const path = file === undefined ? "" : join(dirname(entry), file);
  return existsSync(path) && file !== undefined
    ? `${relativePath(path)}:${location}: ${message}`
    : `${relativePath(entry)}: ${reason}`;
}

const required_setting = /(\S+) is required \((DOSSIER_\w+)\)/g;

/** The server's reasons for failing plugins: apart from the built-in ones it has only this one. */
async function reasonsOf({ url }: ServerProcess): Promise<string[]> {
  const answer = await fetch(`${url}/health`);
  const { plugins } = (await answer.json()) as { plugins: readonly { reason: string }[] };
  return plugins.map(({ reason }) => reason);
}

const relativePath = (path: string): string => relative(process.cwd(), path);

async function inScratchDirectory<R>(work: (directory: string) => Promise<R>): Promise<R> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-check-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
