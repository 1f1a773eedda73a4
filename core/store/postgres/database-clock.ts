/**
 * The clock of the database, shared by all processes: each adds the time that it has measured
 * itself since its last query. So the clocks of their machines may differ.
 */
import { systemClock, type Clock } from "../../base/clock";
import type { RunQuery } from "./postgres-dialect";

/** Epoch milliseconds in a statement: the current time, not that of the transaction's start. */
export const clock_sql = "cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)";

/** For `ask`, which does the rounding itself. */
const ask_sql =
  "select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as now_ms";
/** The most by which two clocks drift apart, as a part of the time that passes. */
const drift = 1e-4;
/** A larger step backwards means that the clock was set back. */
const set_back_ms = 1_000;

interface Measured {
  /** What the clock of the database is ahead of the time since this process began. */
  readonly ahead_ms: number;
  /** It may be so much more or less. */
  readonly wrong_ms: number;
  readonly heard_ms: number;
}

export class DatabaseClock implements Clock {
  private measured: Measured | undefined;
  private last_ms = 0;

  /** Does not go back by the small difference between two queries. */
  readonly now_ms = (): number => {
    if (this.measured === undefined) return systemClock.now_ms();
    const now_ms = Math.floor(performance.now() + this.measured.ahead_ms);
    const behind_ms = this.last_ms - now_ms;
    if (behind_ms <= 0 || behind_ms > set_back_ms) this.last_ms = now_ms;
    return this.last_ms;
  };

  readonly uptime = systemClock.uptime;

  /**
   * Queries the time: the result was correct at some moment between the query and its response. A
   * slower response than an earlier one is ignored, unless the two contradict each other.
   */
  async ask(run: RunQuery): Promise<void> {
    const asked_ms = performance.now();
    const { rows } = await run(ask_sql, []);
    const heard_ms = performance.now();
    const ahead_ms = Number(rows[0]!.now_ms) - (asked_ms + heard_ms) / 2;
    const wrong_ms = (heard_ms - asked_ms) / 2;
    const before = this.measured;
    if (before !== undefined) {
      const before_wrong_ms = before.wrong_ms + (heard_ms - before.heard_ms) * drift;
      const both_true = Math.abs(ahead_ms - before.ahead_ms) <= wrong_ms + before_wrong_ms;
      if (both_true && wrong_ms > before_wrong_ms) return;
    }
    this.measured = { ahead_ms, wrong_ms, heard_ms };
  }
}
