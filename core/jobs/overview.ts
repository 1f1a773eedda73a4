/** Jobs as administrators see them: listed by state, and run again after they failed for good. */
import { Value } from "@sinclair/typebox/value";
import { sql } from "kysely";
import type { Clock } from "../base/clock";
import { conflict, HttpError, notFound } from "../base/errors";
import type { JobHandler } from "./contract";
import type { Handlers } from "./handlers";
import { toNumber } from "../store/columns";
import { isUnique } from "../store/storage-errors";
import type { Store } from "../store/store";
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
  readonly retriable: boolean;
}
export interface JobsOverviewOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly handlers: Handlers;
  /** Called once the surrounding transaction is committed, when there is something to run. */
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

/** The number of jobs in one state that are counted and can be paged through. */
const listed_max = 10_000;

/** The number of jobs that one call runs again or drops. */
const jobs_per_call = 1_000;
/** The number of failed jobs that one transaction deletes. */
const jobs_per_deletion = 200;

/** Failed or waiting jobs of a kind; with `error` only those that failed for this reason. */
export interface JobSelection extends Pick<Row, "plugin" | "name"> {
  readonly error?: string | undefined;
  /** Only jobs after this id, to continue after an incomplete call. */
  readonly after?: string | undefined;
}
/** The result of one call; `next` is where the following one continues, null at the end. */
export interface BatchDone {
  readonly done: number;
  /** Jobs of the batch that can't be handled. */
  readonly left: number;
  readonly next: string | null;
}

export class JobsOverview {
  constructor(private readonly options: JobsOverviewOptions) {}

