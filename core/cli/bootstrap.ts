/**
 * What comes before everything else: the configuration is read and plugin files are loaded. `serve`
 * and every command start here.
 */
import { Type } from "@sinclair/typebox";
import { readConfig, readSection, type Config } from "../base/config";
import { jsonLog, type Level, type Log } from "../base/log";
import { LogOutput } from "../base/log-output";
import { LogRing } from "../base/log-ring";
import { Secret } from "../base/settings";
import type { Plugin } from "../plugin/define";
import { findPluginFiles, loadPlugins, type Loaded } from "../plugin/load";
import type { PluginFailure } from "../plugin/operations";
import { preflight } from "../plugin/preflight";
import { coreSections, locate, type Flags, type Located } from "./config-sources";

/** What is known before the data directory is opened. */
export interface Bootstrap {
  readonly located: Located;
  readonly config: Config;
  readonly dropped_in: Loaded["plugins"];
  readonly failures: readonly PluginFailure[];
  readonly log: Log;
  /** The latest lines of the log. */
  readonly recent: LogRing;
  /** Resolves when the log is written, or after `limit_ms`. */
  readonly flushLog: (limit_ms: number) => Promise<void>;
}

export interface BootstrapOptions {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly built_in: readonly Plugin[];
  /**
   * How this executable starts itself to try plugin files out; null leaves the plugins directory
   * alone.
   */
  readonly preflight_command: readonly string[] | null;
  readonly log_level?: Level;
}

/** Reads the configuration and loads plugin files. @throws ConfigError */
export async function bootstrap({
  flags,
  env,
  built_in,
  preflight_command,
  log_level,
}: BootstrapOptions): Promise<Bootstrap> {
  const located = locate(flags, env);
  const files = preflight_command === null ? [] : findPluginFiles(located.plugins);
  const command = [...(preflight_command ?? []), "--data", located.data];
  const loaded = await loadPlugins(files, (found) => preflight(command, env, found));
  const { dropped_in, failures } = checkSettings(loaded, located);
  const sections = new Map([
    ...coreSections,
    ...[...built_in, ...loaded.plugins.map(({ plugin }) => plugin)].map(
      (plugin) => [plugin.section, plugin.config] as const,
    ),
  ]);
  for (const { plugin } of loaded.plugins)
    if (!dropped_in.some((one) => one.plugin === plugin))
      sections.set(plugin.section, emptied(plugin.config));
  const lenient = failures.length > 0 || preflight_command === null;
  const config = readConfig(sections, located.sources, lenient);
  const recent = new LogRing();
  const output = new LogOutput(process.stderr, linesLost);
  const log = jsonLog(log_level ?? (() => config.values.server!.log_level as Level), (line) => {
    recent.add(line);
    output.write(line);
  });
  for (const warning of config.warnings)
    if (preflight_command !== null) log.warn("configuration", { warning });
  const flushLog = (limit_ms: number) => output.flush(limit_ms);
  return { located, config, dropped_in, failures, log, recent, flushLog };
}

const linesLost = (lines: number): string =>
  JSON.stringify({
    time: new Date().toISOString(),
    level: "warn",
    message: "log lines were lost: standard error could not be written to",
    lines,
  });

/** A dropped-in plugin whose settings are wrong is left out, with the reason. */
function checkSettings(
  loaded: Loaded,
  { sources }: Located,
): { dropped_in: Loaded["plugins"]; failures: PluginFailure[] } {
  const failures = [...loaded.failures];
  const dropped_in = loaded.plugins.filter(({ plugin, file }) => {
    const { problems } = readSection(plugin.section, plugin.config, sources);
    if (problems.length > 0)
      failures.push({
        name: plugin.name,
        file,
        reason: `its settings are not valid: ${problems.join(" ")}`,
      });
    return problems.length === 0;
  });
  return { dropped_in, failures };
}

/**
 * A section with the same keys, secret ones still marked, and no other constraint: for a plugin
 * that is left out.
 */
const emptied = (config: Plugin["config"]): Plugin["config"] =>
  Type.Object(
    Object.fromEntries(
      Object.entries(config.properties as Record<string, { kind?: string }>).map(
        ([key, { kind }]) => [key, Type.Optional(kind === "secret" ? Secret() : Type.Any())],
      ),
    ),
  );
