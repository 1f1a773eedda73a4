/**
 * The clock of the database, shared by all processes: each adds the time that it has measured
 * itself since its last query. So the clocks of their machines may differ.
 */
import { systemClock, type Clock } from "../../base/clock";
import type { RunQuery } from "./postgres-dialect";

/** Epoch milliseconds in a statement: the current time, not that of the transaction's start. */
export const clock_sql = "cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)";

/** A larger step backwards means that the clock was set back. */
const set_back_ms = 1_000;

export class DatabaseClock implements Clock {
  #ahead_ms: number | undefined;
  #last_ms = 0;

  constructor(private readonly run: RunQuery) {}

  /** Does not go back by the small difference between two queries. */
  readonly now_ms = (): number => {
    if (this.#ahead_ms === undefined) return systemClock.now_ms();
    const now_ms = Math.floor(performance.now() + this.#ahead_ms);
    const behind_ms = this.#last_ms - now_ms;
    if (behind_ms <= 0 || behind_ms > set_back_ms) this.#last_ms = now_ms;
    return this.#last_ms;
  };

  readonly uptime = systemClock.uptime;

  /** Queries the time: the result was correct at some moment between the query and its response. */
  async ask(): Promise<void> {
    const asked_ms = performance.now();
    const { rows } = await this.run(`select ${clock_sql} as now_ms`, []);
    const heard_ms = performance.now();
    this.#ahead_ms = Number(rows[0]!.now_ms) - (asked_ms + heard_ms) / 2;
  }
}
