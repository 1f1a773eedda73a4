/**
 * Handles plugins that block the server, end it, or throw where nobody catches: names them, now and
 * at the next start.
 */
import { errorFields } from "../base/log";
import type { Host } from "../plugin/host";
import { takeLastExit, type LastExit } from "../plugin/last-exit";
import { pluginOf, watchExits, watchTimers } from "../plugin/process-watch";
import { Watchdog } from "../plugin/watchdog";
import type { Bootstrap } from "./bootstrap";

/** Watches the code of dropped-in plugins until it is stopped. */
export interface PluginWatch {
  /** Records an uncaught error. */
  noteUncaught(message: string, error: unknown): void;
  stop(): void;
}

/** How the last run ended, if a plugin ended it; logs it. */
export function readLastExit({ located, log }: Bootstrap): LastExit | null {
  const end = takeLastExit(located.data);
  if (end) log.error("the server was last ended by the code of a plugin", end);
  return end;
}

/**
 * Leaves out the plugin that ended the last run before it could serve anybody, because it would do
 * so again. Only once: it is tried again at the start after this one.
 */
export function withoutFailedPlugin(boot: Bootstrap, end: LastExit | null): Bootstrap {
  const culprit = boot.dropped_in.find(({ plugin }) => plugin.name === end?.plugin);
  if (!end || !culprit || end.what !== "its start") return boot;
  const reason = `at the last start ${end.how}. It is left out this time only`;
  return {
    ...boot,
    dropped_in: boot.dropped_in.filter((plugin) => plugin !== culprit),
    failures: [...boot.failures, { name: culprit.plugin.name, file: culprit.file, reason }],
  };
}

/** Call before the plugins are started. Does nothing without dropped-in plugins. */
export function watchPlugins(boot: Bootstrap, host: Host, end: LastExit | null): PluginWatch {
  const { dropped_in, log, located, config } = boot;
  const { code, faults } = host;
  if (end && dropped_in.some(({ plugin }) => plugin.name === end.plugin))
    faults.noteLasting(end.plugin, `at ${end.at} ${end.how}`);
  const noteUncaught = (message: string, error: unknown): void => {
    const plugin = pluginOf(error, dropped_in);
    if (plugin === undefined) return log.error(message, errorFields(error));
    faults.note({ plugin, what: "something in the background" }, error);
  };
  if (dropped_in.length === 0) return { noteUncaught, stop: () => undefined };
  watchExits(located.data, code);
  watchTimers(code);
  const limit_ms = config.values.plugins!.stall_limit as number;
  const watchdog = new Watchdog({ code, limit_ms, data: located.data });
  return { noteUncaught, stop: () => watchdog.stop() };
}
