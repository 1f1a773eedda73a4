/**
 * The time taken by a run in a child process, without the time in which the machine gave it no
 * processor: a file must not fail because the machine is busy.
 */
import { readFileSync } from "node:fs";

/**
 * The minimum share of its wall-clock time that a run is charged, so that nothing runs for ever.
 */
const charged_share_min = 1 / 20;

/** The time of one run. */
export interface RunClock {
  /** Milliseconds since the run began. */
  now_ms(): number;
  /** Calls `late` when the run has taken this much longer. Returns a function that cancels it. */
  after(timeout_ms: number, onTimeout: () => void): () => void;
}

/** How often to look whether a paused run continues. */
const paused_check_ms = 100;

/** The clock of a run that began when it was constructed. */
export class ProcessClock implements RunClock {
  private readonly begun_ms: number;
  private readonly waited_before_ms: number;
  /** The last known value: a process that has ended waits no more. */
  private waited_ms = 0;
  private paused_ms = 0;
  /** Set while the run is paused. */
  private paused_since_ms: number | null = null;

  /** `waitedMs` and `wallMs` exist for tests. */
  constructor(
    private readonly pid: number,
    private readonly waitedMs: (pid: number) => number | null = processorWaitMs,
    private readonly wallMs: () => number = () => performance.now(),
  ) {
    this.begun_ms = wallMs();
    this.waited_before_ms = waitedMs(pid) ?? 0;
  }

  /** Until `resume`, no time passes. */
  pause(): void {
    this.paused_since_ms ??= this.wallMs();
  }

  resume(): void {
    if (this.paused_since_ms === null) return;
    this.paused_ms += this.wallMs() - this.paused_since_ms;
    this.paused_since_ms = null;
  }

  now_ms(): number {
    const until_ms = this.paused_since_ms ?? this.wallMs();
    const passed_ms = until_ms - this.begun_ms - this.paused_ms;
    const waited_ms = this.waitedMs(this.pid);
    if (waited_ms !== null) this.waited_ms = waited_ms - this.waited_before_ms;
    return Math.max(passed_ms - this.waited_ms, passed_ms * charged_share_min);
  }

  after(timeout_ms: number, onTimeout: () => void): () => void {
    const ends_ms = this.now_ms() + timeout_ms;
    const check = (): void => {
      const left_ms = ends_ms - this.now_ms();
      const wait_ms_min = this.paused_since_ms === null ? 0 : paused_check_ms;
      if (left_ms > 0) timer = setTimeout(check, Math.max(Math.ceil(left_ms), wait_ms_min));
      else onTimeout();
    };
    let timer = setTimeout(check, timeout_ms);
    return () => clearTimeout(timer);
  }
}

/**
 * How long the main thread of a process was ready to run without a processor; null when the process
 * is gone, or on systems other than Linux.
 */
export function processorWaitMs(pid: number): number | null {
  try {
    const [, waited_ns] = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ");
    return Number(waited_ns) / 1e6;
  } catch {
    return null;
  }
}
