/**
 * The child process that tries plugin files out: imports and sets them up on a scratch data
 * directory, saying where it is.
 */
import { readSection } from "../base/config";
import { jsonLog } from "../base/log";
import { LogRing } from "../base/log-ring";
import { requireValidSchemas, type MountedRoute } from "../http/compiled-route";
import type { Plugin } from "../plugin/define";
import { describePlugin } from "../plugin/description";
import { importPlugin, reasonOf } from "../plugin/load";
import { PluginDirectory } from "../plugin/plugin-directory";
import { preflight_scratch, type PreflightMessage } from "../plugin/preflight";
import { assemble } from "./assembly";
import { disabledPlugins } from "./plugin-settings";
import { coreSections, locate } from "./config-sources";

/** What a plugin that is tried out finds in place of a server's. */
const nothing = {
  failures: [],
  skipped: [],
  plugin_files: new PluginDirectory({
    ...{ data: "", directory: "", built_in: [], loaded: [] },
    tryOut: async () => ({ bad: new Map(), found: new Map() }),
    disablingProblems: () => [],
  }),
  log: jsonLog("error", () => {}),
  recent: new LogRing(),
  flushLog: async () => {},
};

/** `--data DIR file…`; lines of JSON on standard output, read by core/plugin/preflight.ts. */
export async function runPreflight(
  words: readonly string[],
  built_in: readonly Plugin[],
): Promise<void> {
  const say = (message: PreflightMessage) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const [, data = "", ...files] = words;
  const located = locate({ "server.data": data }, process.env);
  const dropped_in: { plugin: Plugin; file: string }[] = [];
  for (const file of files) {
    say({ preflight: "at", file, doing: "import" });
    try {
      const plugin = await importPlugin(file);
      for (const route of Object.values(plugin.routes as Plugin["routes"]))
        requireValidSchemas(route as MountedRoute["route"]);
      say({ preflight: "found", file, plugin: describePlugin(plugin, null) });
      const wrapped: Plugin = {
        ...plugin,
        setup: (ctx) => {
          say({ preflight: "at", file, doing: "set-up" });
          return plugin.setup(ctx);
        },
      };
      // Wrong settings are reported by the server itself: here they only prevent the set-up.
      if (readSection(plugin.section, plugin.config, located.sources).problems.length === 0)
        dropped_in.push({ plugin: wrapped, file });
    } catch (error) {
      say({ preflight: "bad", file, reason: reasonOf(error) });
    }
  }
  const scratch = process.env[preflight_scratch]!;
  const sections = new Map([
    ...coreSections,
    ...[...built_in, ...dropped_in.map(({ plugin }) => plugin)].map(
      (plugin) => [plugin.section, plugin.config] as const,
    ),
  ]);
  const { sources } = located;
  const values = Object.fromEntries(
    [...sections].map(([section, schema]) => [
      section,
      readSection(section, schema, sources).values,
    ]),
  );
  const boot = {
    located: { ...located, data: scratch },
    config: { values, settings: [], warnings: [], sections, sources },
    dropped_in,
    ...nothing,
    disabled: disabledPlugins(located, built_in, false).disabled,
  };
  const assembled = await assemble(
    boot,
    built_in,
    async () => {
      throw new Error("no task runs while plugins are tried out");
    },
    () => "http://127.0.0.1",
  );
  for (const { file, reason } of assembled.host.failures)
    if (file !== null) say({ preflight: "bad", file, reason });
  for (const { file, runs, description } of assembled.host.described)
    if (runs || file === null)
      say({ preflight: "found", file: file ?? description.name, plugin: description });
  say({ preflight: "end" });
  await assembled.close();
}
