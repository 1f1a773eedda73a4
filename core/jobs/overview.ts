/** Jobs as administrators see them: listed by state, and run again after they failed for good. */
import { Value } from "@sinclair/typebox/value";
import { sql } from "kysely";
import type { Clock } from "../base/clock";
import { conflict, HttpError, notFound } from "../base/errors";
import type { JobHandler } from "./contract";
import type { Handlers } from "./handlers";
import { toNumber } from "../store/columns";
import { isUnique } from "../store/storage-errors";
import type { Db, Store } from "../store/store";
import type { JobsTables, JobState } from "./schema";

type JobsDb = Db<JobsTables>;
type Row = JobsTables["core_jobs"];
/** Without the payload, which may quote what people wrote. Times are epoch milliseconds. */
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
  readonly retriable: boolean;
}
export interface JobsOverviewOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly handlers: Handlers;
  /** There is something to run, once the surrounding transaction is on disk. */
  readonly wake: () => void;
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

/** Whether a job that failed for good can be run again: its payload is kept then. */
export const isRetriable = ({ onExhausted, requeue }: JobHandler["limits"]): boolean =>
  requeue !== undefined || onExhausted === undefined;

/** Jobs of one state that are counted, and can be reached page by page. */
export const listed_max = 10_000;

/** Jobs that one call runs again. */
const retried_at_once = 1_000;

export class JobsOverview {
  constructor(private readonly options: JobsOverviewOptions) {}

  /**
   * Waiting ones by when they run, the others by when they began or ended, the newest first. The
   * first ten thousand of them: `total` counts no more, however many there are.
   */
  async list(
    state: JobState,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ rows: JobOverview[]; total: number }> {
    const { db } = this.options.store;
    const all = inState(db, state);
    const { total } = await db
      .selectFrom(all.select(sql.lit(1).as("one")).limit(listed_max).as("listed"))
      .select((e) => e.fn.countAll().as("total"))
      .executeTakeFirstOrThrow();
    const ordered =
      state === "ready"
        ? all.orderBy("run_at")
        : all.orderBy(state === "running" ? "started_at" : "finished_at", "desc");
    const rows = await ordered
      .select([...columns])
      .limit(Math.max(0, Math.min(limit, listed_max - offset)))
      .offset(Math.min(offset, listed_max))
      .execute();
    const retriable = (row: (typeof rows)[number]): boolean =>
      state === "failed" && this.retriableHandler(row) !== undefined;
    return {
      rows: rows.map((row) => ({ ...row, retriable: retriable(row) })),
      total: toNumber(total),
    };
  }

  /** Those of these records that an unfinished job is about. */
  async subjectsAtWork(subjects: readonly string[]): Promise<ReadonlySet<string>> {
    if (subjects.length === 0) return new Set();
    const { db } = this.options.store;
    const rows = await db
      .selectFrom("core_jobs")
      .select("subject")
      .where("subject", "in", subjects)
      .where(sql<boolean>`state in ('ready', 'running')`)
      .execute();
    return new Set(rows.map(({ subject }) => subject as string));
  }

  /** When the newest job was made, epoch ms. Ids sort by time, as far as the clock did. */
  async newest(): Promise<number | null> {
    const { db } = this.options.store;
    const row = await db
      .selectFrom("core_jobs")
      .select("created_at")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row ? toNumber(row.created_at) : null;
  }

  /** @throws HttpError 404, 409 when it did not fail, or can't be run again. */
  retry(id: string): Promise<void> {
    const { store, clock, wake } = this.options;
    return store.inTransaction(async (tx: JobsDb) => {
      const job = await tx
        .selectFrom("core_jobs")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      if (!job) throw notFound("job");
      if (job.state !== "failed")
        throw conflict(`This job has not failed: it is ${job.state}.`, "not_failed");
      const handler = this.retriableHandler(job);
      if (!handler || job.payload === "")
        throw conflict(
          "This job can't be run again. What it was for says how to try again.",
          "not_retriable",
        );
      const payload: unknown = JSON.parse(job.payload);
      if (!Value.Check(handler.on.payload, payload))
        throw conflict(
          "This job can't be run again: it was made for another version of its plugin.",
          "not_retriable",
        );
      if (handler.limits.requeue) {
        await handler.limits.requeue(tx, payload);
        await setReplaced(tx, id, clock.now_ms());
      } else await setReady(tx, id, clock.now_ms());
      wake();
    });
  }

  /** Retries the failed jobs of a kind, a thousand at most. `left`: those that can't be. */
  async retryKind(
    kind: Pick<Row, "plugin" | "name">,
  ): Promise<{ retried: number; left: number; more: boolean }> {
    const rows = await inState(this.options.store.db as JobsDb, "failed")
      .select("id")
      .where("plugin", "=", kind.plugin)
      .where("name", "=", kind.name)
      .orderBy("id")
      .limit(retried_at_once + 1)
      .execute();
    let retried = 0;
    // One transaction for each: whoever else writes comes in between.
    for (const { id } of rows.slice(0, retried_at_once)) {
      const gone = await this.retry(id).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
          return true;
        },
      );
      if (!gone) retried++;
    }
    const tried = Math.min(rows.length, retried_at_once);
    return { retried, left: tried - retried, more: rows.length > retried_at_once };
  }

  private retriableHandler(job: Pick<Row, "plugin" | "name">): JobHandler | undefined {
    const handler = this.options.handlers.find(job);
    return handler && isRetriable(handler.limits) ? handler : undefined;
  }
}

/** Written out, not bound: only then does SQLite use the partial indexes of these states. */
function inState(db: JobsDb, state: JobState) {
  const jobs = db.selectFrom("core_jobs").where(sql<boolean>`state = ${sql.lit(state)}`);
  return state === "ready" || state === "running"
    ? jobs
    : jobs.where(sql<boolean>`state in ('done', 'failed', 'cancelled')`);
}

/** Another job does the work again. */
const setReplaced = (tx: JobsDb, id: string, now_ms: number): Promise<unknown> =>
  tx
    .updateTable("core_jobs")
    .set({ state: "cancelled", payload: "", finished_at: now_ms })
    .where("id", "=", id)
    .execute();

async function setReady(tx: JobsDb, id: string, now_ms: number): Promise<void> {
  try {
    await tx
      .updateTable("core_jobs")
      .set({
        state: "ready",
        attempts: 0,
        crashes: 0,
        error: null,
        run_at: now_ms,
        started_at: null,
        finished_at: null,
      })
      .where("id", "=", id)
      .execute();
  } catch (error) {
    if (isUnique(error)) throw conflict("Another such job is waiting already.", "already_waiting");
    throw error;
  }
}
