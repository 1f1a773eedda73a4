/**
 * Work that one process does at a time, such as migrations: a lock of a session of its own, which
 * the database releases when the process ends, however it ends.
 */
import { Pool, type PostgresOptions } from "./connections";

/** Any number that is otherwise unused in this database. */
const exclusive_lock = 0x646f7372;
const take_sql = `select case when pg_try_advisory_lock(${exclusive_lock}) then 1 else 0 end as n`;
/** Polled, because a waiting statement would be cancelled after a while. */
const poll_every_ms = 100;

/** Runs `work` while no other process runs its own, after waiting for that. */
export async function exclusively<R>(options: PostgresOptions, work: () => Promise<R>): Promise<R> {
  const pool = new Pool(options, 1, "start");
  try {
    const session = await pool.reserve();
    try {
      for (;;) {
        const { rows } = await session.run(take_sql);
        if (rows[0]!.n === 1) return await work();
        await Bun.sleep(poll_every_ms);
      }
    } finally {
      session.release();
    }
  } finally {
    // The lock ends with its session.
    await pool.close();
  }
}
