/**
 * Records faults in the code of dropped-in plugins while the server runs: logs and reports them.
 */
import { rfc3339, type Clock } from "../base/clock";
import { HttpError } from "../base/errors";
import { errorFields, type Log } from "../base/log";
import { isStorageFault } from "../store/storage-errors";
import type { CodeLabel } from "./running-code";

/** How long after its last fault a plugin counts as failing. */
const failing_ms = 10 * 60_000;
/** The minimum interval between log lines about the same place. */
const log_every_ms = 60_000;

interface Fault {
  count: number;
  at_ms: number;
  logged_at_ms: number;
  message: string;
}

/** The recent faults of each plugin, in the memory of this process. */
export class PluginFaults {
  /** By plugin, then by place. */
  private readonly faults = new Map<string, Map<string, Fault>>();
  private readonly lasting_reasons = new Map<string, string>();

  constructor(
    private readonly log: Log,
    private readonly clock: Pick<Clock, "now_ms">,
  ) {}

  /** A fault in this part of a plugin. Logged at most once a minute for each part. */
  note({ plugin, what }: CodeLabel, error: unknown): void {
    const now_ms = this.clock.now_ms();
    const places = this.faults.get(plugin) ?? new Map<string, Fault>();
    this.faults.set(plugin, places);
    const fault = places.get(what) ?? { count: 0, at_ms: 0, logged_at_ms: -Infinity, message: "" };
    places.set(what, fault);
    fault.count++;
    fault.at_ms = now_ms;
    fault.message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (Math.abs(now_ms - fault.logged_at_ms) < log_every_ms) return;
    fault.logged_at_ms = now_ms;
    this.log.error("a plugin failed", { plugin, what, times: fault.count, ...errorFields(error) });
  }

  /** Reported until the server ends. */
  noteLasting(plugin: string, reason: string): void {
    this.lasting_reasons.set(plugin, reason);
  }

  /** Each failing plugin, and why. */
  failing(): { readonly plugin: string; readonly failing: string }[] {
    const now_ms = this.clock.now_ms();
    const failing_plugins = [...this.lasting_reasons].map(([plugin, failing]) => ({
      plugin,
      failing,
    }));
    for (const [plugin, places] of this.faults)
      for (const [what, { count, at_ms, message }] of places)
        if (Math.abs(now_ms - at_ms) < failing_ms)
          failing_plugins.push({
            plugin,
            failing:
              `${what} failed${count > 1 ? ` ${count} times` : ""}, last at ` +
              `${rfc3339(at_ms)}: ${message}`,
          });
    return failing_plugins;
  }
}

const standard_errors: ReadonlySet<unknown> = new Set([
  Error,
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
]);

/**
 * Whether an error means that the code of the plugin is wrong. Errors with a class of their own are
 * part of the contract (`HttpError`, `SourceFailure`), and a full disk is nobody's fault.
 */
export function isFault(error: unknown): boolean {
  if (error instanceof HttpError || isStorageFault(error)) return false;
  if (!(error instanceof Error)) return true;
  if (error.name === "AbortError" || error.name === "TimeoutError") return false;
  return standard_errors.has(error.constructor) || error.name === "SQLiteError";
}
