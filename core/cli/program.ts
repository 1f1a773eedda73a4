/** The command line: commander over the commands of core and of every plugin. */
import { existsSync } from "node:fs";
import { CommanderError, Command as Commander, Option } from "commander";
import { version } from "../base/version";
import { ConfigError, shownSettings } from "../base/config";
import type { Level } from "../base/log";
import type { ChildPool } from "../isolate/pool";
import type { Command } from "../plugin/command";
import type { Plugin } from "../plugin/define";
import { order } from "../plugin/order";
import { assemble, readSetting, type Setting } from "./compose";
import { lockDirectory } from "../store/lock";
import { documentOf, serveUntilStopped, startServer } from "./serving";
import type { Flags } from "./sources";

export interface ProgramParts {
  readonly built_in: readonly Plugin[];
  readonly isolate: (log: Setting["log"]) => ChildPool;
  readonly preflight_command: readonly string[];
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  readonly stdin: () => Promise<string>;
}

const usage_exit = 2;

/**
 * Runs one command line (without the executable's name) and answers its exit code: 0 done, 1
 * failed, 2 wrong usage.
 */
export async function runProgram(words: readonly string[], parts: ProgramParts): Promise<number> {
  const program = new Commander("dossier")
    .version(version)
    .description("Folders, documents and cited answers from one executable.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => parts.print(text.trimEnd()),
      writeErr: (text) => parts.complain(text.trimEnd()),
    })
    .showHelpAfterError("(dossier --help lists the commands)");
  addCoreCommands(program, parts);
  for (const plugin of parts.built_in)
    for (const [key, command] of Object.entries(plugin.commands as Record<string, Command>))
      addPluginCommand(program, plugin, key, command, parts);
  try {
    await program.parseAsync(words.length === 0 ? ["serve"] : words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usage_exit;
    parts.complain(error instanceof Error ? `dossier: ${error.message}` : String(error));
    return error instanceof ConfigError ? usage_exit : 1;
  }
}

function addCoreCommands(program: Commander, parts: ProgramParts): void {
  withData(program.command("serve"))
    .description("Run the server.")
    .option("--host <address>", "address to listen on (default 127.0.0.1)")
    .option("--port <number>", "port to listen on (default 4780)")
    .action(async (options) => serveCommand(flagsOf(options), parts));
  withData(program.command("config"))
    .description("Show the settings in force and where each comes from; secrets are hidden.")
    .option("--json", "print one JSON array")
    .action(async (options) => configCommand(flagsOf(options), Boolean(options.json), parts));
  withData(program.command("openapi"))
    .description("Print the OpenAPI document.")
    .action(async (options) => {
      const setting = await readSetting({
        flags: flagsOf(options),
        env: process.env,
        built_in: parts.built_in,
        preflight_command: parts.preflight_command,
        log_level: "error",
      });
      const { host, port, public_url } = setting.config.values.server as {
        host: string;
        port: number;
        public_url?: string;
      };
      const { sorted } = order([
        ...parts.built_in,
        ...setting.dropped_in.map(({ plugin }) => plugin),
      ]);
      parts.print(
        JSON.stringify(
          documentOf(
            sorted.flatMap((plugin) => Object.values(plugin.routes) as never[]),
            public_url ?? `http://${host}:${port}`,
          ),
          null,
          2,
        ),
      );
    });
  const plugin = program.command("plugin").description("Plugins of this server.");
  withData(plugin.command("list"))
    .description(
      "List built-in plugins and those of the plugins directory, with the reason for each that " +
        "is left out.",
    )
    .option("--json", "print one JSON array")
    .action(async (options) => pluginListCommand(flagsOf(options), Boolean(options.json), parts));
  withData(program.command("version"))
    .description("Print the version.")
    .action(() => parts.print(version));
}

const withData = (command: Commander): Commander =>
  command.option("--data <directory>", "the data directory (default ./dossier-data)");
const flagsOf = (options: Record<string, unknown>): Flags => ({
  "server.data": text(options.data),
  "server.host": text(options.host),
  "server.port": text(options.port),
});
const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

async function serveCommand(flags: Flags, parts: ProgramParts): Promise<void> {
  const setting = await readSetting({
    flags,
    env: process.env,
    built_in: parts.built_in,
    preflight_command: parts.preflight_command,
  });
  const isolate = parts.isolate(setting.log);
  try {
    await serveUntilStopped(
      () => startServer(setting, parts.built_in, isolate.run, parts.print),
      setting.log,
    );
  } finally {
    isolate.stop();
  }
}

async function configCommand(flags: Flags, json: boolean, parts: ProgramParts): Promise<void> {
  const { config } = await readSetting({
    flags,
    env: process.env,
    built_in: parts.built_in,
    preflight_command: parts.preflight_command,
    log_level: "error",
  });
  const rows = shownSettings(config);
  if (json) return parts.print(JSON.stringify(rows));
  const width = Math.max(...rows.map((row) => row.setting.length));
  for (const { setting, value, origin } of rows) {
    const shown = Array.isArray(value) ? value.join(",") : String(value);
    parts.print(`${setting.padEnd(width)}  ${shown}  (${origin})`);
  }
}

