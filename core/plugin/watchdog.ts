/**
 * Ends the process, for its supervisor to start it again, when the code of a plugin keeps the event
 * loop from turning: a thread of its own sees it, and names the plugin.
 */
import type { RunningCode, WatchdogMessage } from "./running-code";

export interface WatchdogOptions {
  readonly code: RunningCode;
  readonly limit_ms: number;
  /** The data directory: the next start finds there how this one ended. */
  readonly data: string;
}

/** So many looks make the limit; the event loop gives as many signs of life. */
const looks = 20;
const look_ms_min = 10;
const look_ms_max = 1_000;

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
    code.tellLabels((label) => send({ kind: "label", label }));
    code.beat();
    this.beating = setInterval(() => code.beat(), look_ms / 2);
    this.beating.unref();
  }

  stop(): void {
    clearInterval(this.beating);
    this.worker.terminate();
  }
}
