/**
 * Cron ticks become jobs. A tick is taken from the schedule, not from the clock, and written down,
 * so that no restart doubles it.
 */
import { Cron } from "croner";
import { rfc3339, systemClock, type Clock } from "../base/clock";
import { errorFields, type Log } from "../base/log";
import type { Schedule } from "./contract";
import type { Store } from "../store/store";
import type { Queue } from "./queue";
import { takeTick } from "./table";

export interface Schedules {
  /**
   * Ticks from now on; ticks that were missed while the server was down are not made up for.
   * @throws Error on an expression that can't be read.
   */
  add(schedule: Schedule): void;
  stop(): void;
}
export interface SchedulesParts {
  readonly queue: Queue;
  readonly store: Store;
  readonly log: Log;
  readonly clock?: Clock;
}

/** The longest wait between two looks at the clock: timers do not notice when a machine sleeps. */
const look_ms_max = 60_000;

export function createSchedules({
  queue,
  store,
  log,
  clock = systemClock,
}: SchedulesParts): Schedules {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();

  /** Enqueues the job of this tick, unless it was enqueued before. */
  const tick = (name: string, { on, payload }: Schedule, tick_at: number): Promise<void> =>
    store.inTransaction(async (tx) => {
      if (await takeTick(tx, name, tick_at))
        await queue.enqueue(tx, on, payload, { key: `${on.id} ${rfc3339(tick_at)}` });
    });

  function wait(name: string, schedule: Schedule, cron: Cron, tick_at: number | undefined): void {
    if (tick_at === undefined) return;
    const left_ms = tick_at - clock.now_ms();
    timers.set(
      name,
      setTimeout(
        () => {
          if (clock.now_ms() < tick_at) return wait(name, schedule, cron, tick_at);
          tick(name, schedule, tick_at).catch((error: unknown) =>
            log.error("a tick could not be enqueued", { schedule: name, ...errorFields(error) }),
          );
          wait(name, schedule, cron, next(cron, Math.max(tick_at, clock.now_ms())));
        },
        Math.min(look_ms_max, Math.max(0, left_ms)),
      ),
    );
  }

  return {
    add(schedule) {
      const name = `${schedule.on.id} ${schedule.cron}`;
      // UTC as an offset, not as a zone: a zone loads calendar data, which delays the start.
      const cron = new Cron(schedule.cron, { utcOffset: 0, paused: true });
      wait(name, schedule, cron, next(cron, clock.now_ms()));
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** The first tick after this moment. */
const next = (cron: Cron, after_ms: number): number | undefined =>
  cron.nextRun(new Date(after_ms))?.getTime();
