/** `dossier plugin list`: every plugin, and why it is left out, disabled or failing. */
import { serverOn } from "../base/server-address";
import type { Plugin } from "../plugin/contract";
import { order } from "../plugin/order";
import type { Bootstrap } from "./bootstrap";
import { bootstrapBy, type ProgramOptions } from "./command-options";
import type { Flags } from "./config-sources";
import { reserved } from "./reserved-claims";

/** A plugin as `--json` prints it. */
export interface PluginRow {
  readonly name: string;
  readonly version: string | null;
  readonly built_in: boolean;
  readonly file: string | null;
  readonly status: "loaded" | "failing" | "disabled" | "left out";
  readonly reason: string | null;
}

const answer_ms_max = 3_000;

/** Prints the list, as one JSON array when `json` is set. */
export async function printPlugins(
  flags: Flags,
  json: boolean,
  options: ProgramOptions,
): Promise<void> {
  const boot = await bootstrapBy(options, flags, "error");
  const rows = await withRunningServer(pluginRows(boot, options.built_in), boot);
  if (json) return options.print(JSON.stringify(rows));
  for (const { name, version, built_in, file, status, reason } of rows)
    options.print(
      [
        name.padEnd(20),
        (version ?? "-").padEnd(8),
        status.padEnd(8),
        built_in ? "built in" : file,
        reason ?? "",
      ]
        .join("  ")
        .trimEnd(),
    );
  options.print(
    boot.dropped_in.length + boot.failures.length + boot.skipped.length === 0
      ? `No plugin files in ${boot.located.plugins}.`
      : `Plugin files are read from ${boot.located.plugins}.`,
  );
}

/** Built-in plugins first, those that are left out last. */
function pluginRows(boot: Bootstrap, built_in: readonly Plugin[]): PluginRow[] {
  const dropped_in = new Map(boot.dropped_in.map(({ plugin, file }) => [plugin, file]));
  const { sorted, refused, off } = order([...built_in, ...dropped_in.keys()], {
    ...boot,
    reserved,
  });
  const row = (plugin: Plugin, status: PluginRow["status"], reason: string | null): PluginRow => ({
    name: plugin.name,
    version: plugin.version,
    built_in: !dropped_in.has(plugin),
    file: dropped_in.get(plugin) ?? null,
    status,
    reason,
  });
  return [
    ...sorted.map((plugin) => row(plugin, "loaded", null)),
    ...off.map(({ plugin, reason }) => row(plugin, "disabled", reason)),
    ...boot.skipped.map((plugin) => ({ ...plugin, status: "disabled" as const })),
    ...refused.map(({ plugin, reason }) => row(plugin, "left out", reason)),
    ...boot.failures.map(({ name, file, reason }) => ({
      name,
      version: null,
      built_in: false,
      file,
      status: "left out" as const,
      reason,
    })),
  ];
}

/** Adds which plugins fail and why, which only the running server knows. */
async function withRunningServer(rows: PluginRow[], { located }: Bootstrap): Promise<PluginRow[]> {
  const request = serverOn(located.data);
  if (!request) return rows;
  try {
    const answer = await request("/health", { signal: AbortSignal.timeout(answer_ms_max) });
    const { plugins } = (await answer.json()) as { plugins: { name: string; reason: string }[] };
    return rows.map((row) => {
      const failing = row.status === "loaded" && plugins.find(({ name }) => name === row.name);
      return failing ? { ...row, status: "failing", reason: failing.reason } : row;
    });
  } catch {
    // A crash leaves its address behind: nothing answers there.
    return rows;
  }
}
