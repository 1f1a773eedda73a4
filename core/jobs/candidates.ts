/** Finds the jobs that may run now. */
import { toNumber } from "../store/columns";
import type { Db } from "../store/store";
import { rowsOf } from "../store/raw-statements";
import type { JobsTables } from "./store";

/** What identifies a handler. */
export interface Kind {
  readonly plugin: string;
  readonly name: string;
}
/** A ready job that may run now. */
export interface Candidate extends Kind {
  readonly id: string;
  readonly owner: string;
  readonly queue: string;
  readonly queue_concurrency: number;
  readonly priority: number;
  readonly run_at: number;
  /** Running jobs of this handler for its owner, and in its queue. */
  readonly owner_running: number;
  readonly queue_running: number;
}
/** A handler with capacity for `free` more jobs. */
export interface Capacity extends Kind {
  readonly free: number;
  /** Owners with this many runs of this handler get no further one. */
  readonly owner_max: number;
  /** Its runs take no slot. */
  readonly io_bound: boolean;
  /** See `JobLimits`. */
  readonly leaves_room: boolean;
}

/** Job `n` is ready and belongs to the handler and owner of step `s`; and to its queue. */
const of_owner =
  "n.state = 'ready' and n.plugin = s.plugin and n.name = s.name and n.owner = s.owner";
const of_queue = `${of_owner} and n.lane = s.lane`;

/**
 * Steps from job to job: the next one of the same (owner, queue, priority), as long as they are due
 * and more are wanted, else the first of the next priority, queue or owner. A queue with a hundred
 * thousand jobs costs no more than one with a single job, an owner or a queue with enough runs
 * costs one step, and nothing is read beyond the last candidate needed. (Each step is a separate
 * index seek: when comparing several columns at once, SQLite would seek by the first only, and
 * PostgreSQL would join every job with every queue.) Handlers without capacity are skipped. A
 * queue's columns are `lane` and `lane_max`.
 */
const candidates_sql = (handlers: number): string => `
with recursive
handler (plugin, name, owner_max) as (
  values ${Array(handlers).fill("(cast(? as text), cast(? as text), cast(? as bigint))").join(", ")}
),
busy_queue (lane, running) as materialized (
  select lane, count(*) from core_jobs where state = 'running' group by lane
),
busy_owner (plugin, name, owner, running) as materialized (
  select plugin, name, owner, count(*) from core_jobs where state = 'running'
  group by plugin, name, owner
),
step (id, plugin, name, owner_max, owner, lane, lane_max, priority, run_at, open, free, nth)
as (
  select j.id, j.plugin, j.name, r.owner_max, j.owner, j.lane, j.lane_max, j.priority, j.run_at,
    ${isOpen("r")}, ${free_in_queue}, 1
  from handler r cross join core_jobs j
  where j.id = (
    select f.id from core_jobs f
    where f.state = 'ready' and f.plugin = r.plugin and f.name = r.name and f.owner > ?
    order by f.owner, f.lane, f.priority, f.run_at, f.id limit 1
  )
  union all
  select j.id, j.plugin, j.name, s.owner_max, j.owner, j.lane, j.lane_max, j.priority, j.run_at,
    case when j.owner = s.owner then s.open else ${isOpen("s")} end,
    case when j.lane = s.lane then s.free else ${free_in_queue} end,
    case when j.owner = s.owner and j.lane = s.lane and j.priority = s.priority
      then s.nth + 1 else 1 end
  from step s cross join core_jobs j
  where j.id = coalesce(
    (select n.id from core_jobs n
      where s.open and s.nth < s.free and s.nth < cast(? as integer) and s.run_at <= ?
        and ${of_queue} and n.priority = s.priority and n.run_at = s.run_at and n.id > s.id
      order by n.id limit 1),
    (select n.id from core_jobs n
      where s.open and s.nth < s.free and s.nth < cast(? as integer) and ${of_queue}
        and n.priority = s.priority and n.run_at > s.run_at and n.run_at <= ?
      order by n.run_at, n.id limit 1),
    (select n.id from core_jobs n
      where s.open and s.free > 0 and ${of_queue} and n.priority > s.priority
      order by n.priority, n.run_at, n.id limit 1),
    (select n.id from core_jobs n
      where s.open and ${of_owner} and n.lane > s.lane
      order by n.lane, n.priority, n.run_at, n.id limit 1),
    (select n.id from core_jobs n
      where n.state = 'ready' and n.plugin = s.plugin and n.name = s.name and n.owner > s.owner
      order by n.owner, n.lane, n.priority, n.run_at, n.id limit 1)
  )
)
select s.id, s.plugin, s.name, s.owner, s.lane as queue, s.lane_max as queue_concurrency,
  s.priority, s.run_at, coalesce(b.running, 0) as queue_running,
  coalesce(o.running, 0) as owner_running
from step s
left join busy_queue b on b.lane = s.lane
left join busy_owner o on o.plugin = s.plugin and o.name = s.name and o.owner = s.owner
where s.open and s.run_at <= ? and coalesce(b.running, 0) < s.lane_max
limit ?`;

