/**
 * Every SQL statement about jobs. The frequent ones are written as text, so that nothing is
 * compiled at run time.
 */
import { batchesOf } from "../lib/batch";
import { toNumber } from "../store/columns";
import { rowsOf } from "../store/raw-statements";
import type { Db } from "../store/store";

/** A job is `ready` until it is claimed, also while it waits for its due time. */
export type JobState = "ready" | "running" | "done" | "failed" | "cancelled";

/** The tables of the queue. Times are epoch milliseconds, payloads are JSON. */
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
/** The database or a transaction, for statements about jobs. */
export type JobsDb = Db<JobsTables>;

/** A job as it is inserted. */
export interface NewJob {
  readonly id: string;
  readonly plugin: string;
  readonly name: string;
  readonly payload: string;
  readonly owner: string;
  readonly queue: string;
  readonly queue_concurrency: number;
  readonly priority: number;
  readonly run_at: number;
  readonly attempts_max: number;
  readonly key: string | null;
  readonly subject: string | null;
  readonly request_id: string | null;
  readonly created_at: number;
}
/** A job that this process runs. */
export interface Claimed {
  readonly id: string;
  readonly plugin: string;
  readonly name: string;
  readonly owner: string;
  readonly payload: string;
  /** The number of runs started, including this one. */
  readonly attempts: number;
  readonly attempts_max: number;
  /** The number of them cut off by a crash of the server. */
  readonly crashes: number;
  readonly lease_token: string;
  readonly request_id: string | null;
  readonly created_at: number;
  readonly run_at: number;
}
/** For a list of this many values. */
export const placeholders = (count: number): string => Array(count).fill("?").join(", ");

const insert_sql = `
insert into core_jobs (id, plugin, name, payload, owner, lane, lane_max, priority, state, run_at,
  attempts, attempts_max, key, subject, request_id, created_at)
values (?, ?, ?, ?, ?, ?, ?, ?, 'ready', ?, 0, ?, ?, ?, ?, ?)
on conflict (name, key) where key is not null and state in ('ready', 'running') do nothing`;

/** Does nothing when an unfinished job has the key. */
export const insertJob = (db: JobsDb, job: NewJob): Promise<unknown> =>
  rowsOf(db, insert_sql, [
    job.id,
    job.plugin,
    job.name,
    job.payload,
    job.owner,
    job.queue,
    job.queue_concurrency,
    job.priority,
    job.run_at,
    job.attempts_max,
    job.key,
    job.subject,
    job.request_id,
    job.created_at,
  ]);

const insert_running_sql = `
insert into core_jobs (id, plugin, name, payload, owner, lane, lane_max, priority, state, run_at,
  attempts, attempts_max, subject, request_id, created_at, lease_until, lease_token, started_at)
values (?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, 1, ?, ?, ?, ?, ?, ?, ?)`;
const queue_running_sql =
  "select count(*) as n from core_jobs where state = 'running' and lane = ?";

/**
 * Inserts a job without a key that starts at once: it is claimed already. `queue_max`: writes
 * nothing and returns null when this many jobs of its queue are running; null when there is
 * capacity for certain.
 */
export async function insertRunning(
  db: JobsDb,
  job: NewJob,
  lease: Lease,
  queue_max: number | null = null,
): Promise<Claimed | null> {
  if (queue_max !== null) {
    const [row] = await rowsOf<{ n: number }>(db, queue_running_sql, [job.queue]);
    if (toNumber(row!.n) >= queue_max) return null;
  }
  await rowsOf(db, insert_running_sql, [
    job.id,
    job.plugin,
    job.name,
    job.payload,
    job.owner,
    job.queue,
    job.queue_concurrency,
    job.priority,
    job.run_at,
    job.attempts_max,
    job.subject,
    job.request_id,
    job.created_at,
    lease.until_ms,
    lease.token,
    job.created_at,
  ]);
  return { ...job, attempts: 1, crashes: 0, lease_token: lease.token };
}

