/** The command line as shells complete it: commands, options and possible values. */
import type { Command as Commander, Option } from "commander";

/** What completes a value. `text`: nothing does. */
export type Value =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" | "directory" | "text" };

/** An option of a command. */
export interface CompletedOption {
  /** `--data`, `-h`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Null for an option without a value. */
  readonly value: Value | null;
}
/** A command, with those below it. */
export interface CompletedCommand {
  /** With the words that precede it: `dossier plugin new`. */
  readonly path: string;
  readonly name: string;
  /** On one line. */
  readonly description: string;
  readonly commands: readonly CompletedCommand[];
  readonly options: readonly CompletedOption[];
  readonly args: readonly Value[];
  /** The last argument may be repeated. */
  readonly is_variadic: boolean;
}

/** This command and all below it. */
export function completed(command: Commander, prefix = ""): CompletedCommand {
  const path = `${prefix}${command.name()}`;
  const help = command.createHelp();
  const visible = help.visibleCommands(command);
  const subcommands = visible.map((subcommand) =>
    subcommand.name() === "help" ? helpCommand(path, visible) : completed(subcommand, `${path} `),
  );
  return {
    path,
    name: command.name(),
    description: oneLine(command.description()),
    commands: subcommands,
    options: help.visibleOptions(command).map(optionOf),
    args: command.registeredArguments.map((argument) =>
      valueOf(argument.name(), argument.argChoices),
    ),
    is_variadic: command.registeredArguments.at(-1)?.variadic ?? false,
  };
}

/** `dossier help`, which commander adds: its argument is one of its sibling commands. */
const helpCommand = (prefix: string, siblings: readonly Commander[]): CompletedCommand => ({
  path: `${prefix} help`,
  name: "help",
  description: "Display help for a command.",
  commands: [],
  options: [],
  args: [{ kind: "choices", choices: siblings.map((command) => command.name()) }],
  is_variadic: false,
});

const optionOf = (option: Option): CompletedOption => ({
  flags: [option.long, option.short].filter((flag) => typeof flag === "string"),
  description: oneLine(option.description),
  value:
    option.required || option.optional
      ? valueOf(/[<[](.+?)[>\]]/.exec(option.flags)?.[1] ?? "", option.argChoices)
      : null,
});

/** The placeholder says what the value is: `<directory>`, `<file>`, `[out]`. */
function valueOf(name: string, choices: readonly string[] | undefined): Value {
  if (choices) return { kind: "choices", choices };
  if (/\bdirectory\b/.test(name)) return { kind: "directory" };
  return { kind: /\b(files?|path|out)\b/.test(name) ? "file" : "text" };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The command and all below it, parents first. */
export const flattened = (command: CompletedCommand): CompletedCommand[] => [
  command,
  ...command.commands.flatMap(flattened),
];
