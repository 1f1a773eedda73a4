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
 * From now on it is told in the log, and at the next start, when the code of a plugin ends the
 * process; the exit code is never 0 then, which a supervisor would take for the end of all work.
 */
export function watchExits(data: string, code: RunningCode): void {
  const { exit, abort, kill } = process;
  process.exit = ((given?: number | string | null): never => {
    const is_told = tellEnd(data, code, `process.exit(${given ?? ""})`);
    return exit.call(process, is_told ? Number(given) || 1 : given);
  }) as typeof process.exit;
  process.abort = ((): never => {
    tellEnd(data, code, "process.abort()");
    return abort.call(process);
  }) as typeof process.abort;
  process.kill = ((pid: number, signal?: string | number): true => {
    // Signal 0 only asks whether it is there.
    if (pid === process.pid && signal !== 0) tellEnd(data, code, `process.kill(${signal ?? ""})`);
    return kill.call(process, pid, signal);
  }) as typeof process.kill;
}

/** Whether it is a plugin that ends the process. */
function tellEnd(data: string, code: RunningCode, call: string): boolean {
  const { plugin } = originOf();
  if (plugin === undefined) return false;
  const at = rfc3339(systemClock.now_ms());
  const what = code.underWay(plugin)[0]?.what ?? "its code";
  writeLastEnd(data, { plugin, what, how: `it ended the server by ${call}`, at });
  const message = `the plugin ${plugin} ends the server by ${call}`;
  const fields = { time: at, level: "error", message, plugin, what };
  try {
    const line = JSON.stringify({ ...fields, ...errorFields(new Error(call)) });
    writeSync(standard_error, `${line}\n`);
  } catch {
    // Nobody reads it: the next start tells.
  }
  return true;
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
