/** Which plugins must not be set up, according to the setting `plugins.disabled`. */
import type { Plugin } from "./contract";
import { nearestHint } from "../base/nearest-word";
import { inWords, namesNeeding } from "./order";

const disabled_setting = "plugins.disabled";
export { disabled_reason } from "./order";

/** Why these names can't all be disabled: other built-in plugins need them. */
export function disablingProblems(names: readonly string[], built_in: readonly Plugin[]): string[] {
  const enabled = built_in.filter(({ name }) => !names.includes(name));
  return built_in.flatMap((plugin) => {
    if (!names.includes(plugin.name)) return [];
    const needing = namesNeeding(plugin, enabled);
    return needing.length === 0
      ? []
      : `${disabled_setting}: the plugin ${plugin.name} can't be disabled: ` +
          `${inWords(needing)} ${needing.length === 1 ? "needs" : "need"} it.`;
  });
}

/** The names that can be disabled together. */
export function disableable(
  names: readonly string[],
  built_in: readonly Plugin[],
): readonly string[] {
  const candidates = names.filter((name) => {
    const plugin = built_in.find((plugin) => plugin.name === name);
    const enabled = built_in.filter((plugin) => !names.includes(plugin.name));
    return plugin === undefined || namesNeeding(plugin, enabled).length === 0;
  });
  return candidates.length === names.length ? candidates : disableable(candidates, built_in);
}

/**
 * A sentence for each name that no plugin has. `plugin_names`: those of every plugin, and of files
 * that did not load.
 */
export const unknownDisabled = (
  names: readonly string[],
  plugin_names: readonly string[],
): string[] =>
  names
    .filter((name) => !plugin_names.includes(name))
    .map(
      (name) =>
        `${disabled_setting}: there is no plugin ${name}${nearestHint(name, plugin_names)}.`,
    );
