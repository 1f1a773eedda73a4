/** Counts jobs by state, kind and reason of failure. */
import { sql } from "kysely";
import { toNumber } from "../store/columns";
import { rowsOf } from "../store/raw-statements";
import type { Db } from "../store/store";
import type { JobsTables } from "./store";

/** The number of jobs in each state that matters to operators. */
export interface QueueStatus {
  readonly ready: number;
  readonly running: number;
  readonly failed: number;
}

/** Counts jobs in each of these states. */
export async function countJobs(db: Db<JobsTables>): Promise<QueueStatus> {
  const count = async (where: string): Promise<number> => {
    const sql = `select count(*) as n from core_jobs where ${where}`;
    const [row] = await rowsOf<{ n: number }>(db, sql, []);
    return toNumber(row!.n);
  };
  return {
    ready: await count("state = 'ready'"),
    running: await count("state = 'running'"),
    // In the wording of the index on finished jobs.
    failed: await count("state = 'failed' and state in ('done', 'failed', 'cancelled')"),
  };
}

/** The number of jobs of a kind in one state. */
export interface KindCount {
  readonly plugin: string;
  readonly name: string;
  readonly state: "ready" | "running" | "failed";
  readonly jobs: number;
  /** When the first of them ran, or is due, epoch milliseconds. */
  readonly first_run_at: number;
}

/** Literals rather than bound values: only then SQLite uses the partial indexes on these states. */
const conditions = {
  ready: "state = 'ready'",
  running: "state = 'running'",
  failed: "state = 'failed' and state in ('done', 'failed', 'cancelled')",
} as const;

/** The number of jobs of a kind that failed for good with this message. */
export interface FailureReason {
  readonly plugin: string;
  readonly name: string;
  readonly error: string;
  readonly jobs: number;
}
const reasons_max = 200;

/** Why jobs failed for good, the most frequent reasons first. */
export async function countReasons(db: Db<JobsTables>): Promise<FailureReason[]> {
  const rows = await db
    .selectFrom("core_jobs")
    .select((e) => ["plugin", "name", "error", e.fn.countAll().as("jobs")])
    .where(sql<boolean>`${sql.raw(conditions.failed)}`)
    .groupBy(["plugin", "name", "error"])
    .orderBy("jobs", "desc")
    .orderBy("error")
    .limit(reasons_max)
    .execute();
  return rows.map((row) => ({ ...row, error: row.error ?? "", jobs: toNumber(row.jobs) }));
}

/** Without kinds that have no jobs in any of these states. */
export async function countKinds(db: Db<JobsTables>): Promise<KindCount[]> {
  const counts: KindCount[] = [];
  for (const state of ["ready", "running", "failed"] as const) {
    const rows = await db
      .selectFrom("core_jobs")
      .select((e) => [
        "plugin",
        "name",
        e.fn.countAll().as("jobs"),
        e.fn.min("run_at").as("first_run_at"),
      ])
      .where(sql<boolean>`${sql.raw(conditions[state])}`)
      .groupBy(["plugin", "name"])
      .execute();
    for (const { plugin, name, jobs, first_run_at } of rows)
      counts.push({
        plugin,
        name,
        state,
        jobs: toNumber(jobs),
        first_run_at: toNumber(first_run_at),
      });
  }
  return counts;
}
