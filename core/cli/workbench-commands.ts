/**
 * The commands for plugin developers: new, types, check, dev, test, pack. Their code is loaded when
 * one of them runs.
 */
import { relative, resolve } from "node:path";
import { Option, type Command as Commander } from "commander";
import { kinds, type Kind } from "../workbench/kinds";
import { UsageError } from "../plugin/command";
import type { ProgramOptions } from "./command-options";

/** Adds them below `dossier plugin`. */
export function addWorkbenchCommands(plugin: Commander, options: ProgramOptions): void {
  plugin
    .command("new")
    .description(
      "Create a plugin: a directory with a working plugin, its test and its types. Kinds: " +
        `${Object.entries(kinds)
          .map(([kind, what]) => `${kind} (${what})`)
          .join(", ")}.`,
    )
    .argument("<name>", "the name of the plugin and of its new directory")
    .addOption(
      new Option("--kind <kind>", "what the plugin adds")
        .choices(Object.keys(kinds))
        .default("route"),
    )
    .action((name: string, { kind }: { kind: Kind }) => makeNew(name, kind, options));
  withDirectory(plugin, "types")
    .description("Write the types of this executable's plugin contract to .dossier, for editors.")
    .action((directory) => writeTypes(directory, options));
  withDirectory(plugin, "check")
    .description(
      "Check a plugin's types, and whether a server would load it. Prints each " +
        "problem with its location, and exits with 1 if there are any.",
    )
    .action((directory) => check(directory, options));
  withDirectory(plugin, "dev")
    .description(
      "Run a server with the plugin and its own data, and restart it whenever a file is " +
        "saved.",
    )
    .option("--port <number>", "port to listen on (default: a free port, the same one every time)")
    .option("--no-open", "do not open the console in a browser")
    .action((directory, { port, open }: { port?: string; open: boolean }) =>
      develop(directory, { port: portOf(port), opens: open }, options),
    );
  withDirectory(plugin, "test")
    .description(
      "Run the plugin's tests. Arguments after the directory are passed to the test " +
        "runner: `-t words`, `--watch`, files.",
    )
    .argument("[words...]", "passed to the test runner")
    .allowUnknownOption()
    .passThroughOptions()
    .action((directory, words: string[]) => test(directory, words, options));
  withDirectory(plugin, "pack")
    .description("Bundle a plugin, its files and the packages it uses into one file.")
    .argument("[out]", "the file to write (default: NAME.js in this directory)")
    .action((directory, out: string | undefined) => pack(directory, out, options));
}

const withDirectory = (plugin: Commander, name: string): Commander =>
  plugin
    .command(name)
    .argument("[directory]", "the directory of the plugin, or its file (default: this directory)");

/** The command that starts this executable again. */
const selfOf = ({ preflight_command }: ProgramOptions): string[] => preflight_command.slice(0, -1);

const builtInNames = ({ built_in }: ProgramOptions): ReadonlySet<string> =>
  new Set(built_in.map(({ name }) => name));

async function makeNew(name: string, kind: Kind, options: ProgramOptions): Promise<void> {
  const { newPlugin } = await import("../workbench/scaffold");
  const directory = await newPlugin(name, kind, {
    self: selfOf(options),
    taken: builtInNames(options),
  });
  const shown = relative(process.cwd(), directory) || ".";
  options.print(
    [
      `Created ${shown}, a working plugin: plugin.ts, and its test plugin.test.ts.`,
      "",
      ...(shown === "." ? [] : [`  cd ${shown}`]),
      "  dossier plugin dev     runs a server with it, restarted whenever you save",
      "  dossier plugin test    runs plugin.test.ts",
      "  dossier plugin check   checks its types, and whether a server would load it",
      "  dossier plugin pack    bundles it into one file",
      "",
      "The guide is in .dossier/docs/plugins.md.",
    ].join("\n"),
  );
}

async function writeTypes(path: string | undefined, options: ProgramOptions): Promise<void> {
  const { findProject, support } = await import("../workbench/project");
  const { writeSupport } = await import("../workbench/support");
  const { directory } = findProject(path);
  await writeSupport(directory, selfOf(options));
  options.print(`The types are in ${relative(process.cwd(), `${directory}/${support}`)}.`);
}

/** The plugin's project, with `.dossier` made by this executable. */
async function openProject(path: string | undefined, options: ProgramOptions) {
  const { findProject } = await import("../workbench/project");
  const { refreshSupport } = await import("../workbench/support");
  const project = findProject(path);
  const warning = await refreshSupport(project.directory, selfOf(options));
  if (warning !== null) options.complain(warning);
  return { ...project, has_config: true };
}

async function check(path: string | undefined, options: ProgramOptions): Promise<void> {
  const { findProject } = await import("../workbench/project");
  const { checkStart, checkTypes } = await import("../workbench/check");
  const { refreshSupport } = await import("../workbench/support");
  const project = findProject(path);
  const tools = { env: process.env, self: selfOf(options) };
  if (project.has_config) {
    const warning = await refreshSupport(project.directory, tools.self);
    if (warning !== null) options.complain(warning);
  }
  const [type_problems, { problems: start_problems, unset }] = await Promise.all([
    checkTypes(project, tools),
    checkStart(project, tools),
  ]);
  const problems = [...type_problems, ...start_problems];
  if (problems.length === 0)
    return options.print(
      unset.length === 0
        ? `${project.name}: types checked, and a server loads it.`
        : `${project.name}: types checked. It was not started, because it needs settings: ` +
            `${unset.join(", ")}.`,
    );
  for (const problem of problems) options.print(problem);
  throw new Error(`the plugin ${project.name} has problems`);
}

/** @throws UsageError */
function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`--port is a number from 1 to 65535, not ${text}`);
  return port;
}

async function develop(
  path: string | undefined,
  { port, opens }: { readonly port: number | undefined; readonly opens: boolean },
  options: ProgramOptions,
): Promise<void> {
  const project = await openProject(path, options);
  const { develop: run } = await import("../workbench/dev");
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => ending.abort());
  await run(project, {
    env: process.env,
    self: selfOf(options),
    built_in: builtInNames(options),
    port,
    opens,
    print: options.print,
    signal: ending.signal,
  });
}

async function test(
  path: string | undefined,
  runner_args: readonly string[],
  options: ProgramOptions,
): Promise<void> {
  // `dossier plugin test -t words`, `dossier plugin test notes.test.ts`: arguments of the test
  // runner.
  const is_directory = path !== undefined && !/^-|\.test\.tsx?$/.test(path);
  const project = await openProject(is_directory ? path : undefined, options);
  const { runTests } = await import("../workbench/test-run");
  const all_args = is_directory || path === undefined ? runner_args : [path, ...runner_args];
  const code = await runTests(project, all_args, process.env);
  if (code !== 0) throw new Error(`the tests of ${project.name} did not pass`);
}

async function pack(
  path: string | undefined,
  out: string | undefined,
  options: ProgramOptions,
): Promise<void> {
  const { findProject } = await import("../workbench/project");
  const { packPlugin } = await import("../workbench/pack");
  const project = findProject(path);
  const text = await packPlugin(project.entry);
  const packed = resolve(out ?? `${project.name}.js`);
  await Bun.write(packed, text);
  const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  options.print(`${relative(process.cwd(), packed)}  SHA-256 ${sha256}`);
}
