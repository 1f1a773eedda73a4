/** Commands of the executable that plugins bring. */
import { slot } from "../base/refs";
import { isFunction } from "../base/shape";

/** A command of the executable: `dossier user create --email …`. */
export interface Command {
  /** `user create`: one or two words. */
  readonly name: string;
  readonly summary: string;
  /** It changes something: those who observe commands are told. */
  readonly changes?: boolean;
  /**
   * Positional arguments: `["id"]`. The last may be missing (`id?`), or many (`files...`).
   */
  readonly args?: readonly string[];
  /** Needs the plugins of the plugins directory too: their settings, their jobs. */
  readonly loads_plugins?: boolean;
  /** Creates the data directory when it is missing; any other command requires it. */
  readonly starts_data?: boolean;
  readonly options?: readonly {
    readonly flags: string;
    readonly description: string;
    readonly required?: boolean;
    readonly choices?: readonly string[];
    readonly default?: string;
  }[];
}
/** The command was given what it can't be given: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
export interface CommandInput {
  readonly args: readonly string[];
  /** By camelCase name of the long flag: `--password-stdin` is `passwordStdin`. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly print: (line: string) => void;
  /** Standard input to its end, without the last line break. */
  readonly stdin: () => Promise<string>;
  /** Asks the person at the terminal, and answers the line that they type. */
  readonly ask: (question: string) => Promise<string>;
  /** Names the record that the command is about, for those who observe commands: an id. */
  readonly about: (record: string) => void;
}
/** A command that changes something, when it has ended. */
export interface RunCommand {
  /** `user create` */
  readonly name: string;
  readonly about: string | null;
  readonly done: boolean;
}
/** Called before the process of the command ends, and before the plugins are stopped. */
export const CommandObserver = slot<(command: RunCommand) => void>("cli.command_observer", {
  check: isFunction,
  otherwise: () => undefined,
});

export type CommandHandler = (input: CommandInput) => Promise<void>;
