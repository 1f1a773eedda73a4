/** The commands of plugins. */
import { existsSync } from "node:fs";
import { Option, type Command as Commander } from "commander";
import type { Command, CommandInput } from "../plugin/command";
import { lockDirectory } from "../store/lock";
import { assemble } from "./assembly";
import { bootstrap } from "./bootstrap";
import { flagsOf, publicUrlOf, withData, type ProgramOptions } from "./command-options";

/** Adds a command that a built-in plugin declares. */
export function addPluginCommand(
  program: Commander,
  command: Command,
  program_options: ProgramOptions,
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
    const options = given[args.length] as CommandInput["options"];
    await runPluginCommand(command, { args, options }, program_options);
  });
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
  command: Command,
  input: Pick<CommandInput, "args" | "options">,
  { built_in, isolate, print, stdin }: ProgramOptions,
): Promise<void> {
  const boot = await bootstrap({
    flags: flagsOf({ data: input.options.data }),
    env: process.env,
    built_in,
    preflight_command: null,
    log_level: "warn",
  });
  const { data } = boot.located;
  if (!command.starts_data && !existsSync(data))
    throw new Error(`there is no data directory ${data}; name the one you mean with --data`);
  const children = isolate(boot.log);
  let unlock: (() => void) | undefined;
  const beforeMigration = async (): Promise<void> => {
    unlock = await lockToMigrate(data);
  };
  const public_url = (): string => publicUrlOf(boot);
  const assembled = await assemble(boot, built_in, children.run, public_url, beforeMigration);
  unlock?.();
  try {
    const found = assembled.host.commands.find((one) => one.command === command)!;
    await found.handler({ ...input, print, stdin });
  } finally {
    await assembled.host.stop(0);
    await assembled.close();
    void children.stop();
  }
}
