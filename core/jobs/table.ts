/**
 * Every SQL statement about jobs. The frequent ones are written out, so that nothing is compiled at
 * run time.
 */
import { CompiledQuery } from "kysely";
import { toNumber } from "../store/columns";
import type { Db } from "../store/store";
import type { JobsTables, JobState } from "./schema";

type JobsDb = Db<JobsTables>;

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
  readonly created_at: number;
}
/** A job that waits and may run now. */
export interface Candidate {
  readonly id: string;
  readonly plugin: string;
  readonly name: string;
  readonly owner: string;
  readonly queue: string;
  readonly queue_concurrency: number;
  readonly priority: number;
  readonly run_at: number;
  /** Jobs of its owner, and of its queue, that run at the moment. */
  readonly owner_running: number;
  readonly queue_running: number;
}
export interface Claimed {
  readonly id: string;
  readonly plugin: string;
  readonly name: string;
  readonly payload: string;
  /** Runs that have begun, this one included. */
  readonly attempts: number;
  readonly attempts_max: number;
  /** How many of them the server's end cut off. */
  readonly crashes: number;
  readonly lease_token: string;
  readonly run_at: number;
}
/** A handler that may run `free` more jobs. */
export interface Capacity {
  readonly plugin: string;
  readonly name: string;
  readonly free: number;
  /** Owners who have this many jobs running get no further run of this handler. */
  readonly owner_max: number;
  /** Its runs take no slot. */
  readonly io_bound: boolean;
}

const all = async <R>(db: JobsDb, sql: string, parameters: readonly unknown[]): Promise<R[]> =>
  (await db.executeQuery<R>(CompiledQuery.raw(sql, [...parameters]))).rows;
const marks = (count: number): string => Array(count).fill("?").join(", ");

const insert_sql = `insert into core_jobs (id, plugin, name, payload, owner, lane, lane_max, priority, state, run_at, attempts, attempts_max, key, subject, created_at)
values (?, ?, ?, ?, ?, ?, ?, ?, 'ready', ?, 0, ?, ?, ?, ?)
on conflict (name, key) where key is not null and state in ('ready', 'running') do nothing`;

/** Nothing happens when an unfinished job has the key. */
export const insertJob = (db: JobsDb, job: NewJob): Promise<unknown> =>
  all(db, insert_sql, [
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
    job.created_at,
  ]);

/**
 * Steps from one (owner, lane, priority) to the next instead of reading the jobs of a lane: a lane
 * with a hundred thousand jobs costs what one with one job costs,
 * and an owner who has enough runs costs one step. (Comparing the three at once would read the
 * whole lane: SQLite seeks by the first column only.)
 * Handlers that are full, or not there, are not looked at.
 */
const candidates_sql = (handlers: number): string => `with recursive
room (plugin, name, owner_max) as (values ${Array(handlers).fill("(?, ?, ?)").join(", ")}),
busy (lane, running) as materialized (select lane, count(*) from core_jobs where state = 'running' group by lane),
holds (owner, running) as materialized (select owner, count(*) from core_jobs where state = 'running' group by owner),
head (plugin, name, owner_max, owner, lane, priority, open) as (
  select j.plugin, j.name, r.owner_max, j.owner, j.lane, j.priority, not exists (select 1 from holds o where o.owner = j.owner and o.running >= r.owner_max) from room r cross join core_jobs j
  where j.id = (select f.id from core_jobs f where f.state = 'ready' and f.plugin = r.plugin and f.name = r.name and f.owner > ? order by f.owner, f.lane, f.priority, f.run_at, f.id limit 1)
  union all
  select j.plugin, j.name, h.owner_max, j.owner, j.lane, j.priority, not exists (select 1 from holds o where o.owner = j.owner and o.running >= h.owner_max) from head h cross join core_jobs j
  where j.id = coalesce(
    (select n.id from core_jobs n where h.open and n.state = 'ready' and n.plugin = h.plugin and n.name = h.name and n.owner = h.owner and n.lane = h.lane and n.priority > h.priority order by n.priority, n.run_at, n.id limit 1),
    (select n.id from core_jobs n where h.open and n.state = 'ready' and n.plugin = h.plugin and n.name = h.name and n.owner = h.owner and n.lane > h.lane order by n.lane, n.priority, n.run_at, n.id limit 1),
    (select n.id from core_jobs n where n.state = 'ready' and n.plugin = h.plugin and n.name = h.name and n.owner > h.owner order by n.owner, n.lane, n.priority, n.run_at, n.id limit 1))
)
select j.id, j.plugin, j.name, j.owner, j.lane as queue, j.lane_max as queue_concurrency, j.priority, j.run_at, coalesce(b.running, 0) as queue_running, coalesce(o.running, 0) as owner_running
from head h cross join core_jobs j left join busy b on b.lane = j.lane left join holds o on o.owner = j.owner
where h.open and j.id in (select c.id from core_jobs c where c.state = 'ready' and c.plugin = h.plugin and c.name = h.name and c.owner = h.owner and c.lane = h.lane and c.priority = h.priority
  and c.run_at <= ? order by c.run_at, c.id limit ?)
and coalesce(b.running, 0) < j.lane_max
limit ?`;

