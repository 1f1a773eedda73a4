/** Migration steps of the tables of the job queue and its clock. */
import { sql } from "kysely";
import type { Db } from "../store/store";

const unfinished = "state in ('ready', 'running')";
const indexes = [
  // Used by the claim: one step per handler, lane and priority, however many jobs wait there.
  "create index core_jobs_ready on core_jobs (plugin, name, lane, priority, run_at, id) where " +
    "state = 'ready'",
  "create index core_jobs_due on core_jobs (run_at) where state = 'ready'",
  "create index core_jobs_running on core_jobs (lane) where state = 'running'",
  "create unique index core_jobs_key on core_jobs (name, key) where key is not null and " +
    unfinished,
  "create index core_jobs_subject on core_jobs (subject) where subject is not null and " +
    unfinished,
  "create index core_jobs_finished on core_jobs (state, finished_at) where state in ('done', " +
    "'failed', 'cancelled')",
];

/** The jobs, and the last tick of each schedule. */
export async function createJobs(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_jobs")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("plugin", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("payload", "text", (c) => c.notNull())
    .addColumn("lane", "text", (c) => c.notNull())
    .addColumn("lane_max", "integer", (c) => c.notNull())
    .addColumn("priority", "integer", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("run_at", "bigint", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("attempts_max", "integer", (c) => c.notNull())
    .addColumn("lease_until", "bigint")
    .addColumn("lease_token", "text")
    .addColumn("key", "text")
    .addColumn("subject", "text")
    .addColumn("error", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("started_at", "bigint")
    .addColumn("finished_at", "bigint")
    .execute();
  for (const index of indexes) await sql.raw(index).execute(tx);
  await tx.schema
    .createTable("core_ticks")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("tick_at", "bigint", (c) => c.notNull())
    .execute();
}

/** Adds the owner. Before this step every lane counted as an owner of its own. */
export async function addOwner(tx: Db<any>): Promise<void> {
  await tx.schema
    .alterTable("core_jobs")
    .addColumn("owner", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await sql`update core_jobs set owner = lane`.execute(tx);
  await tx.schema.dropIndex("core_jobs_ready").execute();
  // Used by the claim: one step per handler, owner, lane and priority, however many jobs wait
  // there.
  await sql
    .raw(
      "create index core_jobs_ready on core_jobs (plugin, name, owner, lane, priority, run_at, " +
        "id) where state = 'ready'",
    )
    .execute(tx);
}

/** An index to find failed jobs by subject: their payload is deleted with the subject. */
export const addFailed = async (tx: Db<any>): Promise<void> => {
  await sql
    .raw(
      "create index core_jobs_failed on core_jobs (subject) where subject is not null and " +
        "state = 'failed' and payload != ''",
    )
    .execute(tx);
};

/** Adds the number of attempts cut off by a crash of the server. */
export const addCrashes = async (tx: Db<any>): Promise<void> => {
  await tx.schema
    .alterTable("core_jobs")
    .addColumn("crashes", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
};

/** Adds the request that a job originates from. */
export const addRequest = async (tx: Db<any>): Promise<void> => {
  await tx.schema.alterTable("core_jobs").addColumn("request_id", "text").execute();
};

/** A single row: the certain time, see `CertainTime`. */
export async function createClock(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_clock")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("certain_ms", "bigint", (c) => c.notNull())
    .addColumn("clock_ms", "bigint", (c) => c.notNull())
    .addColumn("boot", "text", (c) => c.notNull())
    .addColumn("uptime_ms", "bigint", (c) => c.notNull())
    .addColumn("doubted_ms", "bigint", (c) => c.notNull())
    .execute();
}
