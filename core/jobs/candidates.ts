/** The search for jobs that may run now. */
import type { Db } from "../store/store";
import { rowsOf } from "../store/written-out";
import type { JobsTables } from "./schema";

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
  /** Running jobs of this handler for its owner, and of its queue. */
  readonly owner_running: number;
  readonly queue_running: number;
}
/** A handler that may run `free` more jobs. */
export interface Capacity {
  readonly plugin: string;
  readonly name: string;
  readonly free: number;
  /** Owners who have this many runs of this handler get no further one. */
  readonly owner_max: number;
  /** Its runs take no slot. */
  readonly io_bound: boolean;
}

/**
 * Steps from one (owner, queue, priority) to the next instead of reading the jobs of a queue: a
 * queue with a hundred thousand jobs costs what one with one job costs, and an owner who has enough
 * runs costs one step. (Comparing the three at once would read the whole queue: SQLite seeks by the
 * first column only.) Handlers without capacity are not looked at. A queue's columns are `lane` and
 * `lane_max`.
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
head (plugin, name, owner_max, owner, lane, priority, open) as (
  select j.plugin, j.name, r.owner_max, j.owner, j.lane, j.priority, ${isOpen("r")}
  from handler r cross join core_jobs j
  where j.id = (
    select f.id from core_jobs f
    where f.state = 'ready' and f.plugin = r.plugin and f.name = r.name and f.owner > ?
    order by f.owner, f.lane, f.priority, f.run_at, f.id limit 1
  )
  union all
  select j.plugin, j.name, h.owner_max, j.owner, j.lane, j.priority, ${isOpen("h")}
  from head h cross join core_jobs j
  where j.id = coalesce(
    (select n.id from core_jobs n
      where h.open and n.state = 'ready' and n.plugin = h.plugin and n.name = h.name
        and n.owner = h.owner and n.lane = h.lane and n.priority > h.priority
      order by n.priority, n.run_at, n.id limit 1),
    (select n.id from core_jobs n
      where h.open and n.state = 'ready' and n.plugin = h.plugin and n.name = h.name
        and n.owner = h.owner and n.lane > h.lane
      order by n.lane, n.priority, n.run_at, n.id limit 1),
    (select n.id from core_jobs n
      where n.state = 'ready' and n.plugin = h.plugin and n.name = h.name and n.owner > h.owner
      order by n.owner, n.lane, n.priority, n.run_at, n.id limit 1)
  )
)
select j.id, j.plugin, j.name, j.owner, j.lane as queue, j.lane_max as queue_concurrency,
  j.priority, j.run_at, coalesce(b.running, 0) as queue_running,
  coalesce(o.running, 0) as owner_running
from head h cross join core_jobs j
left join busy_queue b on b.lane = j.lane
left join busy_owner o on o.plugin = j.plugin and o.name = j.name and o.owner = j.owner
where h.open and j.id in (
  select c.id from core_jobs c
  where c.state = 'ready' and c.plugin = h.plugin and c.name = h.name and c.owner = h.owner
    and c.lane = h.lane and c.priority = h.priority and c.run_at <= ?
  order by c.run_at, c.id limit ?
)
and coalesce(b.running, 0) < j.lane_max
limit ?`;

/** The owner of job `j` may have one more run of this handler. */
const isOpen = (handler: string): string =>
  "not exists (select 1 from busy_owner o where o.plugin = j.plugin and o.name = j.name and " +
  `o.owner = j.owner and o.running >= ${handler}.owner_max)`;

/** Where a search for candidates begins and how much it takes. */
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
        now_ms,
        each_max,
        all_max,
      ]);
