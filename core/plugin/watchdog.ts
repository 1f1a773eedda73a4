/**
 * Ends the process, for its supervisor to restart it, when the code of a plugin blocks the event
 * loop: a separate thread notices it and names the plugin.
 */
import type { RunningCode, WatchdogMessage } from "./running-code";

/** How long plugins may block the event loop. */
export interface WatchdogOptions {
  readonly code: RunningCode;
  readonly limit_ms: number;
  /** The data directory, where the next start finds how this process ended. */
  readonly data: string;
}

/** The number of checks within the limit; the event loop signals as often. */
const looks = 20;
const look_ms_min = 10;
const look_ms_max = 1_000;

/** Watches from its construction until `stop`. */
export class Watchdog {
  private readonly beating: ReturnType<typeof setInterval>;
  private readonly worker: Worker;

  constructor({ code, limit_ms, data }: WatchdogOptions) {
    const look_ms = Math.min(look_ms_max, Math.max(look_ms_min, Math.round(limit_ms / looks)));
    const url = Bun.isStandaloneExecutable
      ? "./core/plugin/watchdog-worker.ts"
      : new URL("./watchdog-worker.ts", import.meta.url).href;
    this.worker = new Worker(url);
    this.worker.unref();
    const send = (message: WatchdogMessage): void => this.worker.postMessage(message);
    const { shared, labels } = code;
    send({ kind: "begin", shared, labels: [...labels], limit_ms, look_ms, data });
    code.reportLabels((label) => send({ kind: "label", label }));
    code.beat();
    this.beating = setInterval(() => code.beat(), look_ms / 2);
    this.beating.unref();
  }

  /** Ends the thread. */
  stop(): void {
    clearInterval(this.beating);
    this.worker.terminate();
  }
}
