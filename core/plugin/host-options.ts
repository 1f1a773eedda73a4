/** The options of a host. */
import type { LogRing } from "../base/log-ring";
import type { MigrateOptions } from "../store/migrator";
import type { ContextSources } from "./context";
import type { Plugin } from "./contract";
import type { PluginFailure, PluginOff } from "./operations";
import type { PluginFiles } from "./plugin-files";

/** What a host is made of: plugins, the database, files, and the process itself. */
export interface HostOptions extends Omit<
  ContextSources,
  "sealed" | "operations" | "queue" | "slots" | "services" | "settings" | "paths"
> {
  /** Part of the executable: a problem in one of them stops the start. */
  readonly built_in: readonly Plugin[];
  /** From the plugins directory: one with a problem is left out. */
  readonly dropped_in: readonly { readonly plugin: Plugin; readonly file: string }[];
  /** Files of the plugins directory that could not be loaded. */
  readonly failures: readonly PluginFailure[];
  readonly plugin_files: PluginFiles;
  /** Names of plugins that must not be set up. */
  readonly disabled: readonly string[];
  /** Files of disabled plugins, which were not even loaded. */
  readonly skipped: readonly PluginOff[];
  /** Claims of the host itself, see `order`. */
  readonly reserved: readonly string[];
  readonly recent: LogRing;
  readonly paths: ContextSources["paths"] & { readonly backups: string };
  /** Called before tables are changed; throws to prevent it. */
  readonly beforeMigration?: MigrateOptions["before"];
}
