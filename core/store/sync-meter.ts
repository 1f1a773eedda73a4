/** Measures how long the storage takes to make a commit durable, and says when it is slow. */
import type { Log } from "../base/log";

/** It is slow when half of the commits take at least this long. */
const slow_ms = 500;
const window_ms = 60_000;
const samples_max = 256;
/** With fewer, nothing is reported. */
const commits_min = 4;

/** Learns how long each commit took, and logs when the storage becomes slow and when that ends. */
export class SyncMeter {
  /** The newest commits, in a ring: when they ended, and how long they took. */
  private readonly ended_ms = new Float64Array(samples_max).fill(-Infinity);
  private readonly took_ms = new Float32Array(samples_max);
  private count = 0;
  /** When a commit last took long: without one, nothing needs to be computed. */
  private last_slow_ms = -Infinity;
  private was_slow = false;

  constructor(
    private readonly log: Log,
    private readonly now_ms: () => number = () => performance.now(),
  ) {}

  /** A commit took this long, milliseconds. */
  note(took_ms: number): void {
    const index = this.count++ % samples_max;
    this.ended_ms[index] = this.now_ms();
    this.took_ms[index] = took_ms;
    if (took_ms >= slow_ms) this.last_slow_ms = this.now_ms();
    if (this.was_slow || took_ms >= slow_ms) this.slowness();
  }

  /** A sentence while the storage is slow, according to the last minute; otherwise null. */
  slowness(): string | null {
    const since_ms = this.now_ms() - window_ms;
    if (!this.was_slow && this.last_slow_ms < since_ms) return null;
    const durations_ms = this.took_ms
      .filter((_, index) => this.ended_ms[index]! >= since_ms)
      .sort();
    const commits = durations_ms.length;
    const median_ms = Math.round(durations_ms[commits >> 1] ?? 0);
    const longest_ms = Math.round(durations_ms.at(-1) ?? 0);
    const is_slow = commits >= commits_min && median_ms >= slow_ms;
    if (is_slow !== this.was_slow) {
      this.was_slow = is_slow;
      if (is_slow) this.log.warn("the storage is slow", { commits, median_ms, longest_ms });
      else this.log.info("the storage is no longer slow", { commits, median_ms, longest_ms });
    }
    if (!is_slow) return null;
    return (
      `The storage is slow: of the last ${commits} commits half took ${seconds(median_ms)} s or ` +
      `longer, the longest ${seconds(longest_ms)} s.`
    );
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
