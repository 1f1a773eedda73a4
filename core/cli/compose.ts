/**
 * Puts the parts together: configuration, plugins, store, host. `serve` and every command start
 * here.
 */
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { ConfigError, readConfig, readSection, type Config } from "../base/config";
import { systemClock } from "../base/clock";
import { jsonLog, type Level, type Log } from "../base/log";
import { LocalNotifier } from "../base/notifier";
import { createLogRing, type LogRing } from "../base/log-ring";
import { Secret } from "../base/settings";
import type { IsolatedRun } from "../isolate/pool";
import type { Plugin } from "../plugin/define";
import { createHost, type Host } from "../plugin/host";
import type { PluginFailure } from "../plugin/operations";
import { findPluginFiles, loadPlugins, type Loaded } from "../plugin/load";
import { preflight } from "../plugin/preflight";
import { FileStore } from "../store/file-store";
import { SqliteStore } from "../store/sqlite-store";
import type { Store } from "../store/store";
import { coreSections, locate, type Flags, type Located } from "./sources";

export interface Setting {
  readonly located: Located;
  readonly config: Config;
  readonly dropped_in: Loaded["plugins"];
  readonly failures: readonly PluginFailure[];
  readonly log: Log;
  /** What the log has said lately. */
  readonly recent: LogRing;
}

export interface SettingOptions {
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
export async function readSetting({
  flags,
  env,
  built_in,
  preflight_command,
  log_level,
}: SettingOptions): Promise<Setting> {
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
  const recent = createLogRing();
  const log = jsonLog(log_level ?? (config.values.server!.log_level as Level), (line) => {
    recent.add(line);
    process.stderr.write(`${line}\n`);
  });
  for (const warning of config.warnings)
    if (preflight_command !== null) log.warn("configuration", { warning });
  return { located, config, dropped_in, failures, log, recent };
}

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
 * Knows the keys, and which are secret, and asks nothing else of them: the section of a plugin that
 * is left out.
 */
const emptied = (config: Plugin["config"]): Plugin["config"] =>
  Type.Object(
    Object.fromEntries(
      Object.entries(config.properties as Record<string, { kind?: string }>).map(
        ([key, { kind }]) => [key, Type.Optional(kind === "secret" ? Secret() : Type.Any())],
      ),
    ),
  );

export interface Assembled {
  readonly host: Host;
  readonly store: Store;
  readonly files: FileStore;
  close(): Promise<void>;
}

/** Opens the data directory and sets every plugin up; nothing runs yet. */
export async function assemble(
  setting: Setting,
  built_in: readonly Plugin[],
  isolate: IsolatedRun,
  public_url: () => string,
  beforeMigration?: () => Promise<void>,
): Promise<Assembled> {
  const { data } = setting.located;
  const paths = {
    data,
    database: join(data, "dossier.db"),
    temporary: join(data, "tmp"),
    backups: join(data, "backups"),
  };
  openDataDirectory(data);
  const store = new SqliteStore(paths.database, { log: setting.log });
  try {
    const files = new FileStore(join(data, "files"));
    const host = await createHost({
      built_in,
      dropped_in: setting.dropped_in,
      failures: setting.failures,
      config: setting.config,
      store,
      files,
      clock: systemClock,
      notifier: new LocalNotifier(),
      log: setting.log,
      recent: setting.recent,
      isolate,
      paths,
      public_url,
      beforeMigration,
    });
    return { host, store, files, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What may lie in a data directory before its first start. */
const own = new Set([
  "dossier.toml",
  "plugins",
  "tessdata",
  "secret.key",
  "files",
  "backups",
  "tmp",
]);
/**
 * Something in the directory that a data directory doesn't hold, unless a server was there already.
 */
function strangerIn(data: string): string | undefined {
  const names = readdirSync(data).filter((name) => !name.startsWith(".") && name !== "lost+found");
  return names.some((name) => name.startsWith("dossier."))
    ? undefined
    : names.find((name) => !own.has(name));
}

/**
 * Makes what is missing; only the user of this process may read it. A directory that serves
 * something else is left as it is. @throws ConfigError
 */
export function openDataDirectory(data: string): void {
  const unusable = (why: string): ConfigError =>
    new ConfigError([`The data directory ${data} can't be used: ${why}`]);
  let stranger: string | undefined;
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    stranger = strangerIn(data);
    if (stranger === undefined) {
      chmodSync(data, 0o700);
      for (const below of ["tmp", "backups"]) mkdirSync(join(data, below), { recursive: true });
    }
  } catch (error) {
    throw unusable(
      (error as { code?: string }).code === "EEXIST"
        ? "it is not a directory."
        : error instanceof Error
          ? error.message
          : String(error),
    );
  }
  if (stranger !== undefined)
    throw unusable(
      `it holds other things, such as ${stranger}. Name an empty directory with --data.`,
    );
}
