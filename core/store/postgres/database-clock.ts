/**
 * The clock of the database, which all processes share: what each adds is the time that it has
 * measured itself since it asked last. So the clocks of their machines may differ.
 */
import { systemClock, type Clock } from "../../base/clock";
import type { RunQuery } from "./postgres-dialect";

/** Epoch milliseconds in a statement: of the moment, not of the beginning of the transaction. */
export const clock_sql = "cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)";

/** What is more was set back. */
const set_back_ms = 1_000;

export class DatabaseClock implements Clock {
  #ahead_ms: number | undefined;
  #last_ms = 0;

  constructor(private readonly run: RunQuery) {}

  /** It does not go back for the little that two answers differ by. */
  readonly now_ms = (): number => {
    if (this.#ahead_ms === undefined) return systemClock.now_ms();
    const now_ms = Math.floor(performance.now() + this.#ahead_ms);
    const behind_ms = this.#last_ms - now_ms;
    if (behind_ms <= 0 || behind_ms > set_back_ms) this.#last_ms = now_ms;
    return this.#last_ms;
  };

  readonly uptime = systemClock.uptime;

  /** Asks for the time: the answer was true somewhere between the question and its arrival. */
  async ask(): Promise<void> {
    const asked_ms = performance.now();
    const { rows } = await this.run(`select ${clock_sql} as now_ms`, []);
    const heard_ms = performance.now();
    this.#ahead_ms = Number(rows[0]!.now_ms) - (asked_ms + heard_ms) / 2;
  }
}
