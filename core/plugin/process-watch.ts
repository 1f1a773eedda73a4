/**
 * Attributes effects on the whole process to plugins: ending it, or throwing an error that nobody
 * catches.
 */
import { writeSync } from "node:fs";
import { rfc3339, systemClock } from "../base/clock";
import { errorFields } from "../base/log";
import { originOf } from "../base/origin";
import { writeLastExit } from "./last-exit";
import type { RunningCode } from "./running-code";

const standard_error = 2;

/**
 * From now on it is reported, in the log and at the next start, when the code of a plugin ends the
 * process; the exit code is then never 0, which a supervisor would take for a regular end.
 */
export function watchExits(data: string, code: RunningCode): void {
  const { exit, abort, kill } = process;
  process.exit = ((exit_code?: number | string | null): never => {
    const is_noted = noteEnd(data, code, `process.exit(${exit_code ?? ""})`);
    return exit.call(process, is_noted ? Number(exit_code) || 1 : exit_code);
  }) as typeof process.exit;
  process.abort = ((): never => {
    noteEnd(data, code, "process.abort()");
    return abort.call(process);
  }) as typeof process.abort;
  process.kill = ((pid: number, signal?: string | number): true => {
    // Signal 0 only checks whether the process exists.
    if (pid === process.pid && signal !== 0) noteEnd(data, code, `process.kill(${signal ?? ""})`);
    return kill.call(process, pid, signal);
  }) as typeof process.kill;
}

/** Returns whether a plugin is ending the process. */
function noteEnd(data: string, code: RunningCode, call: string): boolean {
  const { plugin } = originOf();
  if (plugin === undefined) return false;
  const at = rfc3339(systemClock.now_ms());
  const what = code.underWay(plugin)[0]?.what ?? "its code";
  writeLastExit(data, { plugin, what, how: `it ended the server by ${call}`, at });
  const message = `the plugin ${plugin} ends the server by ${call}`;
  const fields = { time: at, level: "error", message, plugin, what };
  try {
    const line = JSON.stringify({ ...fields, ...errorFields(new Error(call)) });
    writeSync(standard_error, `${line}\n`);
  } catch {
    // Standard error is closed: the next start reports it.
  }
  return true;
}

/** Wraps the timers that plugins set, so that their callbacks are marked as the plugin's. */
export function watchTimers(code: RunningCode): void {
  const timers = ["setTimeout", "setInterval", "setImmediate"] as const;
  for (const name of timers) {
    const set = globalThis[name] as (...args: any[]) => unknown;
    const watchedTimer = (work: unknown, ...rest_arguments: unknown[]): unknown => {
      const { plugin } = originOf();
      if (plugin === undefined || typeof work !== "function") return set(work, ...rest_arguments);
      const marked = code.marked({ plugin, what: "a timer of its own" });
      return set((...args: unknown[]) => marked(() => work(...args) as unknown), ...rest_arguments);
    };
    // `util.promisify` looks up its own variant of a timer there.
    Object.defineProperties(watchedTimer, Object.getOwnPropertyDescriptors(set));
    (globalThis as Record<string, unknown>)[name] = watchedTimer;
  }
}

/** The plugin that caused an uncaught error; undefined when unknown. */
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
