/**
 * Turns cron ticks into jobs. Each tick is computed from the schedule, not from the clock, and
 * recorded, so that no restart repeats it.
 */
import { Cron } from "croner";
import { messageOf } from "../lib/error-message";
import { rfc3339, systemClock, type Clock } from "../base/clock";
import { errorFields, type Log } from "../base/log";
import type { Schedule } from "./contract";
import type { Store } from "../store/store";
import type { JobQueue } from "./queue";
import { takeTick } from "./store";

/** What the schedules need of the server. */
export interface CronSchedulesOptions {
  readonly queue: JobQueue;
  readonly store: Store;
  readonly log: Log;
  readonly clock?: Clock;
  /**
   * The longest wait before checking the clock again, default a minute: timers don't notice when a
   * machine sleeps or its clock is set.
   */
  readonly check_ms_max?: number;
}

/** The schedules of all plugins. */
export class CronSchedules {
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** The names of each owner's schedules. */
  private readonly names = new Map<string, ReadonlySet<string>>();
  private readonly clock: Clock;
  private readonly check_ms_max: number;

  constructor(private readonly options: CronSchedulesOptions) {
    this.clock = options.clock ?? systemClock;
    this.check_ms_max = options.check_ms_max ?? 60_000;
  }

  /** Replaces the schedules of `owner`. @throws Error on an invalid expression. */
  set(owner: string, schedules: readonly Schedule[]): void {
    const old_names = this.names.get(owner) ?? new Set();
    const names = new Set(schedules.map(nameOf));
    for (const name of old_names)
      if (!names.has(name)) {
        clearTimeout(this.timers.get(name));
        this.timers.delete(name);
      }
    for (const schedule of schedules) if (!old_names.has(nameOf(schedule))) this.add(schedule);
    this.names.set(owner, names);
  }

  /**
   * Ticks from now on; ticks missed while the server was down are skipped. @throws Error on an
   * invalid expression.
   */
  add(schedule: Schedule): void {
    const name = nameOf(schedule);
    const cron = parseCron(schedule.cron);
    this.setTimer(name, schedule, cron, nextTick(cron, this.clock.now_ms()));
  }

  /** Ticks no more. */
  stop(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  private setTimer(
    name: string,
    schedule: Schedule,
    cron: Cron,
    tick_at: number | undefined,
  ): void {
    if (tick_at === undefined) return;
    const onTimer = (): void => {
      const now_ms = this.clock.now_ms();
      // Computed again: when the clock was set back, another tick comes first.
      if (now_ms < tick_at) return this.setTimer(name, schedule, cron, nextTick(cron, now_ms));
      this.tick(name, schedule, tick_at).catch((error: unknown) =>
        this.options.log.error("a scheduled job could not be enqueued", {
          schedule: name,
          ...errorFields(error),
        }),
      );
      this.setTimer(name, schedule, cron, nextTick(cron, now_ms));
    };
    const left_ms = Math.max(0, tick_at - this.clock.now_ms());
    this.timers.set(name, setTimeout(onTimer, Math.min(this.check_ms_max, left_ms)));
  }

  /** Enqueues the job of this tick, unless a process has already done so. */
  private tick(name: string, { on, payload }: Schedule, tick_at: number): Promise<void> {
    const { queue, store } = this.options;
    return store.inTransaction(async (tx) => {
      if (await takeTick(tx, name, tick_at, this.clock.now_ms()))
        await queue.enqueue(tx, on, payload, { key: `${on.id} ${rfc3339(tick_at)}` });
    });
  }
}

/** Why a cron expression is invalid; undefined when it is valid. */
export function cronProblem(expression: unknown): string | undefined {
  if (typeof expression !== "string") return "it is no text";
  try {
    parseCron(expression);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** An expression is needed when it is checked and again when it is set, and a start has many. */
const parsed_expressions = new Map<string, Cron>();
const parsed_max = 200;

/** @throws Error on an invalid expression. */
function parseCron(expression: string): Cron {
  const cached = parsed_expressions.get(expression);
  if (cached) return cached;
  // Paused, so that it starts no timer. UTC as an offset, not as a zone: a zone loads calendar
  // data, which delays the start.
  const cron = new Cron(expression, { utcOffset: 0, paused: true });
  if (parsed_expressions.size >= parsed_max) parsed_expressions.clear();
  parsed_expressions.set(expression, cron);
  return cron;
}

const nameOf = ({ on, cron }: Schedule): string => `${on.id} ${cron}`;

/** The first tick after this moment. */
const nextTick = (cron: Cron, after_ms: number): number | undefined =>
  cron.nextRun(new Date(after_ms))?.getTime();
