/**
 * Removes dead rows from tables soon after text was deleted; by itself the database would do so
 * only after many deletions.
 */
import { errorFields, type Log } from "../../base/log";
import { Pool, type PostgresOptions } from "./connections";

/** The delay after a deletion; later ones are included. */
const delay_ms = 1_000;

const tables_sql = `
select quote_ident(relname) as name from pg_stat_user_tables
where schemaname = current_schema() and n_dead_tup > 0 order by relname`;

/** Vacuums all tables with dead rows, a second after the first request. */
export class Vacuum {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  /** While it runs. */
  private pool: Pool | undefined;
  private stopped = false;

  constructor(
    private readonly options: PostgresOptions,
    private readonly log: Log,
  ) {}

  /** Returns at once. */
  request(): void {
    if (this.stopped) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.running = this.running.then(() => this.run());
    }, delay_ms).unref();
  }

  /** Cancels a running vacuum. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.pool?.close({ at_once: true });
    await this.running;
  }

  /** However long that takes: a large table may need minutes. */
  private async run(): Promise<void> {
    if (this.stopped) return;
    const pool = new Pool({ ...this.options, statement_ms_max: 0 }, 1, "vacuum");
    this.pool = pool;
    try {
      const { rows } = await pool.run(tables_sql);
      // One by one: each is a transaction of its own, and nobody waits for it.
      for (const { name } of rows) await pool.run(`vacuum (skip_locked) ${name as string}`);
    } catch (error) {
      if (!this.stopped)
        this.log.warn("deleted rows could not be cleared from the tables", errorFields(error));
    } finally {
      this.pool = undefined;
      await pool.close();
    }
  }
}
