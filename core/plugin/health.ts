/** The health of running plugins: what they report, and the faults recorded in them. */
import { settlesWithin } from "../lib/timeout";
import type { PluginFaults } from "./faults";

type Health = "ok" | { readonly failing: string };
export interface Failing {
  readonly plugin: string;
  readonly failing: string;
}

const health_ms_max = 2_000;
const late = { failing: `Error: its health check took longer than ${health_ms_max / 1_000} s` };

/** Those that fail, each once. */
export async function failingPlugins(
  running: readonly { readonly name: string; readonly health?: () => Promise<unknown> }[],
  faults: PluginFaults,
): Promise<Failing[]> {
  const found = new Map<string, Health>();
  const reports = running.map(async ({ name, health }) => {
    if (!health) return;
    found.set(name, late);
    try {
      const state: unknown = await health();
      if (isHealth(state)) found.set(name, state);
      else {
        found.delete(name);
        faults.note({ plugin: name, what: "its health" }, new Error(odd));
      }
    } catch (error) {
      found.set(name, { failing: String(error) });
    }
  });
  await settlesWithin(Promise.all(reports), health_ms_max);
  const reasons = new Map<string, string[]>();
  const add = (plugin: string, reason: string): void => {
    reasons.set(plugin, [...(reasons.get(plugin) ?? []), reason]);
  };
  for (const [plugin, health] of found) if (health !== "ok") add(plugin, health.failing);
  for (const { plugin, failing } of faults.failing()) add(plugin, failing);
  return [...reasons].map(([plugin, all]) => ({ plugin, failing: all.join("; ") }));
}

const odd = `it answers neither "ok" nor { failing: "why" }`;
const isHealth = (value: unknown): value is Health =>
  value === "ok" ||
  typeof (value as { failing?: unknown } | null | undefined)?.failing === "string";
