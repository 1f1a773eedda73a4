/**
 * What the settings decide about plugins before the data directory is opened: which are disabled,
 * and which are left out because their own settings are invalid.
 */
import { Type, type TObject } from "@sinclair/typebox";
import { messageOf } from "../lib/error-message";
import {
  ConfigError,
  hidden,
  readSection,
  stored_origin,
  unknownKeys,
  type ConfigSources,
} from "../base/config";
import { decode } from "../base/setting-decoder";
import { Secret, type SettingSchema } from "../base/settings";
import type { Plugin } from "../plugin/contract";
import { disableable, disablingProblems } from "../plugin/disabled-plugins";
import type { Loaded } from "../plugin/loader";
import type { PluginFailure } from "../plugin/operations";
import { coreSections, type Located } from "./config-sources";

/**
 * According to the setting `plugins.disabled`, including its stored value: the database is not open
 * yet. `strict`: report names that can't be disabled. @throws ConfigError
 */
export function disabledPlugins(
  located: Located,
  built_in: readonly Plugin[],
  strict: boolean,
): { disabled: readonly string[]; warnings: string[] } {
  const section = coreSections.get("plugins")!;
  const read = readSection("plugins", section, withStored(located, "plugins", section));
  const disabled = (read.values.disabled ?? []) as readonly string[];
  const problems = disablingProblems(disabled, built_in);
  if (problems.length === 0) return { disabled, warnings: [] };
  const is_stored = read.settings.some(
    ({ key, origin }) => key === "disabled" && origin === stored_origin,
  );
  // A stored value was valid once: an update must not keep the server from starting.
  if (strict && !is_stored) throw new ConfigError(problems);
  return { disabled: disableable(disabled, built_in), warnings: problems };
}

/**
 * The sources including the usable stored values of a section. Of a secret only its existence is
 * known: its value is read once the database is open.
 */
export function withStored(
  { stored, sources }: Pick<Located, "stored" | "sources">,
  section: string,
  config: Plugin["config"],
): ConfigSources {
  const usable = stored.flatMap(({ setting, value, sealed }): [string, unknown][] => {
    const key = setting.slice(section.length + 1);
    if (!setting.startsWith(`${section}.`) || !Object.hasOwn(config.properties, key)) return [];
    const raw: unknown = sealed === 1 ? hidden : JSON.parse(value);
    return "problem" in decode(raw, config.properties[key] as SettingSchema)
      ? []
      : [[setting, raw]];
  });
  return { ...sources, stored: new Map([...(sources.stored ?? []), ...usable]) };
}

/** The plugins whose settings are valid, and those that are left out. */
export interface CheckedPlugins {
  readonly dropped_in: Loaded["plugins"];
  readonly sections: ReadonlyMap<string, Plugin["config"]>;
  readonly failures: readonly PluginFailure[];
  /** The sections of plugins that are left out. */
  readonly left_out: ReadonlySet<string>;
  /** Including the values stored for dropped-in plugins. */
  readonly sources: ConfigSources;
}

/** Leaves out dropped-in plugins with invalid settings, with the reason. */
export function checkSettings(
  loaded: Loaded,
  built_in: readonly Plugin[],
  located: Located,
): CheckedPlugins {
  let { sources } = located;
  const sections = new Map([
    ...coreSections,
    ...built_in.map((plugin) => [plugin.section, plugin.config] as const),
  ]);
  const failures = [...loaded.failures];
  const of_plugin = loaded.plugins.filter(({ plugin: { section, config } }) => {
    // A plugin that claims what belongs to another loses all its claims, see `order`.
    if (sections.has(section)) return false;
    sections.set(section, config);
    return true;
  });
  const left_out = new Set<string>();
  for (const { plugin, file } of of_plugin) {
    const { section, config, name } = plugin;
    sources = withStored({ ...located, sources }, section, config);
    const problems = [
      ...settingProblems(section, config, sources),
      ...unknownKeys(section, sections, sources),
    ];
    if (problems.length === 0) continue;
    failures.push({ name, file, reason: `its settings are not valid: ${problems.join(" ")}` });
    left_out.add(section);
  }
  for (const { plugin } of of_plugin)
    if (left_out.has(plugin.section)) sections.set(plugin.section, relaxed(plugin, sources));
  const dropped_in = loaded.plugins.filter(({ file }) =>
    failures.every((failure) => failure.file !== file),
  );
  return { dropped_in, sections, failures, left_out, sources };
}

/**
 * The settings accepted for a plugin that is left out: nothing is required while something is
 * missing.
 */
function relaxed({ section, config }: Plugin, sources: ConfigSources): Plugin["config"] {
  const { required: _, ...optional } = config as TObject;
  const is_fine = settingProblems(section, optional as TObject, sources).length === 0;
  return is_fine ? optional : emptied(config);
}

/**
 * A section with the same keys and the same secrets but no other constraint, for a plugin that is
 * left out.
 */
const emptied = (config: Plugin["config"]): Plugin["config"] =>
  Type.Object(
    Object.fromEntries(
      Object.entries(config.properties as Record<string, { kind?: string }>).map(
        ([key, { kind }]) => [key, Type.Optional(kind === "secret" ? Secret() : Type.Any())],
      ),
    ),
  );

/** A schema with which dossier.toml can't be read is the plugin's fault, too. */
export function settingProblems(
  section: string,
  config: Plugin["config"],
  sources: ConfigSources,
): string[] {
  try {
    return readSection(section, config, sources).problems;
  } catch (error) {
    return [messageOf(error)];
  }
}
