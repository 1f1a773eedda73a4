/** `dossier plugin add`, `remove`, `enable`, `disable` and `info`. */
import { counted } from "../../core/lib/counted";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  UsageError,
  type Added,
  type Command,
  type CommandHandler,
  type CommandInput,
  type SettingState,
} from "../../core/sdk";
import { serverAnswers, StoredChange, type StoredChangeContext } from "../settings/contract";
import { downloadPlugin, isAddress, type DownloadOptions } from "./download";
import { infoLines } from "./info";
import { isNothing, type Leftovers } from "./leftovers";
import type { PluginManager, ProcessKind } from "./service";

export const commands = {
  add: {
    name: "plugin add",
    summary:
      "Add a plugin from a file or an https address. It is tested first, and loaded when " +
      "the server restarts.",
    changes: true,
    starts_data: true,
    args: ["source"],
    options: [
      {
        flags: "--sha256 <hex>",
        description: "the expected SHA-256 of the file; required for an address",
      },
      { flags: "--replace", description: "replace the plugin with the same name" },
    ],
  },
  remove: {
    name: "plugin remove",
    summary: "Remove the file of a plugin. Its data is kept unless it is purged too.",
    changes: true,
    args: ["name"],
    options: [
      { flags: "--purge", description: "also delete its tables, settings, jobs and schedules" },
      { flags: "--yes", description: "don't ask for confirmation" },
    ],
  },
  enable: {
    name: "plugin enable",
    summary: "Enable a disabled plugin. It is loaded when the server restarts.",
    changes: true,
    args: ["name"],
  },
  disable: {
    name: "plugin disable",
    summary: "Disable a plugin, built-in or not. It is no longer loaded when the server restarts.",
    changes: true,
    args: ["name"],
  },
  info: {
    name: "plugin info",
    summary: "Show the details of a plugin: routes, slots, jobs, tables, settings.",
    args: ["name"],
    options: [{ flags: "--json", description: "print JSON" }],
  },
} satisfies Record<string, Command>;

/** What the commands need besides `Context`. */
export interface CommandsContext extends StoredChangeContext {
  readonly manager: PluginManager;
  readonly download: DownloadOptions;
}

export const commandHandlers = (
  ctx: CommandsContext,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  add: (input) => add(ctx, input),
  remove: (input) => remove(ctx, input),
  enable: (input) => turn(ctx, input, true),
  disable: (input) => turn(ctx, input, false),
  info: async ({ args: [name], options, print }) => {
    const details = await ctx.manager.details(name!, await processKindOf(ctx));
    if (options.json) return print(JSON.stringify(details));
    for (const line of infoLines(details)) print(line);
  },
});

const processKindOf = async (ctx: CommandsContext): Promise<ProcessKind> =>
  (await serverAnswers(ctx)) ? "beside" : "alone";

async function add(
  ctx: CommandsContext,
  { args: [source = ""], options, print, about }: CommandInput,
): Promise<void> {
  const sha256 = typeof options.sha256 === "string" ? options.sha256 : null;
  if (sha256 !== null && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new UsageError("--sha256 must be 64 hexadecimal digits");
  if (isAddress(source) && sha256 === null)
    throw new UsageError("an address needs --sha256, the checksum given by the plugin's publisher");
  const bytes = isAddress(source) ? await downloadPlugin(source, ctx.download) : readPlugin(source);
  const replace = options.replace === true;
  const added = await ctx.manager.add({ bytes, shown: source, replace, sha256 });
  about(added.name);
  const { name, version, file, replaced } = added;
  const before = replaced?.description ? `, replacing ${replaced.description.version}` : "";
  print(`Added ${name} ${version} as ${file}${before}. SHA-256 ${added.sha256}`);
  for (const setting of missingSettings(added, await ctx.manager.settingsOf(added.description)))
    print(`It needs the setting ${setting}: dossier config set ${setting} …`);
  print(await whatNow(ctx, "loads it"));
}

/** Required settings that are not set: without them the plugin would be left out. */
const missingSettings = (
  { description: { section, config } }: Added,
  settings: readonly SettingState[],
): string[] =>
  settings
    .filter(({ value, stored }) => value === null && stored === null)
    .map(({ setting }) => setting)
    .filter((setting) => config.required?.includes(setting.slice(section.length + 1)));

function readPlugin(source: string): Uint8Array {
  try {
    return readFileSync(resolve(source));
  } catch (error) {
    throw new UsageError(`the plugin ${source} can't be read: ${(error as Error).message}`);
  }
}

async function remove(
  ctx: CommandsContext,
  { args: [name = ""], options, print, ask, about }: CommandInput,
): Promise<void> {
  const { manager, operations } = ctx;
  about(name);
  const process_kind = await processKindOf(ctx);
  const is_built_in = operations.plugin_files.built_in.includes(name);
  const purges = options.purge === true && !is_built_in;
  const leftovers = purges ? await manager.leftovers(name) : null;
  const is_installed = is_built_in || (await manager.fileOf(name)) !== null;
  if (leftovers !== null) {
    if (!is_installed && isNothing(leftovers))
      throw new Error(`there is no plugin ${name}, and no data of one in the database`);
    if (
      process_kind === "beside" &&
      operations.plugin_files.running().some((plugin) => plugin.name === name)
    )
      throw new Error(
        `the running server has ${name} loaded. Stop it first; or remove the plugin ` +
          "without --purge, restart the server, and then purge",
      );
    if (options.yes !== true && !(await isSure(name, leftovers, ask)))
      throw new Error("nothing was removed");
  }
  if (is_installed || leftovers === null) {
    const stored = new StoredChange(ctx);
    print(`Removed ${await manager.remove(name, stored.note)}.`);
  }
  if (leftovers !== null) {
    await manager.purge(name);
    print(`Permanently deleted: ${inWords(leftovers)}.`);
  } else print(`Its data is kept. To delete it, run dossier plugin remove ${name} --purge.`);
  if (is_installed) print(await whatNow(ctx, "runs without it"));
}

async function isSure(
  name: string,
  leftovers: Leftovers,
  ask: CommandInput["ask"],
): Promise<boolean> {
  const answer = await ask(`${name}: ${inWords(leftovers)}. Delete all of it permanently? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

function inWords({ tables, jobs, settings }: Leftovers): string {
  const parts = [
    ...tables.map(({ name, rows }) => `the table ${name} with ${counted(rows, "row")}`),
    ...(jobs > 0 ? [counted(jobs, "job")] : []),
    ...(settings.length > 0 ? [`the settings ${settings.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "nothing in the database" : parts.join(", ");
}

async function turn(
  ctx: CommandsContext,
  { args: [name = ""], print, about }: CommandInput,
  enabled: boolean,
): Promise<void> {
  about(name);
  const stored = new StoredChange(ctx);
  await ctx.manager.setEnabled(name, enabled, stored.note);
  print(`${name} is ${enabled ? "enabled" : "disabled"}.`);
  print(await whatNow(ctx, enabled ? "loads it" : "runs without it"));
}

/** What is needed for the change to take effect. */
const whatNow = async (ctx: CommandsContext, effect: string): Promise<string> =>
  (await processKindOf(ctx)) === "beside"
    ? `Restart the running server for this to take effect; it then ${effect}.`
    : `The next start of the server ${effect}.`;
