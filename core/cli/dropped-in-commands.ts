/**
 * Commands of the plugins directory. Its files are tried out and loaded only for words that match
 * no built-in command, and for the list of all commands.
 */
import type { Command as Commander } from "commander";
import type { Command } from "../plugin/command";
import { findPluginFiles } from "../plugin/loader";
import { order } from "../plugin/order";
import { bootstrapBy, flagsOf, type ProgramOptions } from "./command-options";
import { complaintOf } from "./complaint";
import { locateFiles } from "./config-sources";
import { addPluginCommand, addTool } from "./plugin-commands";
import { reserved } from "./reserved-claims";

/** Adds the commands that `words` may name. @throws ConfigError */
export async function addDroppedInCommands(
  program: Commander,
  words: readonly string[],
  options: ProgramOptions,
): Promise<void> {
  if (!mayNamePluginCommand(program, words)) return;
  const flags = flagsOf({ data: dataFlag(words) });
  if (findPluginFiles(locateFiles(flags, process.env).plugins).length === 0) return;
  const boot = await bootstrapBy(options, flags, "error");
  const dropped_in = new Map(boot.dropped_in.map(({ plugin, file }) => [plugin, file]));
  const { sorted } = order([...options.built_in, ...dropped_in.keys()], { ...boot, reserved });
  for (const plugin of sorted) {
    const file = dropped_in.get(plugin);
    if (file === undefined) continue;
    const loaded = { boot, file };
    for (const command of Object.values(plugin.commands as Record<string, Command>))
      addPluginCommand(program, command, options, loaded);
    for (const tool of Object.values(plugin.tools)) addTool(program, plugin, tool, options, loaded);
  }
  if (mayNamePluginCommand(program, words) && !wantsAll(words))
    for (const { name, reason } of boot.failures)
      options.complain(complaintOf(`the plugin ${name} is left out: ${reason}`));
}

/** Whether the words match no known command, or ask about all commands. */
function mayNamePluginCommand(program: Commander, words: readonly string[]): boolean {
  if (wantsAll(words)) return true;
  const [first, second] = words;
  if (first === undefined || first.startsWith("-") || first.startsWith("__")) return false;
  const named = program.commands.find((child) => child.name() === first);
  if (!named) return true;
  if (named.commands.length === 0 || second === undefined || second.startsWith("-")) return false;
  return second !== "help" && !named.commands.some((command) => command.name() === second);
}

/** Asks for the list of all commands. */
const wantsAll = ([first, second]: readonly string[]): boolean =>
  first === "completions" ||
  first === "--help" ||
  first === "-h" ||
  (first === "help" && second === undefined);

/** The value of `--data`. */
function dataFlag(words: readonly string[]): string | undefined {
  const index = words.findIndex((word) => word === "--data" || word.startsWith("--data="));
  if (index < 0) return undefined;
  return words[index] === "--data" ? words[index + 1] : words[index]!.slice("--data=".length);
}
