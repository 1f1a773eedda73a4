/** Plugins as the server lists them, and the calls for them. */
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import type { TagTone } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { plugin_strings as strings } from "../../strings/plugins";

export type Plugins = Answer<"listPlugins">;
export type Plugin = Plugins["data"][number];
export type PluginDetails = Answer<"getPlugin">;

/** The colour of a plugin's state. */
export const tones: Readonly<Record<Plugin["status"], TagTone>> = {
  loaded: "ok",
  failing: "warn",
  left_out: "bad",
  disabled: "plain",
  not_loaded: "run",
};

/** The queries to refetch after a change of plugins. */
export const refreshPlugins = (): Promise<unknown> => refresh(...keys.plugins, ...keys.system);

/** Enables a plugin at the next start; both outcomes are shown as a toast. */
export async function enable({ name }: Pick<Plugin, "name">): Promise<void> {
  try {
    await api(`/plugins/${name}/enable`, { method: "POST" });
    toast({ text: strings.enabled(name) });
  } catch (error) {
    toastError(error);
  }
  await refreshPlugins();
}
/** Disables a plugin at the next start. @throws ApiProblem */
export async function disable({ name }: Pick<Plugin, "name">): Promise<void> {
  await api(`/plugins/${name}/disable`, { method: "POST" });
  toast({ text: strings.disabled(name) });
  await refreshPlugins();
}
/** Deletes the file of a plugin, which runs until the next start. @throws ApiProblem */
export async function remove({ name }: Pick<Plugin, "name">): Promise<void> {
  await api(`/plugins/${name}`, { method: "DELETE" });
  toast({ text: strings.removed(name) });
  await refreshPlugins();
}

/** Whether it will be loaded at the next start. */
export const isEnabledNext = ({ status, next_start }: Plugin): boolean =>
  status === "disabled" ? next_start === "enabled" : next_start !== "disabled";
