/**
 * The clock of the database, shared by all processes: each adds the time that it has measured
 * itself since its last query. So the clocks of their machines may differ.
 */
import { systemClock, type Clock } from "../../base/clock";
import type { RunQuery } from "./postgres-dialect";

/** Epoch milliseconds in a statement: the current time, not that of the transaction's start. */
export const clock_sql = "cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)";

/** For `measure`, which needs fractions of a millisecond. */
const time_sql =
  "select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as now_ms";
/** The most by which two clocks drift apart, as a part of the time that passes. */
const drift = 1e-4;
/** A larger step backwards means that the clock was set back. */
const set_back_ms = 1_000;

interface Measurement {
  /** How far the clock of the database is ahead of `performance.now()`. */
  readonly ahead_ms: number;
  /** The most by which that may be wrong. */
  readonly error_ms: number;
  readonly received_ms: number;
}

/** The clock of this machine until the first `measure`. */
export class DatabaseClock implements Clock {
  private measured: Measurement | undefined;
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
  async measure(run: RunQuery): Promise<void> {
    const sent_ms = performance.now();
    const { rows } = await run(time_sql, []);
    const received_ms = performance.now();
    const ahead_ms = Number(rows[0]!.now_ms) - (sent_ms + received_ms) / 2;
    const error_ms = (received_ms - sent_ms) / 2;
    const previous = this.measured;
    if (previous !== undefined) {
      const previous_error_ms = previous.error_ms + (received_ms - previous.received_ms) * drift;
      const do_agree = Math.abs(ahead_ms - previous.ahead_ms) <= error_ms + previous_error_ms;
      if (do_agree && error_ms > previous_error_ms) return;
    }
    this.measured = { ahead_ms, error_ms, received_ms };
  }
}
