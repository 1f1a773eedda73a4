/** The command line: commander over the commands of core and of every plugin. */
import { CommanderError, Command as Commander, Help, type Option } from "commander";
import { ConfigError } from "../base/config";
import { version } from "../base/version";
import { UsageError, type Command } from "../plugin/command";
import type { ProgramOptions } from "./command-options";
import { complaintOf } from "./complaint";
import { addCompletionsCommand } from "./completions/command";
import { addCoreCommands } from "./core-commands";
import { addDroppedInCommands } from "./dropped-in-commands";
import { addHealthCommand } from "./health-command";
import { addPluginCommand, addTool } from "./plugin-commands";

const usage_exit = 2;
const where_documentation_is =
  "Documentation is available on every running server at /docs, by default " +
  "http://127.0.0.1:4780/docs.";

/**
 * Runs one command line (without the executable's name) and returns its exit code: 0 done, 1
 * failed, 2 wrong usage.
 */
export async function runProgram(
  words: readonly string[],
  options: ProgramOptions,
): Promise<number> {
  const program = new Commander("dossier")
    .version(version)
    .description("Folders, documents and cited answers from one executable.")
    // `backup list --data` is an option of `backup list`, not of `backup`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => options.print(text.trimEnd()),
      writeErr: (text) => options.complain(text.trimEnd()),
      outputError: (text, write) => write(complaintOf(text.replace(/^error: /, ""))),
    })
    .configureHelp({ optionDescription: withoutQuotes })
    .addHelpText("after", `\n${where_documentation_is}`);
  addCoreCommands(program, options);
  addHealthCommand(program, options);
  addCompletionsCommand(program, options);
  const serves = words.length === 0 || words[0] === "serve";
  // They would only delay the start of a server.
  for (const plugin of serves ? [] : options.built_in) {
    for (const command of Object.values(plugin.commands as Record<string, Command>))
      addPluginCommand(program, command, options);
    for (const tool of Object.values(plugin.tools)) addTool(program, plugin, tool, options);
  }
  try {
    await addDroppedInCommands(program, words, options);
    pointToHelp(program, "dossier");
    await program.parseAsync(words.length === 0 ? ["serve"] : words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usage_exit;
    options.complain(error instanceof Error ? complaintOf(error.message) : String(error));
    return error instanceof ConfigError || error instanceof UsageError ? usage_exit : 1;
  }
}

/** The description of an option whose choices and default are shown as they are typed. */
const withoutQuotes = (option: Option): string =>
  new Help().optionDescription(option).replace(/"([^"\s]+)"/g, "$1");

/** After wrong usage, each command refers to its own help. */
function pointToHelp(command: Commander, name: string): void {
  const what = command.commands.length > 0 ? "lists the commands" : "has the details";
  command.showHelpAfterError(`(${name} --help ${what})`);
  for (const subcommand of command.commands)
    pointToHelp(subcommand, `${name} ${subcommand.name()}`);
}
