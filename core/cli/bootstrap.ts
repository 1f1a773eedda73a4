/**
 * The first step of `serve` and of every command: reads the configuration and loads plugin files.
 */
import { readConfig, type Config } from "../base/config";
import { unusedSettings } from "../base/unused-settings";
import { jsonLog, type Level, type Log } from "../base/log";
import { LogOutput } from "../base/log-output";
import { LogRing } from "../base/log-ring";
import type { Plugin } from "../plugin/contract";
import { disabled_reason, disablingProblems, unknownDisabled } from "../plugin/disabled-plugins";
import { fileStem, findPluginFiles, loadPlugins, type Loaded } from "../plugin/loader";
import type { PluginFailure, PluginOff } from "../plugin/operations";
import { PluginDirectory } from "../plugin/plugin-directory";
import { patient_silence_ms_max, preflight, tryOut } from "../plugin/preflight";
import { locate, type Flags, type Located } from "./config-sources";
import { checkSettings, disabledPlugins } from "./plugin-settings";

/** What is known before the data directory is opened. */
export interface Bootstrap {
  readonly located: Located;
  readonly config: Config;
  readonly dropped_in: Loaded["plugins"];
  readonly failures: readonly PluginFailure[];
  /** Names of plugins that must not be set up. */
  readonly disabled: readonly string[];
  /** Files of disabled plugins; they were not loaded. */
  readonly skipped: readonly PluginOff[];
  readonly log: Log;
  /** The plugins directory, for commands that change it. */
  readonly plugin_files: PluginDirectory;
  /** The newest log lines. */
  readonly recent: LogRing;
  /** Resolves when the log is written, or after `limit_ms`. */
  readonly flushLog: (limit_ms: number) => Promise<void>;
}

/** What the configuration is read from, and how plugin files are tried out. */
export interface BootstrapOptions {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly built_in: readonly Plugin[];
  /**
   * The command that runs this executable to try out plugin files; null to ignore the plugins
   * directory.
   */
  readonly preflight_command: readonly string[] | null;
  /** The command that tries out a file before it is added. Default: `preflight_command`. */
  readonly try_out_command?: readonly string[];
  readonly log_level?: Level;
}

/** Reads the configuration and loads plugin files. @throws ConfigError */
export async function bootstrap({
  flags,
  env,
  built_in,
  preflight_command,
  try_out_command = preflight_command ?? [],
  log_level,
}: BootstrapOptions): Promise<Bootstrap> {
  const located = await locate(flags, env);
  const { disabled, warnings } = disabledPlugins(located, built_in, preflight_command !== null);
  const plugin_paths = preflight_command === null ? [] : findPluginFiles(located.plugins);
  const files = plugin_paths.filter((file) => !disabled.includes(fileStem(file)));
  const command = [...(preflight_command ?? []), "--data", located.data];
  const loaded = await loadPlugins(files, (tried) => preflight(command, env, tried));
  const checked = checkSettings(loaded, built_in, located);
  const { dropped_in, sections, failures, left_out, sources } = checked;
  const lenient = loaded.failures.length > 0 || preflight_command === null;
  const config = readConfig(sections, sources, { lenient, left_out });
  const plugin_names = [...built_in, ...loaded.plugins.map(({ plugin }) => plugin)].map(
    ({ name }) => name,
  );
  warnings.push(
    ...config.warnings,
    ...unusedSettings(config),
    ...unknownDisabled(disabled, [...plugin_names, ...plugin_paths.map(fileStem)]),
  );
  const recent = new LogRing();
  const output = new LogOutput(process.stderr, linesLost);
  const log = jsonLog(log_level ?? (() => config.values.server!.log_level as Level), (line) => {
    recent.add(line);
    output.write(line);
  });
  if (preflight_command !== null)
    for (const warning of warnings) log.warn("configuration", { warning });
  const flushLog = (limit_ms: number) => output.flush(limit_ms);
  const skipped = plugin_paths
    .filter((file) => !files.includes(file))
    .map((file) => ({
      name: fileStem(file),
      version: null,
      built_in: false,
      file,
      reason: disabled_reason,
    }));
  const plugin_files = new PluginDirectory({
    data: located.data,
    directory: located.plugins,
    built_in: built_in.map(({ name }) => name),
    loaded: files,
    tryOut: (tried) =>
      tryOut([...try_out_command, "--data", located.data], env, tried, patient_silence_ms_max),
    disablingProblems: (names) => disablingProblems(names, built_in),
  });
  return {
    located,
    config,
    dropped_in,
    failures,
    disabled,
    skipped,
    plugin_files,
    log,
    recent,
    flushLog,
  };
}

const linesLost = (lines: number): string =>
  JSON.stringify({
    time: new Date().toISOString(),
    level: "warn",
    message: "log lines were lost because standard error could not be written to",
    lines,
  });
