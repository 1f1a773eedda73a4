/** Jobs as administrators and monitoring see them: listed, counted, looked up by their record. */
import { sql } from "kysely";
import { toNumber } from "../store/columns";
import type { Store } from "../store/store";
import type { Handlers } from "./handlers";
import {
  countJobs,
  countKinds,
  countReasons,
  type FailureReason,
  type KindCount,
  type QueueStatus,
} from "./job-counts";
import { runningByNode, type RunningKind } from "./running-counts";
import type { JobsDb, JobsTables, JobState } from "./store";

type Row = JobsTables["core_jobs"];
/** Without the payload, which may quote content. Times are epoch milliseconds. */
export interface JobOverview extends Pick<
  Row,
  | "id"
  | "plugin"
  | "name"
  | "state"
  | "attempts"
  | "attempts_max"
  | "error"
  | "run_at"
  | "created_at"
  | "started_at"
  | "finished_at"
  | "subject"
  | "request_id"
> {
  /** Whether it failed and can be run again. */
  readonly retriable: boolean;
}

const columns = [
  "id",
  "plugin",
  "name",
  "state",
  "attempts",
  "attempts_max",
  "error",
  "run_at",
  "created_at",
  "started_at",
  "finished_at",
  "subject",
  "request_id",
] as const;

/** The number of jobs in one state that are counted and can be paged through. */
const listed_max = 10_000;

/** Reads the table of jobs. */
export class JobQueries {
  constructor(
    private readonly store: Pick<Store, "db">,
    private readonly handlers: Handlers,
  ) {}

  /**
   * Waiting jobs by due time, others by start or end, newest first. Limited to the first ten
   * thousand, which `total` does not exceed.
   */
  async list(
    state: JobState,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ rows: JobOverview[]; total: number }> {
    const db: JobsDb = this.store.db;
    const jobs_in_state = inState(db, state);
    const { total } = await db
      .selectFrom(jobs_in_state.select(sql.lit(1).as("one")).limit(listed_max).as("listed"))
      .select((e) => e.fn.countAll().as("total"))
      .executeTakeFirstOrThrow();
    const ordered =
      state === "ready"
        ? jobs_in_state.orderBy("run_at")
        : jobs_in_state.orderBy(state === "running" ? "started_at" : "finished_at", "desc");
    const rows = await ordered
      .select([...columns])
      .limit(Math.max(0, Math.min(limit, listed_max - offset)))
      .offset(Math.min(offset, listed_max))
      .execute();
    const retriable = (row: (typeof rows)[number]): boolean =>
      state === "failed" && this.handlers.findRetriable(row) !== undefined;
    return {
      rows: rows.map((row) => ({ ...row, retriable: retriable(row) })),
      total: toNumber(total),
    };
  }

  /** The number of jobs by state. */
  counts(): Promise<QueueStatus> {
    return countJobs(this.store.db);
  }

  /** The number of jobs by kind and state. */
  kindCounts(): Promise<KindCount[]> {
    return countKinds(this.store.db);
  }

  /** Why jobs failed for good, by kind. */
  failureReasons(): Promise<FailureReason[]> {
    return countReasons(this.store.db);
  }

  /** The running jobs of each process, by its id. */
  runningByNode(): Promise<ReadonlyMap<string, readonly RunningKind[]>> {
    return runningByNode(this.store.db);
  }

  /** Those of these records that have an unfinished job. */
  async activeSubjects(subjects: readonly string[]): Promise<ReadonlySet<string>> {
    if (subjects.length === 0) return new Set();
    const db: JobsDb = this.store.db;
    const rows = await db
      .selectFrom("core_jobs")
      .select("subject")
      .where("subject", "in", subjects)
      .where(sql<boolean>`state in ('ready', 'running')`)
      .execute();
    return new Set(rows.map(({ subject }) => subject as string));
  }

  /** When the newest job was created, epoch ms. Ids sort by time, as far as the clock did. */
  async newest(): Promise<number | null> {
    const db: JobsDb = this.store.db;
    const row = await db
      .selectFrom("core_jobs")
      .select("created_at")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row ? toNumber(row.created_at) : null;
  }

  /** The most recently completed jobs of these kinds: their subjects and when they ended. */
  async newestDone(
    names: readonly string[],
    limit: number,
  ): Promise<{ readonly subject: string; readonly finished_at: number }[]> {
    const rows = await inState(this.store.db, "done")
      .select(["subject", "finished_at", "name"])
      .orderBy("finished_at", "desc")
      .limit(limit)
      .execute();
    return rows.flatMap(({ subject, finished_at, name }) =>
      subject !== null && names.includes(name)
        ? [{ subject, finished_at: toNumber(finished_at) }]
        : [],
    );
  }
}

/** Literals rather than bound values: only then SQLite uses the partial indexes on these states. */
export function inState(db: JobsDb, state: JobState) {
  const jobs = db.selectFrom("core_jobs").where(sql<boolean>`state = ${sql.lit(state)}`);
  return state === "ready" || state === "running"
    ? jobs
    : jobs.where(sql<boolean>`state in ('done', 'failed', 'cancelled')`);
}
