/**
 * Detects when the event loop is blocked and logs what was running meanwhile. It checks the clock
 * forty times a second while there is work, otherwise once a second.
 */
import type { Log } from "./log";
import { withoutOrigin } from "./origin";

/** Activities in the server, by name: `GET /folders`, `job documents.index`. */
export interface ActivityTracker {
  begin(activity: string): void;
  end(activity: string): void;
}
/** How long the event loop was blocked. */
export interface Stalls {
  /** The longest stall of the last minute, milliseconds. */
  readonly max_ms: number;
  /** The 99th percentile of how late the checks of the last minute were. */
  readonly p99_ms: number;
}

/** A stall, and the processor time used since the previous check. */
interface Stall {
  readonly stall_ms: number;
  /** Of the loop's own thread: when much less, it waited for the machine or the disk. */
  readonly loop_cpu_ms: number;
  /** Of the whole process. */
  readonly cpu_ms: number;
}

/** Longer stalls are logged. */
const logged_ms_min = 100;
const log_every_ms = 1_000;
const check_every_ms = 25;
const idle_check_every_ms = 1_000;
/** How long the frequent checks continue after the last activity. */
const active_ms = 1_000;
const window_ms = 60_000;
const checks_max = window_ms / check_every_ms;
const activities_max = 10;

/** Measures how late its timers fire, from `start` until `stop`. */
export class StallMeter implements ActivityTracker {
  private readonly log: Log;
  private readonly now_ms: () => number;
  private readonly in_work = new Map<string, number>();
  /** Activities that have ended since the last check. */
  private readonly ended = new Set<string>();
  /** The newest checks, in a ring: when, and how late. */
  private readonly at_ms = new Float64Array(checks_max).fill(-Infinity);
  private readonly late_ms = new Float32Array(checks_max);
  private checks = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = true;
  private due_ms = 0;
  private checks_often = false;
  private active_at_ms = 0;
  private cpu = cpuUsed();
  private logged_at_ms = -Infinity;
  /** Stalls since the last log line. */
  private unlogged = { count: 0, ms_max: 0 };

  constructor(log: Log, now_ms: () => number = () => performance.now()) {
    this.log = log;
    this.now_ms = now_ms;
  }

  start(): void {
    this.stopped = false;
    this.wait(false);
  }
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  begin(activity: string): void {
    if (!this.checks_often && !this.stopped)
      withoutOrigin(() => {
        clearTimeout(this.timer);
        this.check();
        this.wait(true);
      });
    this.in_work.set(activity, (this.in_work.get(activity) ?? 0) + 1);
  }
  end(activity: string): void {
    const running = this.in_work.get(activity)! - 1;
    if (running === 0) this.in_work.delete(activity);
    else this.in_work.set(activity, running);
    this.ended.add(activity);
  }

  lastMinute(): Stalls {
    const since_ms = this.now_ms() - window_ms;
    const lateness_ms = this.late_ms.filter((_, slot) => this.at_ms[slot]! >= since_ms).sort();
    return {
      max_ms: Math.round(lateness_ms.at(-1) ?? 0),
      p99_ms: Math.round(lateness_ms[Math.ceil(lateness_ms.length * 0.99) - 1] ?? 0),
    };
  }

  private wait(often: boolean): void {
    this.checks_often = often;
    const wait_ms = often ? check_every_ms : idle_check_every_ms;
    this.due_ms = this.now_ms() + wait_ms;
    this.timer = setTimeout(() => {
      const now_ms = this.check();
      if (this.in_work.size > 0) this.active_at_ms = now_ms;
      this.wait(now_ms - this.active_at_ms < active_ms);
    }, wait_ms);
    this.timer.unref();
  }

  private check(): number {
    const now_ms = this.now_ms();
    const late_ms = Math.max(0, now_ms - this.due_ms);
    const slot = this.checks++ % checks_max;
    this.at_ms[slot] = now_ms;
    this.late_ms[slot] = late_ms;
    const before = this.cpu;
    this.cpu = cpuUsed();
    if (late_ms >= logged_ms_min)
      this.logStall(now_ms, {
        stall_ms: Math.round(late_ms),
        loop_cpu_ms: Math.round((this.cpu.loop_us - before.loop_us) / 1_000),
        cpu_ms: Math.round((this.cpu.all_us - before.all_us) / 1_000),
      });
    if (this.ended.size > 0) {
      this.active_at_ms = now_ms;
      this.ended.clear();
    }
    return now_ms;
  }

  private logStall(now_ms: number, stall: Stall): void {
    const { stall_ms } = stall;
    if (now_ms - this.logged_at_ms < log_every_ms) {
      const { count, ms_max } = this.unlogged;
      this.unlogged = { count: count + 1, ms_max: Math.max(ms_max, stall_ms) };
      return;
    }
    const { count, ms_max } = this.unlogged;
    this.log.warn("the server was blocked", {
      ...stall,
      in_work: [...new Set([...this.ended, ...this.in_work.keys()])].slice(0, activities_max),
      ...(count > 0 ? { more_before: count, more_ms_max: ms_max } : {}),
    });
    this.logged_at_ms = now_ms;
    this.unlogged = { count: 0, ms_max: 0 };
  }
}

/** Processor time of this thread and of all, microseconds. */
function cpuUsed(): { readonly loop_us: number; readonly all_us: number } {
  const loop = process.threadCpuUsage();
  const process_usage = process.cpuUsage();
  return { loop_us: loop.user + loop.system, all_us: process_usage.user + process_usage.system };
}
