/** Runs the commands and tools that plugins declare. */
import { existsSync } from "node:fs";
import { Option, type Command as Commander } from "commander";
import { systemClock } from "../base/clock";
import { serverOn } from "../base/server-address";
import type { IsolatedRun } from "../isolate/pool";
import {
  CommandObserver,
  type Command,
  type CommandInput,
  type RunCommand,
} from "../plugin/command";
import { noteCommand } from "../plugin/command-notes";
import type { Plugin } from "../plugin/contract";
import type { Host } from "../plugin/host";
import type { Tool } from "../plugin/tool";
import { coreSchema } from "../plugin/migrations";
import { lockDirectory } from "../store/lock";
import type { MigrateOptions, MigrationAhead } from "../store/migrator";
import type { Schema } from "../store/schema";
import { assemble } from "./assembly";
import { bootstrap, type Bootstrap } from "./bootstrap";
import { flagsOf, publicUrlBesideServer, withData, type ProgramOptions } from "./command-options";

type ParsedArguments = Pick<CommandInput, "args" | "options">;

/** A plugin of the plugins directory, which is loaded already. */
export interface LoadedFrom {
  readonly boot: Bootstrap;
  readonly file: string;
}

/** Adds a command that a plugin declares. */
export const addPluginCommand = (
  program: Commander,
  command: Command,
  program_options: ProgramOptions,
  loaded?: LoadedFrom,
): void =>
  add(program, command, (parsed) => runPluginCommand(command, parsed, program_options, loaded));

/** Adds a tool of a plugin. */
export const addTool = (
  program: Commander,
  plugin: Plugin,
  tool: Tool,
  program_options: ProgramOptions,
  loaded?: LoadedFrom,
): void =>
  add(program, tool, (parsed) => runTool({ plugin, tool, loaded }, parsed, program_options));

function add(
  program: Commander,
  command: Command,
  run: (parsed: ParsedArguments) => Promise<void>,
): void {
  const [first, second] = command.name.split(" ") as [string, string | undefined];
  const parent =
    second === undefined
      ? program
      : (program.commands.find((command) => command.name() === first) ??
        program.command(first).description(`Manage ${first}s.`));
  const added = withData(parent.command(second ?? first)).description(command.summary);
  for (const arg of command.args ?? [])
    added.argument(arg.endsWith("?") ? `[${arg.slice(0, -1)}]` : `<${arg}>`);
  for (const { flags, description, required, choices, default: default_value } of command.options ??
    []) {
    const option = new Option(flags, description);
    if (choices) option.choices([...choices]);
    if (default_value !== undefined) option.default(default_value);
    added.addOption(option.makeOptionMandatory(required ?? false));
  }
  added.action(async (...values: unknown[]) => {
    const count = command.args?.length ?? 0;
    // The last argument may be a list, or missing.
    const args = values
      .slice(0, count)
      .flat()
      .filter((arg) => typeof arg === "string");
    await run({ args, options: values[count] as CommandInput["options"] });
  });
}

/**
 * Another command holds the lock on the tables only briefly; a server holds it for as long as it
 * runs.
 */
const migration_lock_ms_max = 5_000;

/**
 * @throws Error when a server of another version runs on the directory: its tables must not change
 * under it.
 */
async function lockToMigrate(data: string): Promise<() => void> {
  for (let waited_ms = 0; ; waited_ms += 50) {
    try {
      return lockDirectory(data);
    } catch (error) {
      if (waited_ms >= migration_lock_ms_max || (await isServed(data)))
        throw new Error(
          `this program is newer than the server running on ${data}. Restart the server ` +
            "with this version first",
          { cause: error },
        );
      await Bun.sleep(50);
    }
  }
}

const isServed = async (data: string): Promise<boolean> =>
  (await serverOn(data)?.("/health").catch(() => null))?.ok ?? false;

/** Invalid settings don't stop a command, and only errors are logged. */
const bootstrapFor = (
  { options }: ParsedArguments,
  { built_in, preflight_command }: ProgramOptions,
  { loads_plugins }: Pick<Command, "loads_plugins"> = {},
): Promise<Bootstrap> =>
  bootstrap({
    flags: flagsOf({ data: options.data }),
    env: process.env,
    built_in,
    preflight_command: loads_plugins ? preflight_command : null,
    try_out_command: preflight_command,
    log_level: "warn",
  });

