/**
 * The child process that tries out plugin files: imports them and sets them up on a scratch data
 * directory, reporting each step.
 */
import { readSection } from "../base/config";
import { jsonLog } from "../base/log";
import { LogRing } from "../base/log-ring";
import { originOf, withOrigin } from "../base/origin";
import type { Plugin } from "../plugin/contract";
import { describePlugin } from "../plugin/description";
import { fileStem, importPlugin, importReason, PluginProblems } from "../plugin/loader";
import { PluginDirectory } from "../plugin/plugin-directory";
import { preflight_parent, preflight_scratch, type PreflightMessage } from "../plugin/preflight";
import { assemble, onScratchData } from "./assembly";
import type { Bootstrap } from "./bootstrap";
import { coreSections, locate, type Located } from "./config-sources";
import { disabledPlugins, settingProblems, withStored } from "./plugin-settings";

interface DroppedIn {
  readonly plugin: Plugin;
  readonly file: string;
}

/** Replaces the server's services for a plugin that is tried out. */
const scratch_parts = {
  failures: [],
  skipped: [],
  plugin_files: new PluginDirectory({
    data: "",
    directory: "",
    built_in: [],
    loaded: [],
    tryOut: async () => ({ bad: new Map(), found: new Map() }),
    disablingProblems: () => [],
  }),
  log: jsonLog("error", () => {}),
  recent: new LogRing(),
  flushLog: async () => {},
};

/** The plugin may have printed an unfinished line. */
const send = (message: PreflightMessage): void => {
  process.stdout.write(`\n${JSON.stringify(message)}\n`);
};

/** `--data DIR file…`; prints lines of JSON, read by core/plugin/preflight.ts. */
export async function runPreflight(
  words: readonly string[],
  built_in: readonly Plugin[],
): Promise<void> {
  const [, data = "", ...files] = words;
  endWithParent();
  let located = await locate({ "server.data": data }, process.env);
  // A server survives errors thrown by a plugin's timers.
  process.on("uncaughtException", () => undefined);
  process.on("unhandledRejection", () => undefined);
  const dropped_in: DroppedIn[] = [];
  reportExits(dropped_in);
  for (const file of files) {
    const plugin = await tryImport(file);
    if (plugin) {
      const sources = withStored(located, plugin.section, plugin.config);
      located = { ...located, sources };
    }
    // Invalid settings are reported by the server itself: here they only prevent the set-up.
    if (plugin && hasSettings(plugin, located))
      dropped_in.push({ plugin: reportingPlugin(plugin, file), file });
  }
  const assembled = await assemble(
    scratchBootstrap(dropped_in, built_in, located),
    built_in,
    async () => {
      throw new Error("no task runs while plugins are tried out");
    },
    () => "http://127.0.0.1",
  );
  for (const { name, file, reason } of assembled.host.failures) {
    const failed_plugin = dropped_in.find((plugin) => plugin.file === file);
    if (failed_plugin)
      reportProblems(failed_plugin.file, name, failed_plugin.plugin.version, [reason]);
  }
  for (const { file, runs, description } of assembled.host.described)
    if (runs && file !== null) send({ preflight: "found", file, plugin: description });
  send({ preflight: "end" });
  await assembled.close();
}

function endWithParent(): void {
  const url = Bun.isStandaloneExecutable
    ? "./core/cli/parent-worker.ts"
    : new URL("./parent-worker.ts", import.meta.url).href;
  new Worker(url, { argv: [process.env[preflight_parent]] }).unref();
}

const reportProblems = (
  file: string,
  name: string,
  version: string | null,
  problems: readonly string[],
): void => send({ preflight: "bad", file, name, version, problems });

async function tryImport(file: string): Promise<Plugin | null> {
  send({ preflight: "at", file, doing: "import" });
  try {
    const plugin = await withOrigin({ plugin: file }, () => importPlugin(file));
    send({ preflight: "found", file, plugin: describePlugin(plugin, null) });
    return plugin;
  } catch (error) {
    if (error instanceof PluginProblems)
      reportProblems(file, error.plugin.name, error.plugin.version, error.problems);
    else reportProblems(file, fileStem(file), null, [importReason(file, error)]);
    return null;
  } finally {
    send({ preflight: "past", file });
  }
}

function hasSettings({ section, config }: Plugin, { sources }: Located): boolean {
  return settingProblems(section, config, sources).length === 0;
}

/** The plugin, wrapped to report when its code runs. */
const reportingPlugin = (plugin: Plugin, file: string): Plugin => ({
  ...plugin,
  setup: async (ctx) => {
    send({ preflight: "at", file, doing: "set-up" });
    try {
      return (await plugin.setup(ctx)) as never;
    } finally {
      send({ preflight: "past", file });
    }
  },
});

/** Reports which plugin ends the process: another one may be running meanwhile. */
function reportExits(dropped_in: readonly DroppedIn[]): void {
  const exit = process.exit.bind(process);
  process.exit = ((code?: number): never => {
    const { plugin: origin } = originOf();
    const file = dropped_in.find(({ plugin }) => plugin.name === origin)?.file ?? origin;
    if (file !== undefined)
      reportProblems(file, fileStem(file), null, [
        `it ended the process: process.exit(${code ?? ""})`,
      ]);
    return exit(code);
  }) as typeof process.exit;
}

function scratchBootstrap(
  dropped_in: readonly DroppedIn[],
  built_in: readonly Plugin[],
  located: Located,
): Bootstrap {
  const { sources } = located;
  const sections = new Map([
    ...dropped_in.map(({ plugin }) => [plugin.section, plugin.config] as const),
    // A plugin that claims what belongs to another does not get it.
    ...built_in.map((plugin) => [plugin.section, plugin.config] as const),
    ...coreSections,
  ]);
  const values = Object.fromEntries(
    [...sections].map(([section, schema]) => [
      section,
      readSection(section, schema, sources).values,
    ]),
  );
  const boot: Bootstrap = {
    located,
    config: { values, settings: [], warnings: [], sections, sources },
    dropped_in,
    ...scratch_parts,
    disabled: disabledPlugins(located, built_in, false).disabled,
  };
  return onScratchData(boot, process.env[preflight_scratch]!);
}
