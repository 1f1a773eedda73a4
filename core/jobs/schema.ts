/** The tables of core itself. The host migrates them before those of the plugins. */
import { sql } from "kysely";
import { version } from "../base/version";
import { createFileClaims } from "../store/objects/file-claims";
import type { Schema } from "../store/schema";
import type { Db } from "../store/store";

export type JobState = "ready" | "running" | "done" | "failed" | "cancelled";

export interface JobsTables {
  core_jobs: {
    id: string;
    plugin: string;
    name: string;
    payload: string;
    owner: string;
    lane: string;
    lane_max: number;
    priority: number;
    state: JobState;
    run_at: number;
    attempts: number;
    attempts_max: number;
    crashes: number;
    lease_until: number | null;
    lease_token: string | null;
    key: string | null;
    subject: string | null;
    /** The request that it originates from; null for jobs of schedules. */
    request_id: string | null;
    error: string | null;
    created_at: number;
    started_at: number | null;
    finished_at: number | null;
  };
  /** The last tick of each schedule that became a job. */
  core_ticks: { name: string; tick_at: number };
  /** A single row: the certain time, and the readings of the clocks at that moment. */
  core_clock: {
    id: number;
    certain_ms: number;
    clock_ms: number;
    boot: string;
    uptime_ms: number;
    doubted_ms: number;
  };
}
export type JobsDb = Db<JobsTables>;

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

async function createJobs(tx: Db<any>): Promise<void> {
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
async function addOwner(tx: Db<any>): Promise<void> {
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
const addFailed = async (tx: Db<any>): Promise<void> => {
  await sql
    .raw(
      "create index core_jobs_failed on core_jobs (subject) where subject is not null and " +
        "state = 'failed' and payload != ''",
    )
    .execute(tx);
};

/** Adds the number of attempts cut off by a crash of the server. */
const addCrashes = async (tx: Db<any>): Promise<void> => {
  await tx.schema
    .alterTable("core_jobs")
    .addColumn("crashes", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
};

/** The versions that have opened the database, and when: identifies the origin of a copy. */
async function createVersions(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_versions")
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("commit_id", "text", (c) => c.notNull())
    .addColumn("started_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("core_versions_pk", ["version", "commit_id"])
    .execute();
}

/** Adds the request that a job originates from. */
const addRequest = async (tx: Db<any>): Promise<void> => {
  await tx.schema.alterTable("core_jobs").addColumn("request_id", "text").execute();
};

async function createClock(tx: Db<any>): Promise<void> {
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

/** Settings stored while the server ran, and what overrides them in the server. */
async function createSettings(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_settings")
    .addColumn("setting", "text", (c) => c.primaryKey())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("sealed", "integer", (c) => c.notNull())
    .addColumn("changed_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createTable("core_settings_origins")
    .addColumn("setting", "text", (c) => c.primaryKey())
    .addColumn("origin", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .execute();
}

/** The processes that serve the database, where several may. */
async function createNodes(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_nodes")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("place", "text", (c) => c.notNull())
    .addColumn("host", "text", (c) => c.notNull())
    .addColumn("pid", "integer", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("started_at", "bigint", (c) => c.notNull())
    .addColumn("seen_at", "bigint", (c) => c.notNull())
    .execute();
}

/**
 * Adds the lock that a process holds while it lives, null for versions without one; and when others
 * noticed that it was gone.
 */
async function addLife(tx: Db<any>): Promise<void> {
  await tx.schema.alterTable("core_nodes").addColumn("lock_key", "integer").execute();
  await tx.schema.alterTable("core_nodes").addColumn("gone_at", "bigint").execute();
}

/** The next number of each series of ids that processes lease from, where several may. */
async function createNumbers(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_numbers")
    .addColumn("series", "text", (c) => c.primaryKey())
    .addColumn("next", "bigint", (c) => c.notNull())
    .execute();
}

/** State shared by all processes on the database; see `SharedState`. */
async function createShared(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_shared")
    .addColumn("scope", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("version", "bigint", (c) => c.notNull())
    .addColumn("until_ms", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("core_shared_key", ["scope", "name"])
    .execute();
}

/** A single row: a text sealed with the key of all processes, where several may be. */
async function createSecret(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_secret")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("sealed", "text", (c) => c.notNull())
    .execute();
}

export const coreSchema: Schema = {
  name: "core",
  version,
  tables: [
    "core_jobs",
    "core_ticks",
    "core_versions",
    "core_clock",
    "core_settings",
    "core_settings_origins",
    "core_nodes",
    "core_numbers",
    "core_shared",
    "core_secret",
    "core_file_pins",
    "core_file_removals",
  ],
  migrations: [
    { id: "0001_jobs", up: createJobs },
    { id: "0002_job_owner", up: addOwner },
    { id: "0003_failed_jobs", up: addFailed },
    { id: "0004_job_crashes", up: addCrashes },
    { id: "0005_versions", up: createVersions },
    { id: "0006_job_request", up: addRequest },
    { id: "0007_clock", up: createClock },
    { id: "0008_settings", up: createSettings },
    { id: "0009_nodes", up: createNodes },
    { id: "0010_numbers", up: createNumbers },
    { id: "0011_shared", up: createShared },
    { id: "0012_secret", up: createSecret },
    { id: "0013_file_claims", up: createFileClaims },
    { id: "0014_node_life", up: addLife },
  ],
};