/** Runs beside a running server: the same store and services, but no jobs and no port. */
async function runPluginCommand(
  command: Command,
  parsed: ParsedArguments,
  program_options: ProgramOptions,
  loaded?: LoadedFrom,
): Promise<void> {
  const boot = loaded?.boot ?? (await bootstrapFor(parsed, program_options, command));
  const { print, stdin, ask } = program_options;
  const { data } = boot.located;
  if (!command.starts_data && !existsSync(data))
    throw new Error(`there is no data directory ${data}. Specify another one with --data`);
  let unlock: (() => void) | undefined;
  const beforeMigration = async (): Promise<void> => {
    unlock = await lockToMigrate(data);
  };
  await withChildren(boot, program_options, (isolate) =>
    withHost(boot, program_options, isolate, beforeMigration, async (host) => {
      unlock?.();
      const handler = host.commands.find((entry) => entry.command === command)?.handler;
      if (!handler) throw new Error(missingReason(host, command));
      const observe = (finished: RunCommand): void => {
        for (const note of host.slot(CommandObserver)) note(finished);
      };
      await runObserved(command, observe, (about) =>
        handler({ ...parsed, print, stdin, ask, about }),
      );
    }),
  );
}

/** Why the plugin of a command is left out or disabled. */
function missingReason(host: Host, { name }: Command): string {
  const reasons = [...host.off, ...host.failures].map(
    (plugin) => `${plugin.name}: ${plugin.reason}`,
  );
  return `the plugin that provides \`${name}\` is not running: ${reasons.join("; ")}`;
}

/** `observe` is called for a command that changes something, however it ends. */
async function runObserved(
  { name, changes }: Pick<Command, "name" | "changes">,
  observe: (finished: RunCommand) => void,
  run: (about: CommandInput["about"]) => Promise<void>,
): Promise<void> {
  let about: string | null = null;
  const observeEnd = (done: boolean): void => {
    if (changes) observe({ name, about, done });
  };
  try {
    await run((record) => (about = record));
  } catch (error) {
    observeEnd(false);
    throw error;
  }
  observeEnd(true);
}

interface RunnableTool {
  readonly plugin: Plugin;
  readonly tool: Tool;
  readonly loaded: LoadedFrom | undefined;
}

async function runTool(
  { plugin, tool, loaded }: RunnableTool,
  parsed: ParsedArguments,
  program_options: ProgramOptions,
): Promise<void> {
  const boot = loaded?.boot ?? (await bootstrapFor(parsed, program_options));
  const { print, stdin } = program_options;
  const { data, database } = boot.located;
  const { built_in } = program_options;
  await withChildren(boot, program_options, (isolate) =>
    runObserved(
      tool,
      (finished) => noteCommand(boot.located, finished),
      (about) =>
        tool.run({
          ...parsed,
          print,
          stdin,
          about,
          data,
          database,
          config: boot.config.values[plugin.section] ?? {},
          known_steps: stepsOf([coreSchema, ...built_in]),
          lock: () => lockDirectory(data),
          open: (use) =>
            withHost(boot, program_options, isolate, refuseToMigrate, (host) =>
              use({ slot: (ref) => host.slot(ref) }),
            ),
          isolate: (task, input, options) =>
            isolate(loaded?.file ?? plugin.name, task, input, options),
          now_ms: systemClock.now_ms,
        }),
    ),
  );
}

const stepsOf = (schemas: readonly Pick<Schema, "name" | "migrations">[]) =>
  new Map(schemas.map(({ name, migrations }) => [name, migrations.map(({ id }) => id)]));

/** No server has ever been started on the database. */
export class NoTablesYet extends Error {}

/** For commands beside a server: only the server changes tables. @throws Error that says so */
export async function refuseToMigrate({ is_new, keeps_copy }: MigrationAhead): Promise<void> {
  if (is_new)
    throw new NoTablesYet("the database is empty. Start the server once to create its tables");
  throw new Error(
    "the database was written by an earlier version. The next start of the server updates " +
      "its " +
      `${keeps_copy ? "tables and keeps a copy of the database" : "tables; make a dump first"}`,
  );
}

/** Provides child processes while `use` runs. */
export async function withChildren(
  boot: Bootstrap,
  { isolate }: ProgramOptions,
  use: (run: IsolatedRun) => Promise<void>,
): Promise<void> {
  const children = isolate(boot.log);
  try {
    await use(children.run);
  } finally {
    void children.stop();
  }
}

/** Provides a host of every plugin while `use` runs, which decides how far to start it. */
export async function withHost<R>(
  boot: Bootstrap,
  { built_in }: ProgramOptions,
  isolate: IsolatedRun,
  beforeMigration: MigrateOptions["before"],
  use: (host: Host) => Promise<R>,
): Promise<R> {
  const public_url = (): string => publicUrlBesideServer(boot);
  const assembled = await assemble(boot, built_in, isolate, public_url, { beforeMigration });
  try {
    return await use(assembled.host);
  } finally {
    await assembled.host.stop(0);
    await assembled.close();
  }
}
