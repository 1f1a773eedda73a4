/**
 * Removes dead rows from tables soon after text was deleted; by itself the database would do so
 * only after many deletions.
 */
import type { SQL } from "bun";
import { errorFields, type Log } from "../../base/log";

/** The delay after a deletion; later ones are included. */
const delay_ms = 1_000;

const tables_sql = `
select quote_ident(relname) as name from pg_stat_user_tables
where schemaname = current_schema() and n_dead_tup > 0 order by relname`;

export class Vacuum {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly sql: SQL,
    private readonly log: Log,
  ) {}

  /** Returns at once. */
  request(): void {
    if (this.#stopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#running.then(() => this.#run());
    }, delay_ms).unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      const tables = (await this.sql.unsafe(tables_sql)) as { name: string }[];
      // One by one: each is a transaction of its own, and nobody waits for it.
      for (const { name } of tables)
        if (!this.#stopped) await this.sql.unsafe(`vacuum (skip_locked) ${name}`);
    } catch (error) {
      this.log.warn("deleted rows could not be cleared from the tables", errorFields(error));
    }
  }
}