async function pluginListCommand(flags: Flags, json: boolean, parts: ProgramParts): Promise<void> {
  const setting = await readSetting({
    flags,
    env: process.env,
    built_in: parts.built_in,
    preflight_command: parts.preflight_command,
    log_level: "error",
  });
  const fileOf = new Map(setting.dropped_in.map(({ plugin, file }) => [plugin, file]));
  const { sorted, refused } = order([...parts.built_in, ...fileOf.keys()]);
  const row = (plugin: Plugin, reason: string | null) => ({
    name: plugin.name,
    version: plugin.version as string | null,
    built_in: !fileOf.has(plugin),
    file: fileOf.get(plugin) ?? null,
    status: reason === null ? "loaded" : "left out",
    reason,
  });
  const rows = [
    ...sorted.map((plugin) => row(plugin, null)),
    ...refused.map(({ plugin, reason }) => row(plugin, reason)),
    ...setting.failures.map(({ name, file, reason }) => ({
      name,
      version: null,
      built_in: false,
      file,
      status: "left out",
      reason,
    })),
  ];
  if (json) return parts.print(JSON.stringify(rows));
  for (const { name, version: of, built_in, file, status, reason } of rows)
    parts.print(
      [
        name.padEnd(20),
        (of ?? "-").padEnd(8),
        status.padEnd(8),
        built_in ? "built in" : file,
        reason ?? "",
      ]
        .join("  ")
        .trimEnd(),
    );
  parts.print(
    fileOf.size + setting.failures.length === 0
      ? `No plugin files in ${setting.located.plugins}.`
      : `Plugin files are read from ${setting.located.plugins}.`,
  );
}

function addPluginCommand(
  program: Commander,
  plugin: Plugin,
  key: string,
  command: Command,
  parts: ProgramParts,
): void {
  const [first, second] = command.name.split(" ") as [string, string | undefined];
  const parent =
    second === undefined
      ? program
      : (program.commands.find((one) => one.name() === first) ??
        program.command(first).description(`Commands about ${first}s.`));
  const made = withData(parent.command(second ?? first)).description(command.summary);
  for (const arg of command.args ?? []) made.argument(`<${arg}>`);
  for (const { flags, description, required, choices, default: preset } of command.options ?? []) {
    const option = new Option(flags, description);
    if (choices) option.choices([...choices]);
    if (preset !== undefined) option.default(preset);
    made.addOption(option.makeOptionMandatory(required ?? false));
  }
  made.action(async (...given: unknown[]) => {
    const args = given.slice(0, command.args?.length ?? 0) as string[];
    const options = given[args.length] as Record<string, string | boolean | undefined>;
    await runPluginCommand(
      plugin.name,
      key,
      { args, options, flags: { "server.data": text(options.data) } },
      parts,
    );
  });
}

interface Invocation {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly flags: Flags;
}

/** Another command that changes the tables at this moment is soon done; a server is not. */
const migration_lock_ms_max = 5_000;

/**
 * @throws Error when a server of another version runs on the directory: its tables can't change
 * under it.
 */
async function lockToMigrate(data: string): Promise<() => void> {
  for (let waited_ms = 0; ; waited_ms += 50) {
    try {
      return lockDirectory(data);
    } catch (error) {
      if (waited_ms >= migration_lock_ms_max)
        throw new Error(
          `this program is newer than the server that runs on ${data}: restart the server ` +
            "with this version first",
          { cause: error },
        );
      await Bun.sleep(50);
    }
  }
}

/** Works beside a running server: the same store, the same services, no jobs and no port. */
async function runPluginCommand(
  plugin_name: string,
  key: string,
  { args, options, flags }: Invocation,
  parts: ProgramParts,
): Promise<void> {
  const setting = await readSetting({
    flags,
    env: process.env,
    built_in: parts.built_in,
    preflight_command: null,
    log_level: "warn" satisfies Level,
  });
  const {
    host: listen,
    port,
    public_url,
  } = setting.config.values.server as { host: string; port: number; public_url?: string };
  const command = (
    parts.built_in.find((one) => one.name === plugin_name)!.commands as Record<string, Command>
  )[key]!;
  if (!command.starts_data && !existsSync(setting.located.data))
    throw new Error(
      `there is no data directory ${setting.located.data}; name the one you mean with --data`,
    );
  const isolate = parts.isolate(setting.log);
  let unlock: (() => void) | undefined;
  const assembled = await assemble(
    setting,
    parts.built_in,
    isolate.run,
    () => public_url ?? `http://${listen}:${port}`,
    async () => {
      unlock = await lockToMigrate(setting.located.data);
    },
  );
  unlock?.();
  try {
    const found = assembled.host.commands.find((one) => one.command === command)!;
    await found.handler({ args, options, print: parts.print, stdin: parts.stdin });
  } finally {
    await assembled.host.stop(0);
    await assembled.close();
    isolate.stop();
  }
}
