/** The health of running plugins: what they report, and the faults recorded in them. */
import { settlesWithin } from "../lib/timeout";
import type { PluginFaults } from "./faults";

type Health = "ok" | { readonly failing: string };
/** A plugin that does not work, and why. */
export interface Failing {
  readonly plugin: string;
  readonly failing: string;
}

const health_ms_max = 2_000;
const timeout_report = {
  failing: `Error: its health check took longer than ${health_ms_max / 1_000} s`,
};

/** Those that fail, each once. */
export async function failingPlugins(
  running: readonly { readonly name: string; readonly health?: () => Promise<unknown> }[],
  faults: PluginFaults,
): Promise<Failing[]> {
  const reports_by_plugin = new Map<string, Health>();
  const reports = running.map(async ({ name, health }) => {
    if (!health) return;
    reports_by_plugin.set(name, timeout_report);
    try {
      const state: unknown = await health();
      if (isHealth(state)) reports_by_plugin.set(name, state);
      else {
        reports_by_plugin.delete(name);
        faults.note({ plugin: name, what: "its health" }, new Error(invalid_report));
      }
    } catch (error) {
      reports_by_plugin.set(name, { failing: String(error) });
    }
  });
  await settlesWithin(Promise.all(reports), health_ms_max);
  const reasons = new Map<string, string[]>();
  const add = (plugin: string, reason: string): void => {
    reasons.set(plugin, [...(reasons.get(plugin) ?? []), reason]);
  };
  for (const [plugin, health] of reports_by_plugin)
    if (health !== "ok") add(plugin, health.failing);
  for (const { plugin, failing } of faults.failing()) add(plugin, failing);
  return [...reasons].map(([plugin, plugin_reasons]) => ({
    plugin,
    failing: plugin_reasons.join("; "),
  }));
}

const invalid_report = `it answers neither "ok" nor { failing: "why" }`;
const isHealth = (value: unknown): value is Health =>
  value === "ok" ||
  typeof (value as { failing?: unknown } | null | undefined)?.failing === "string";