/** Where a search for candidates begins and how much it takes. */
export interface CandidateWindow {
  readonly after_owner: string;
  readonly each_max: number;
  readonly all_max: number;
}

/**
 * Jobs that are due of owners after `after_owner`: the first `each_max` of every lane and priority,
 * `all_max` in all. Handlers take turns.
 */
export const candidates = (
  db: JobsDb,
  capacities: readonly Capacity[],
  now_ms: number,
  { after_owner, each_max, all_max }: CandidateWindow,
): Promise<Candidate[]> =>
  capacities.length === 0
    ? Promise.resolve([])
    : all(db, candidates_sql(capacities.length), [
        ...capacities.flatMap(({ plugin, name, owner_max }) => [plugin, name, owner_max]),
        after_owner,
        now_ms,
        each_max,
        all_max,
      ]);

/**
 * Takes these jobs; the attempt counts from here on. Those that are no longer waiting are not in
 * the answer.
 */
export const claimJobs = (
  db: JobsDb,
  ids: readonly string[],
  lease: { readonly token: string; readonly until_ms: number },
  now_ms: number,
): Promise<Claimed[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : all(
        db,
        `update core_jobs set state = 'running', attempts = attempts + 1, lease_until = ?, lease_token = ?, started_at = ?
where state = 'ready' and id in (${marks(ids.length)}) returning id, plugin, name, payload, attempts, attempts_max, crashes, lease_token, run_at`,
        [lease.until_ms, lease.token, now_ms, ...ids],
      );

/**
 * How a run ends. Each of these is refused (false) when the job was cancelled or its lease is
 * another's by now.
 */
type Held = Pick<Claimed, "id" | "lease_token">;
const fenced = async (
  db: JobsDb,
  set: string,
  values: readonly unknown[],
  { id, lease_token }: Held,
): Promise<boolean> =>
  (
    await all(
      db,
      `update core_jobs set ${set}, lease_until = null, lease_token = null where id = ? and lease_token = ? and state = 'running' returning id`,
      [...values, id, lease_token],
    )
  ).length === 1;

// The payload goes when the job ends: it may quote what is deleted later.
export const completeJob = (db: JobsDb, job: Held, now_ms: number): Promise<boolean> =>
  fenced(db, "state = 'done', payload = '', error = null, finished_at = ?", [now_ms], job);
/** `keep_payload`: an administrator may ask for it again. */
export const failJob = (
  db: JobsDb,
  job: Held,
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
export const retryJob = (db: JobsDb, job: Held, error: string, run_at: number): Promise<boolean> =>
  fenced(db, "state = 'ready', error = ?, run_at = ?", [error, run_at], job);
/** Back to waiting as if it had not been claimed. */
export const returnJob = (db: JobsDb, job: Held, run_at: number): Promise<boolean> =>
  fenced(db, "state = 'ready', attempts = attempts - 1, run_at = ?", [run_at], job);

/** Lengthens the leases with these tokens. Returns the ids of the jobs that still have them. */
export const renewLeases = async (
  db: JobsDb,
  tokens: readonly string[],
  until_ms: number,
): Promise<Set<string>> =>
  new Set(
    tokens.length === 0
      ? []
      : (
          await all<{ id: string }>(
            db,
            `update core_jobs set lease_until = ? where state = 'running' and lease_token in (${marks(tokens.length)}) returning id`,
            [until_ms, ...tokens],
          )
        ).map((row) => row.id),
  );

/**
 * Makes jobs wait again whose process has died: those whose lease has run out (`before_ms`), or all
 * that run, when nobody else can be running them. Returns how many.
 */
export const freeJobs = async (db: JobsDb, before_ms: number | "all"): Promise<number> =>
  (
    await all(
      db,
      `update core_jobs set state = 'ready', crashes = crashes + 1, lease_until = null, lease_token = null where state = 'running'${before_ms === "all" ? "" : " and lease_until < ?"} returning id`,
      before_ms === "all" ? [] : [before_ms],
    )
  ).length;

/** Subjects per statement: far below the limit of bound values. */
const subjects_each = 500;

/** Ends unfinished jobs about these subjects and returns their ids. */
export async function cancelJobs(
  db: JobsDb,
  subjects: readonly string[],
  now_ms: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < subjects.length; from += subjects_each) {
    const some = subjects.slice(from, from + subjects_each);
    const rows = await all<{ id: string }>(
      db,
      `update core_jobs set state = 'cancelled', payload = '', finished_at = ?, lease_until = null, lease_token = null
where subject is not null and state in ('ready', 'running') and subject in (${marks(some.length)}) returning id`,
      [now_ms, ...some],
    );
    ids.push(...rows.map((row) => row.id));
    // One that failed is not asked for again.
    await all(
      db,
      `update core_jobs set payload = '' where subject is not null and state = 'failed' and payload != '' and subject in (${marks(some.length)})`,
      some,
    );
  }
  return ids;
}

/** When the next job becomes due after `now_ms`; undefined when none will. */
export async function nextRunAt(db: JobsDb, now_ms: number): Promise<number | undefined> {
  const [row] = await all<{ run_at: number }>(
    db,
    "select run_at from core_jobs where state = 'ready' and run_at > ? order by run_at limit 1",
    [now_ms],
  );
  return row && toNumber(row.run_at);
}

/** Makes every waiting job due so much earlier. */
export const bringForward = (db: JobsDb, by_ms: number): Promise<unknown> =>
  all(db, "update core_jobs set run_at = run_at - ? where state = 'ready'", [by_ms]);

/**
 * Deletes jobs of this state that ended before `before_ms`, at most `most`, and returns how many.
 */
export async function pruneJobs(
  db: JobsDb,
  state: JobState,
  before_ms: number,
  most: number,
): Promise<number> {
  const gone = await all(
    db,
    `delete from core_jobs where id in (select id from core_jobs where state in ('done', 'failed', 'cancelled') and state = ? and finished_at < ? order by finished_at limit ?) returning id`,
    [state, before_ms, most],
  );
  return gone.length;
}

/** How many jobs are in each state that matters. */
export async function countJobs(
  db: JobsDb,
): Promise<{ ready: number; running: number; failed: number }> {
  const count = async (state: string) =>
    toNumber(
      (
        await all<{ n: number }>(
          db,
          `select count(*) as n from core_jobs where state = '${state}'${state === "failed" ? " and state in ('done', 'failed', 'cancelled')" : ""}`,
          [],
        )
      )[0]!.n,
    );
  return {
    ready: await count("ready"),
    running: await count("running"),
    failed: await count("failed"),
  };
}

/** True when `tick_at` is later than every tick of this schedule before; remembers it then. */
export async function takeTick(db: JobsDb, name: string, tick_at: number): Promise<boolean> {
  const taken = await all(
    db,
    "insert into core_ticks (name, tick_at) values (?, ?) on conflict (name) do update set " +
      "tick_at = excluded.tick_at where core_ticks.tick_at < excluded.tick_at returning name",
    [name, tick_at],
  );
  return taken.length === 1;
}
