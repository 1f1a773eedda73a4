/**
 * The time that has certainly passed, used to expire data for good: the wall clock may be a year
 * ahead for a minute, and what was deleted by it would not come back.
 */
import type { Clock } from "../base/clock";
import type { Log } from "../base/log";
import type { Store } from "../store/store";
import { rowsOf } from "../store/raw-statements";

const minute_ms = 60_000;
const day_ms = 24 * 60 * minute_ms;
/** How far two correct clocks may differ. */
const slack_ms = minute_ms;
/** An advance of the clock is caught up with at this rate: hours per hour. */
const catch_up_rate = 24;
const save_every_ms = minute_ms;
/** Limits how often the clocks are read: the queue polls many times a second. */
const check_every_ms = 1_000;

/** A reading of the clocks, and the certain time at that moment. */
export interface TimeReading {
  readonly certain_ms: number;
  readonly clock_ms: number;
  readonly boot: string;
  readonly uptime_ms: number;
  /** How long the clock has been ahead of the certain time, by measured time. */
  readonly doubted_ms: number;
}

/**
 * Measured time is certain. Where the clock is further ahead, an hour of running makes a day of the
 * difference certain, and a day of running all of it. So a server that runs an hour a day keeps up.
 */
export function nextReading(previous: TimeReading, clock: Clock): TimeReading {
  const clock_ms = clock.now_ms();
  const { boot, ms: uptime_ms } = clock.uptime();
  const passed_ms = boot === previous.boot ? Math.max(0, uptime_ms - previous.uptime_ms) : 0;
  const jumped_ms = clock_ms - previous.clock_ms - passed_ms;
  const clocks = { clock_ms, boot, uptime_ms };
  if (clock_ms - (previous.certain_ms + passed_ms) <= slack_ms)
    return { ...clocks, certain_ms: clock_ms, doubted_ms: 0 };
  const doubted_ms = jumped_ms > day_ms ? 0 : previous.doubted_ms + passed_ms;
  const certain_ms =
    doubted_ms >= day_ms
      ? clock_ms
      : Math.min(clock_ms, previous.certain_ms + passed_ms * catch_up_rate);
  return { ...clocks, certain_ms, doubted_ms };
}

const select_sql = "select certain_ms, clock_ms, boot, uptime_ms, doubted_ms from core_clock";
const write_sql = `
insert into core_clock (id, certain_ms, clock_ms, boot, uptime_ms, doubted_ms)
values (1, ?, ?, ?, ?, ?)
on conflict (id) do update set certain_ms = excluded.certain_ms, clock_ms = excluded.clock_ms,
  boot = excluded.boot, uptime_ms = excluded.uptime_ms, doubted_ms = excluded.doubted_ms`;

/** The certain time of this database, continued from start to start. */
export class CertainTime {
  private reading: TimeReading | undefined;
  private saved: TimeReading | undefined;
  private is_far_ahead = false;
  private checked_at_ms = -Infinity;

  constructor(
    private readonly options: {
      readonly store: Pick<Store, "db" | "inDeletion">;
      readonly clock: Clock;
      readonly log: Log;
    },
  ) {}

  /** Epoch milliseconds, at most what the clock says; 0 before `read`. */
  readonly now_ms = (): number => {
    if (this.reading === undefined) return 0;
    this.reading = nextReading(this.reading, this.options.clock);
    return this.reading.certain_ms;
  };

  /** Continues from what an earlier run stored. Call it before anything else. */
  async read(): Promise<void> {
    const { store, clock } = this.options;
    const [row] = await rowsOf<TimeReading>(store.db, select_sql, []);
    this.reading ??= row ? numbersOf(row) : firstReading(clock);
  }

  /** Stores the reading for the next start, at most once a minute. */
  async save(): Promise<void> {
    const { store, clock, log } = this.options;
    if (Math.abs(clock.now_ms() - this.checked_at_ms) < check_every_ms) return;
    this.checked_at_ms = clock.now_ms();
    if (this.reading === undefined) await this.read();
    this.now_ms();
    const { clock_ms, certain_ms, boot, uptime_ms, doubted_ms } = this.reading!;
    const ahead_ms = clock_ms - certain_ms;
    if (ahead_ms > day_ms && !this.is_far_ahead)
      log.warn("the clock is far ahead: deletions by age wait until the time is certain", {
        ahead_s: Math.round(ahead_ms / 1_000),
      });
    this.is_far_ahead = ahead_ms > day_ms;
    if (
      this.saved?.boot === boot &&
      uptime_ms - this.saved.uptime_ms < save_every_ms &&
      Math.abs(clock_ms - this.saved.clock_ms) < save_every_ms
    )
      return;
    this.saved = this.reading;
    await store.inDeletion((tx) =>
      rowsOf(tx, write_sql, [certain_ms, clock_ms, boot, uptime_ms, doubted_ms]),
    );
  }
}

function firstReading(clock: Clock): TimeReading {
  const clock_ms = clock.now_ms();
  const { boot, ms } = clock.uptime();
  return { certain_ms: clock_ms, clock_ms, boot, uptime_ms: ms, doubted_ms: 0 };
}
const numbersOf = (row: TimeReading): TimeReading => ({
  certain_ms: Number(row.certain_ms),
  clock_ms: Number(row.clock_ms),
  boot: row.boot,
  uptime_ms: Number(row.uptime_ms),
  doubted_ms: Number(row.doubted_ms),
});