/** The owner of job `j` may have one more run of this handler. */
const isOpen = (handler: string): string =>
  "not exists (select 1 from busy_owner o where o.plugin = j.plugin and o.name = j.name and " +
  `o.owner = j.owner and o.running >= ${handler}.owner_max)`;

/** How many more jobs the queue of job `j` may run. */
const free_in_queue =
  "j.lane_max - coalesce((select b.running from busy_queue b where b.lane = j.lane), 0)";

/** Where a search for candidates begins and how many it returns. */
export interface CandidateWindow {
  readonly after_owner: string;
  readonly each_max: number;
  readonly all_max: number;
}

/**
 * Due jobs of owners after `after_owner`: the first `each_max` of every queue and priority,
 * `all_max` in all. Handlers take turns.
 */
export const findCandidates = (
  db: Db<JobsTables>,
  capacities: readonly Capacity[],
  now_ms: number,
  { after_owner, each_max, all_max }: CandidateWindow,
): Promise<Candidate[]> =>
  capacities.length === 0
    ? Promise.resolve([])
    : rowsOf(db, candidates_sql(capacities.length), [
        ...capacities.flatMap(({ plugin, name, owner_max }) => [plugin, name, owner_max]),
        after_owner,
        ...[each_max, now_ms],
        ...[each_max, now_ms],
        now_ms,
        all_max,
      ]);

/** Steps from kind to kind, so that it takes no longer with many jobs of one kind. */
const ready_kinds_sql = `
with recursive kind (plugin, name) as (
  select f.plugin, f.name from core_jobs f
  where f.id = (
    select n.id from core_jobs n where n.state = 'ready' order by n.plugin, n.name limit 1
  )
  union all
  select j.plugin, j.name from kind k cross join core_jobs j
  where j.id = coalesce(
    (select n.id from core_jobs n
      where n.state = 'ready' and n.plugin = k.plugin and n.name > k.name
      order by n.name limit 1),
    (select n.id from core_jobs n
      where n.state = 'ready' and n.plugin > k.plugin
      order by n.plugin, n.name limit 1)
  )
)
select plugin, name from kind`;

/** The kinds of which jobs are ready, due or not: a search takes time for each handler it names. */
export const readyKinds = (db: Db<JobsTables>): Promise<readonly Kind[]> =>
  rowsOf(db, ready_kinds_sql, []);

interface RunningGroup extends Pick<Candidate, "plugin" | "name" | "owner" | "queue"> {
  readonly running: number | bigint;
}
const due_sql = `
select id, plugin, name, owner, lane as queue, lane_max as queue_concurrency, priority, run_at
from core_jobs where state = 'ready' and run_at <= ? order by run_at limit ?`;
const running_sql = `
select plugin, name, owner, lane as queue, count(*) as running
from core_jobs where state = 'running' group by plugin, name, owner, lane`;

/**
 * All due jobs, also those that may not run now; undefined when there are more than `limit`. While
 * there are few, this takes a fraction of the time of a search.
 */
export async function findFewDue(
  db: Db<JobsTables>,
  now_ms: number,
  limit: number,
): Promise<readonly Candidate[] | undefined> {
  const due = await rowsOf<Candidate>(db, due_sql, [now_ms, limit + 1]);
  if (due.length > limit) return undefined;
  const groups = due.length === 0 ? [] : await rowsOf<RunningGroup>(db, running_sql, []);
  const count = (counts: (group: RunningGroup) => boolean): number =>
    groups.reduce((sum, group) => (counts(group) ? sum + toNumber(group.running) : sum), 0);
  return due.map((job) => ({
    ...job,
    run_at: toNumber(job.run_at),
    owner_running: count(
      ({ plugin, name, owner }) =>
        plugin === job.plugin && name === job.name && owner === job.owner,
    ),
    queue_running: count(({ queue }) => queue === job.queue),
  }));
}
