/** Shared by all commands: input and output, the data directory, the settings. */
import type { Command as Commander } from "commander";
import type { Level, Log } from "../base/log";
import { publicUrlOf, type AddressSettings } from "../base/public-url";
import { serverPublicUrl } from "../base/server-address";
import type { ChildPool } from "../isolate/pool";
import type { Plugin } from "../plugin/contract";
import { bootstrap, type Bootstrap } from "./bootstrap";
import type { Flags } from "./config-sources";

/** What the command line gets from the executable: plugins, child processes, input and output. */
export interface ProgramOptions {
  readonly built_in: readonly Plugin[];
  readonly isolate: (log: Log) => ChildPool;
  readonly preflight_command: readonly string[];
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  readonly stdin: () => Promise<string>;
  /** Prints the question and returns the first line of standard input; empty when there is none. */
  readonly ask: (question: string) => Promise<string>;
}

/** Adds the option `--data`. */
export const withData = (command: Commander): Commander =>
  command.option("--data <directory>", "the data directory (default: ./dossier-data)");

/** The settings given on the command line. */
export const flagsOf = (options: Record<string, unknown>): Flags => ({
  "server.data": text(options.data),
  "server.host": text(options.host),
  "server.port": text(options.port),
});
const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** `log_level`: default that of the settings. @throws ConfigError */
export const bootstrapBy = (
  { built_in, preflight_command }: ProgramOptions,
  flags: Flags,
  log_level?: Level,
): Promise<Bootstrap> =>
  bootstrap({
    flags,
    env: process.env,
    built_in,
    preflight_command,
    ...(log_level !== undefined && { log_level }),
  });

/** Where a server with these settings can be reached. @throws ConfigError */
export const publicUrlOfSettings = ({ config }: Pick<Bootstrap, "config">): string =>
  publicUrlOf(config.values.server as unknown as AddressSettings);

/** For a command beside a server, which may have been started with other settings: its address. */
export function publicUrlBesideServer({ config, located }: Bootstrap): string {
  const is_set = config.values.server!.public_url !== undefined;
  return (is_set ? null : serverPublicUrl(located.data)) ?? publicUrlOfSettings({ config });
}