  /**
   * Waiting jobs by due time, others by start or end, newest first. Limited to the first ten
   * thousand, which `total` does not exceed.
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

  /** Those of these records that have an unfinished job. */
  async activeSubjects(subjects: readonly string[]): Promise<ReadonlySet<string>> {
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

  /** When the newest job was created, epoch ms. Ids sort by time, as far as the clock did. */
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

  /** @throws HttpError 404, or 409 when it did not fail or can't be run again. */
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
        throw conflict(
          `Only failed jobs can be run again; this job is ${job.state}.`,
          "not_failed",
        );
      const handler = this.retriableHandler(job);
      if (!handler || job.payload === "")
        throw conflict(
          "This job can't be run again from here. Retry the document or run that it was for.",
          "not_retriable",
        );
      const payload: unknown = JSON.parse(job.payload);
      if (!Value.Check(handler.on.payload, payload))
        throw conflict(
          "This job can't be run again: it was created by another version of its plugin.",
          "not_retriable",
        );
      if (handler.limits.requeue) {
        await handler.limits.requeue(tx, payload);
        await setReplaced(tx, id, clock.now_ms());
      } else await setReady(tx, id, clock.now_ms());
      wake();
    });
  }

  /** Runs up to a thousand failed jobs of a kind again. */
  retryKind(selection: JobSelection): Promise<BatchDone> {
    return this.forEachJob("failed", selection, (id) => this.retry(id));
  }

  /**
   * Deletes a failed job; ends a waiting one as if it had failed for good. @throws HttpError 404,
   * or 409 when it is running, has ended, or its work must not be lost.
   */
  async drop(id: string): Promise<void> {
    const { store } = this.options;
    await store.inDeletion(async (tx: JobsDb) => {
      const job = await tx
        .selectFrom("core_jobs")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      if (!job) throw notFound("job");
      if (job.state === "failed") {
        await tx.deleteFrom("core_jobs").where("id", "=", id).execute();
        return;
      }
      if (job.state !== "ready")
        throw conflict(`Only waiting or failed jobs can be dropped; this job is ${job.state}.`);
      await this.dropWaiting(tx, job);
    });
    store.truncateWal();
  }

  /** Drops failed or waiting jobs of a kind, a batch in each call. @throws HttpError 409 */
  async dropKind(selection: JobSelection & { readonly state: "failed" | "ready" }) {
    if (selection.state === "failed") return this.deleteFailed(selection);
    this.requireDroppable(selection);
    return this.forEachJob("ready", selection, (id) => this.drop(id));
  }

  /**
   * Whether waiting jobs of this kind can be dropped: only when the handler decides what becomes of
   * their subjects.
   */
  isDroppable(kind: Pick<Row, "plugin" | "name">): boolean {
    return this.options.handlers.find(kind)?.limits.onExhausted !== undefined;
  }

  /** Whether failed jobs of this kind can be run again. */
  isRetriable(kind: Pick<Row, "plugin" | "name">): boolean {
    return this.retriableHandler(kind) !== undefined;
  }

  /** The most recently completed jobs of these kinds: their subjects and when they ended. */
  async newestDone(
    names: readonly string[],
    limit: number,
  ): Promise<{ readonly subject: string; readonly finished_at: number }[]> {
    const rows = await inState(this.options.store.db as JobsDb, "done")
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

  private requireDroppable(kind: Pick<Row, "plugin" | "name">): void {
    if (!this.isDroppable(kind))
      throw conflict(
        `Waiting jobs of the kind ${kind.name} can't be dropped, because their work would ` +
          "never be done.",
        "not_droppable",
      );
  }

  private async dropWaiting(tx: JobsDb, job: Row): Promise<void> {
    this.requireDroppable(job);
    const { on, limits } = this.options.handlers.find(job)!;
    await tx
      .updateTable("core_jobs")
      .set({
        state: "cancelled",
        payload: "",
        error: dropped_reason,
        finished_at: this.options.clock.now_ms(),
      })
      .where("id", "=", job.id)
      .execute();
    const payload: unknown = JSON.parse(job.payload);
    if (Value.Check(on.payload, payload))
      await limits.onExhausted!(tx, payload, dropped_reason, "dropped");
  }

  private async deleteFailed({ plugin, name, error }: JobSelection): Promise<BatchDone> {
    const { store } = this.options;
    let done = 0;
    let deleted: number;
    do {
      deleted = await store.inDeletion(async (tx: JobsDb) => {
        const ids = await idsOf(tx, "failed", { plugin, name, error }, jobs_per_deletion);
        if (ids.length > 0) await tx.deleteFrom("core_jobs").where("id", "in", ids).execute();
        return ids.length;
      });
      done += deleted;
    } while (deleted === jobs_per_deletion && done < jobs_per_call);
    store.truncateWal();
    const [next] = await idsOf(store.db, "failed", { plugin, name, error }, 1);
    return { done, left: 0, next: next === undefined ? null : "" };
  }

  /** One transaction for each, so that other writers come in between. */
  private async forEachJob(
    state: "failed" | "ready",
    selection: JobSelection,
    change: (id: string) => Promise<void>,
  ): Promise<BatchDone> {
    const ids = await idsOf(this.options.store.db, state, selection, jobs_per_call + 1);
    const batch = ids.slice(0, jobs_per_call);
    let done = 0;
    for (const id of batch)
      await change(id).then(
        () => done++,
        (error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
        },
      );
    const next = ids.length > jobs_per_call ? batch.at(-1)! : null;
    return { done, left: batch.length - done, next };
  }

  private retriableHandler(job: Pick<Row, "plugin" | "name">): JobHandler | undefined {
    const handler = this.options.handlers.find(job);
    return handler && isRetriable(handler.limits) ? handler : undefined;
  }
}

const dropped_reason = "dropped by an administrator";

const idsOf = async (
  db: JobsDb,
  state: JobState,
  { plugin, name, error, after = "" }: JobSelection,
  limit: number,
): Promise<string[]> =>
  (
    await inState(db, state)
      .select("id")
      .where("plugin", "=", plugin)
      .where("name", "=", name)
      .where("id", ">", after)
      .$if(error !== undefined, (query) => query.where("error", "=", error!))
      .orderBy("id")
      .limit(limit)
      .execute()
  ).map(({ id }) => id);

/** Literals rather than bound values: only then SQLite uses the partial indexes on these states. */
function inState(db: JobsDb, state: JobState) {
  const jobs = db.selectFrom("core_jobs").where(sql<boolean>`state = ${sql.lit(state)}`);
  return state === "ready" || state === "running"
    ? jobs
    : jobs.where(sql<boolean>`state in ('done', 'failed', 'cancelled')`);
}

/** Marks the job as replaced by another one that repeats its work. */
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