/** The right to run a job until then, epoch milliseconds. `token` identifies its holder. */
export interface Lease {
  readonly token: string;
  readonly until_ms: number;
}

/**
 * Claims these jobs, which counts as an attempt. Jobs that are no longer ready are missing from the
 * result.
 */
export const claimJobs = (
  db: JobsDb,
  ids: readonly string[],
  lease: Lease,
  now_ms: number,
): Promise<Claimed[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : rowsOf(db, claim_sql(ids.length), [lease.until_ms, lease.token, now_ms, ...ids]);

const claim_sql = (jobs: number): string => `
update core_jobs
set state = 'running', attempts = attempts + 1, lease_until = ?, lease_token = ?, started_at = ?
where state = 'ready' and id in (${placeholders(jobs)})
returning id, plugin, name, owner, payload, attempts, attempts_max, crashes, lease_token,
  request_id, created_at, run_at`;

/** A job and the lease under which it runs. */
type LeasedJob = Pick<Claimed, "id" | "lease_token">;
/**
 * Ends a run. Changes nothing and returns false when the job was cancelled, or another process
 * holds its lease by now.
 */
const fenced = async (
  db: JobsDb,
  set: string,
  values: readonly unknown[],
  { id, lease_token }: LeasedJob,
): Promise<boolean> => {
  const ended = await rowsOf(db, fenced_sql(set), [...values, id, lease_token]);
  return ended.length === 1;
};
const fenced_sql = (set: string): string => `
update core_jobs set ${set}, lease_until = null, lease_token = null
where id = ? and lease_token = ? and state = 'running' returning id`;

/**
 * Marks the job as done, and deletes its payload, which may quote content that is deleted later.
 * False when the lease was lost.
 */
export const completeJob = (db: JobsDb, job: LeasedJob, now_ms: number): Promise<boolean> =>
  fenced(db, "state = 'done', payload = '', error = null, finished_at = ?", [now_ms], job);
/**
 * Marks the job as failed for good. `keep_payload`: an administrator may run it again. False when
 * the lease was lost.
 */
export const failJob = (
  db: JobsDb,
  job: LeasedJob,
  error: string,
  now_ms: number,
  keep_payload: boolean,
): Promise<boolean> =>
  fenced(
    db,
    `state = 'failed', ${keep_payload ? "" : "payload = '', "}error = ?, finished_at = ?`,
    [error, now_ms],
    job,
  );
/** Makes the job ready again, due at `run_at`. False when the lease was lost. */
export const retryJob = (
  db: JobsDb,
  job: LeasedJob,
  error: string,
  run_at: number,
): Promise<boolean> => fenced(db, "state = 'ready', error = ?, run_at = ?", [error, run_at], job);
/** Makes it ready again as if it had not been claimed. False when the lease was lost. */
export const returnJob = (db: JobsDb, job: LeasedJob, run_at: number): Promise<boolean> =>
  fenced(db, "state = 'ready', attempts = attempts - 1, run_at = ?", [run_at], job);

/** Makes those of them that wait due at `run_at`. */
export const wakeJobs = (db: JobsDb, ids: readonly string[], run_at: number): Promise<unknown> =>
  rowsOf(
    db,
    `update core_jobs set run_at = ?
where state = 'ready' and run_at > ? and id in (${placeholders(ids.length)})`,
    [run_at, run_at, ...ids],
  );

/**
 * Extends the leases of these jobs, and of no other with the same token: nobody may be running it.
 * Returns the ids of those that still have their lease.
 */
export async function renewLeases(
  db: JobsDb,
  jobs: readonly LeasedJob[],
  until_ms: number,
): Promise<Set<string>> {
  const renewed = new Set<string>();
  for (const batch of batchesOf(jobs, jobs_per_renewal)) {
    const tokens = [...new Set(batch.map(({ lease_token }) => lease_token))];
    const rows = await rowsOf<{ id: string }>(db, renew_sql(batch.length, tokens.length), [
      until_ms,
      ...batch.map(({ id }) => id),
      ...tokens,
    ]);
    for (const { id } of rows) renewed.add(id);
  }
  return renewed;
}
const jobs_per_renewal = 500;
const renew_sql = (jobs: number, tokens: number): string => `
update core_jobs set lease_until = ?
where state = 'running' and id in (${placeholders(jobs)})
and lease_token in (${placeholders(tokens)}) returning id`;

/** A lease token contains the id of its process. Ids of processes contain no dot. */
export const tokenOf = (node_id: string, unique: string): string => `${node_id}.${unique}`;

/** The id of the process that holds a lease. */
export const nodeOf = (token: string): string => token.slice(0, token.indexOf("."));

/** Makes jobs ready again whose lease has expired because their process died. Returns how many. */
export const freeExpired = (db: JobsDb, before_ms: number): Promise<number> =>
  releaseRuns(db, "lease_until < ?", [before_ms]);

/** Whether a job is marked as running, in any process. */
export const isAnyRunning = async (db: JobsDb): Promise<boolean> =>
  (await rowsOf(db, "select 1 from core_jobs where state = 'running' limit 1", [])).length > 0;

/** The same for all jobs running in these processes, or in any: nobody runs them any more. */
export async function freeRunsOf(db: JobsDb, nodes: readonly string[] | "all"): Promise<number> {
  if (nodes === "all") return releaseRuns(db, "1 = 1", []);
  let released = 0;
  // A slash sorts after a dot.
  for (const id of nodes)
    released += await releaseRuns(db, "lease_token > ? and lease_token < ?", [`${id}.`, `${id}/`]);
  return released;
}

async function releaseRuns(
  db: JobsDb,
  condition: string,
  values: readonly unknown[],
): Promise<number> {
  const released = await rowsOf(
    db,
    `update core_jobs
set state = 'ready', crashes = crashes + 1, lease_until = null, lease_token = null
where state = 'running' and ${condition} returning id`,
    values,
  );
  return released.length;
}

/** Whether a job is ready and due. */
export const isDue = async (db: JobsDb, now_ms: number): Promise<boolean> =>
  (await rowsOf(db, due_sql, [now_ms])).length > 0;
const due_sql = "select run_at from core_jobs where state = 'ready' and run_at <= ? limit 1";

/** When the next job becomes due after `now_ms`; undefined when none will. */
export async function nextRunAt(db: JobsDb, now_ms: number): Promise<number | undefined> {
  const [row] = await rowsOf<{ run_at: number }>(
    db,
    "select run_at from core_jobs where state = 'ready' and run_at > ? order by run_at limit 1",
    [now_ms],
  );
  return row && toNumber(row.run_at);
}

/** Deletes up to `limit` jobs of this state that ended before `before_ms`, and returns how many. */
export async function pruneJobs(
  db: JobsDb,
  state: JobState,
  before_ms: number,
  limit: number,
): Promise<number> {
  const deleted = await rowsOf(
    db,
    `delete from core_jobs where id in (
  select id from core_jobs
  where state in ('done', 'failed', 'cancelled') and state = ? and finished_at < ?
  order by finished_at limit ?
) returning id`,
    [state, before_ms, limit],
  );
  return deleted.length;
}

/**
 * True when `tick_at` is later than every earlier tick of this schedule; records it then. A
 * recorded tick in the future is ignored: the clock was ahead.
 */
export async function takeTick(
  db: JobsDb,
  name: string,
  tick_at: number,
  now_ms: number,
): Promise<boolean> {
  const taken = await rowsOf(
    db,
    "insert into core_ticks (name, tick_at) values (?, ?) on conflict (name) do update set " +
      "tick_at = excluded.tick_at where core_ticks.tick_at < excluded.tick_at " +
      "or core_ticks.tick_at > ? returning name",
    [name, tick_at, now_ms],
  );
  return taken.length === 1;
}
