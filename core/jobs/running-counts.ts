/**
 * Counts running jobs in all processes, from the table: read under the lock, the counts hold until
 * the commit.
 */
import { toNumber } from "../store/columns";
import type { Db } from "../store/store";
import { rowsOf } from "../store/raw-statements";
import { handlerKey } from "./scheduler";
import type { JobsTables } from "./store";
import { nodeOf } from "./store";

/** Running jobs in all processes. */
export interface RunningCounts {
  /** By handler. */
  readonly handlers: ReadonlyMap<string, number>;
  /** By owner: only jobs whose handlers take slots. */
  readonly slots_of: ReadonlyMap<string, number>;
}

const counts_sql = `
select plugin, name, owner, count(*) as n from core_jobs where state = 'running'
group by plugin, name, owner`;

/** `takesSlot`: whether jobs of this name count against the slots of their owner. */
export async function readRunningCounts(
  db: Db<JobsTables>,
  takesSlot: (handler: { readonly plugin: string; readonly name: string }) => boolean,
): Promise<RunningCounts> {
  const handlers = new Map<string, number>();
  const slots_of = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string, n: number): void => {
    counts.set(key, (counts.get(key) ?? 0) + n);
  };
  const rows = await rowsOf<{ plugin: string; name: string; owner: string; n: number }>(
    db,
    counts_sql,
    [],
  );
  for (const row of rows) {
    add(handlers, handlerKey(row), toNumber(row.n));
    if (takesSlot(row)) add(slots_of, row.owner, toNumber(row.n));
  }
  return { handlers, slots_of };
}

/** The number of running jobs of a kind. */
export interface RunningKind {
  readonly plugin: string;
  readonly name: string;
  readonly jobs: number;
}

const leases_sql = "select plugin, name, lease_token from core_jobs where state = 'running'";

/** The running jobs of each process, by its id. */
export async function runningByNode(
  db: Db<JobsTables>,
): Promise<ReadonlyMap<string, readonly RunningKind[]>> {
  const rows = await rowsOf<{ plugin: string; name: string; lease_token: string | null }>(
    db,
    leases_sql,
    [],
  );
  const leased = rows.filter(({ lease_token }) => lease_token !== null);
  return new Map(
    [...Map.groupBy(leased, (job) => nodeOf(job.lease_token!))].map(([node, jobs]) => [
      node,
      [...Map.groupBy(jobs, handlerKey).values()]
        .map((jobs) => ({ plugin: jobs[0]!.plugin, name: jobs[0]!.name, jobs: jobs.length }))
        .sort((a, b) => b.jobs - a.jobs || (a.name < b.name ? -1 : 1)),
    ]),
  );
}
