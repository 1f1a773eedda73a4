/** Commands of the executable that plugins declare. */
import { slot } from "../base/refs";
import { isFunction } from "../base/shape";

/** A command of the executable: `dossier user create --email …`. */
export interface Command {
  /** `user create`: one or two words. */
  readonly name: string;
  readonly summary: string;
  /** Whether it changes something: then observers of commands are notified. */
  readonly changes?: boolean;
  /**
   * Positional arguments: `["id"]`. The last one may be optional (`id?`) or repeated (`files...`).
   */
  readonly args?: readonly string[];
  /** Whether it needs dropped-in plugins too: their settings, their jobs. */
  readonly loads_plugins?: boolean;
  /** Creates the data directory when it is missing; other commands require it. */
  readonly starts_data?: boolean;
  readonly options?: readonly {
    readonly flags: string;
    readonly description: string;
    readonly required?: boolean;
    readonly choices?: readonly string[];
    readonly default?: string;
  }[];
}
/** Invalid usage of a command: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
/** What a command is given. */
export interface CommandInput {
  readonly args: readonly string[];
  /** By the camelCase name of the long flag: `--password-stdin` is `passwordStdin`. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly print: (line: string) => void;
  /** All of standard input, without the last line break. */
  readonly stdin: () => Promise<string>;
  /** Asks the person at the terminal and returns the line typed. */
  readonly ask: (question: string) => Promise<string>;
  /** Reports the id of the record that the command is about, to observers of commands. */
  readonly about: (record: string) => void;
}
/** A finished command that changes something. */
export interface RunCommand {
  /** `user create` */
  readonly name: string;
  /** The id of the record that it was about. */
  readonly about: string | null;
  /** False when it failed. */
  readonly done: boolean;
}
/** Called before the command's process exits, and before the plugins are stopped. */
export const CommandObserver = slot<(command: RunCommand) => void>("cli.command_observer", {
  check: isFunction,
  otherwise: () => undefined,
});

/**
 * Runs a command. @throws UsageError for a wrong usage, any other error with a sentence for the
 * person who typed it
 */
export type CommandHandler = (input: CommandInput) => Promise<void>;
