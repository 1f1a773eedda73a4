/**
 * What plugins may do to the whole process, told with their names: they end it, or throw where
 * nobody catches.
 */
import { writeSync } from "node:fs";
import { rfc3339, systemClock } from "../base/clock";
import { errorFields } from "../base/log";
import { originOf } from "../base/origin";
import { writeLastEnd } from "./last-end";
import type { RunningCode } from "./running-code";

const standard_error = 2;

/**
 * From now on `process.exit` in the code of a plugin is told in the log, and at the next start; the
 * exit code is never 0 then, which a supervisor would take for the end of all work.
 */
export function watchExits(data: string, code_of_plugins: RunningCode): void {
  const exit = process.exit.bind(process);
  process.exit = ((code?: number | string | null): never => {
    const { plugin } = originOf();
    if (plugin === undefined) return exit(code);
    const how = `it ended the server by process.exit(${code ?? ""})`;
    const at = rfc3339(systemClock.now_ms());
    const what = code_of_plugins.underWay(plugin)[0]?.what ?? "its code";
    writeLastEnd(data, { plugin, what, how, at });
    const stack = errorFields(new Error("process.exit"));
    const message = `the plugin ${plugin} ends the server by process.exit`;
    try {
      writeSync(
        standard_error,
        `${JSON.stringify({ time: at, level: "error", message, plugin, what, ...stack })}\n`,
      );
    } catch {
      // Nobody reads it: the next start tells.
    }
    return exit(Number(code) || 1);
  }) as typeof process.exit;
}

/** The timers that plugins set: what they call is marked as theirs. */
export function watchTimers(code: RunningCode): void {
  const timers = ["setTimeout", "setInterval", "setImmediate"] as const;
  for (const name of timers) {
    const set = globalThis[name] as (...args: any[]) => unknown;
    const watched = (work: unknown, ...rest: unknown[]): unknown => {
      const { plugin } = originOf();
      if (plugin === undefined || typeof work !== "function") return set(work, ...rest);
      const marked = code.marked({ plugin, what: "a timer of its own" });
      return set((...args: unknown[]) => marked(() => work(...args) as unknown), ...rest);
    };
    // `util.promisify` finds its own form of a timer there.
    Object.defineProperties(watched, Object.getOwnPropertyDescriptors(set));
    (globalThis as Record<string, unknown>)[name] = watched;
  }
}

/** The plugin that an error comes from which nobody caught; undefined when that can't be told. */
export function pluginOf(
  error: unknown,
  dropped_in: readonly { readonly plugin: { readonly name: string }; readonly file: string }[],
): string | undefined {
  const { plugin } = originOf();
  if (plugin !== undefined) return plugin;
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return dropped_in
    .map(({ plugin: { name }, file }) => ({ name, at: stack.indexOf(file) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0]?.name;
}
