/** The commands of core: serve, config, openapi, compact, migrate-to, plugin list, version. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command as Commander } from "commander";
import { mebibytes } from "../lib/byte-sizes";
import { shownSettings, type ShownSetting } from "../base/config";
import { version } from "../base/version";
import { api } from "../http/openapi";
import { compactDatabase } from "../store/compaction";
import { lockDirectory } from "../store/lock";
import { documentOf } from "./application";
import { addWorkbenchCommands } from "./workbench-commands";
import { onScratchData } from "./assembly";
import type { Bootstrap } from "./bootstrap";
import {
  bootstrapBy,
  flagsOf,
  publicUrlOfSettings,
  withData,
  type ProgramOptions,
} from "./command-options";
import { complaintOf } from "./complaint";
import type { Flags } from "./config-sources";
import { addFilesCommand } from "./files-command";
import { addMigrateTo } from "./migrate-to/command";
import { printPlugins } from "./plugin-list";
import { NoTablesYet, refuseToMigrate, withChildren, withHost } from "./plugin-commands";
import { serveUntilStopped, startServer } from "./server";

/** Adds the commands of core, except those that have a file of their own. */
export function addCoreCommands(program: Commander, program_options: ProgramOptions): void {
  withData(program.command("serve"))
    .description("Run the server.")
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option("--port <number>", "port to listen on (default: 4780)")
    .action(async (options) => runServer(flagsOf(options), program_options));
  withData(program.command("config"))
    .description("Show the current settings and where each comes from; secrets are hidden.")
    .option("--json", "print one JSON array")
    .action(async (options) =>
      printConfig(flagsOf(options), Boolean(options.json), program_options),
    );
  withData(program.command("openapi"))
    .description("Print the OpenAPI document.")
    .action(async (options) => printOpenApi(flagsOf(options), program_options));
  withData(program.command("compact"))
    .description(
      "Compact the database while the server is stopped. A database created by an earlier " +
        "version shrinks automatically from then on.",
    )
    .action((options) => compact(flagsOf(options), program_options));
  addMigrateTo(program, program_options);
  const plugin = program
    .command("plugin")
    .description(
      "Manage and develop plugins. `dossier plugin new NAME` creates one, with a guide.",
    );
  withData(plugin.command("list"))
    .description(
      "List the built-in plugins and those in the plugins directory, with the reason if " +
        "one is left out.",
    )
    .option("--json", "print one JSON array")
    .action(async (options) =>
      printPlugins(flagsOf(options), Boolean(options.json), program_options),
    );
  addWorkbenchCommands(plugin, program_options);
  addFilesCommand(program, program_options);
  withData(program.command("version"))
    .description("Print the version.")
    .action(() => program_options.print(version));
}

async function runServer(flags: Flags, options: ProgramOptions): Promise<void> {
  const boot = await bootstrapBy(options, flags);
  const children = options.isolate(boot.log);
  try {
    await serveUntilStopped(
      () => startServer(boot, options.built_in, children.run, options.print),
      boot.log,
    );
  } finally {
    void children.stop();
    await boot.flushLog(1_000);
  }
}

async function compact(flags: Flags, options: ProgramOptions): Promise<void> {
  const { located } = await bootstrapBy(options, flags, "error");
  const path = located.database;
  if (path === null)
    throw new Error("the database is PostgreSQL. To compact it, run `vacuum full` there");
  if (!existsSync(path)) throw new Error(`there is no database at ${path}`);
  const unlock = lockDirectory(located.data);
  try {
    const { before, after } = compactDatabase(path);
    options.print(`Compacted ${path} from ${mebibytes(before)} to ${mebibytes(after)}.`);
  } finally {
    unlock();
  }
}

/**
 * The same document that the server serves: from plugins that are set up, on a scratch directory.
 */
async function printOpenApi(flags: Flags, options: ProgramOptions): Promise<void> {
  const boot = await bootstrapBy(options, flags, "error");
  const data = mkdtempSync(join(tmpdir(), "dossier-openapi-"));
  const scratch = onScratchData(boot, data);
  try {
    await withHost(
      scratch,
      options,
      runsNothing,
      async () => {},
      async (host) => {
        const document = await documentOf(host, api, publicUrlOfSettings(boot));
        options.print(JSON.stringify(document, null, 2));
      },
    );
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}
const runsNothing = async (): Promise<never> => {
  throw new Error("nothing runs while the OpenAPI document is created");
};

async function printConfig(flags: Flags, json: boolean, options: ProgramOptions): Promise<void> {
  const rows = await settingsInForce(await bootstrapBy(options, flags, "error"), options);
  if (json) return options.print(JSON.stringify(rows));
  const width = Math.max(...rows.map((row) => row.setting.length));
  for (const { setting, value, origin } of rows) {
    const shown = Array.isArray(value) ? value.join(",") : String(value);
    options.print(`${setting.padEnd(width)}  ${shown}  (${origin})`);
  }
}

/** Including stored settings, when there is a database that can be opened without changes. */
async function settingsInForce(boot: Bootstrap, options: ProgramOptions): Promise<ShownSetting[]> {
  const { database } = boot.located;
  if (database !== null && !existsSync(database)) return shownSettings(boot.config);
  let rows: ShownSetting[] = [];
  try {
    await withChildren(boot, options, (isolate) =>
      withHost(boot, options, isolate, refuseToMigrate, async (host) => {
        rows = host.operations.settings();
      }),
    );
    return rows;
  } catch (error) {
    if (error instanceof NoTablesYet) return shownSettings(boot.config);
    options.complain(complaintOf(`stored settings can't be read: ${(error as Error).message}`));
    return shownSettings(boot.config);
  }
}
