/** What administrators do with jobs: run failed ones again, and drop failed or waiting ones. */
import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../base/clock";
import { conflict, HttpError, notFound } from "../base/errors";
import { isUnique } from "../store/storage-errors";
import type { Store } from "../store/store";
import type { Kind } from "./candidates";
import type { Handlers } from "./handlers";
import { inState } from "./job-queries";
import type { JobsDb, JobsTables, JobState } from "./store";

type Row = JobsTables["core_jobs"];

/** What `JobActions` needs of the queue. */
export interface JobActionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly handlers: Handlers;
  /** Called once the surrounding transaction is committed, when there is something to run. */
  readonly wake: () => void;
}

/** The number of jobs that one call runs again or drops. */
const jobs_per_call = 1_000;
/** The number of failed jobs that one transaction deletes. */
const jobs_per_deletion = 200;

/** Failed or waiting jobs of a kind; with `error` only those that failed for this reason. */
export interface JobSelection extends Kind {
  readonly error?: string | undefined;
  /** Only jobs after this id, to continue after an incomplete call. */
  readonly after?: string | undefined;
}
/** The result of one call. */
export interface BatchDone {
  readonly done: number;
  /** Jobs of the batch that can't be handled. */
  readonly left: number;
  /** Where the following call continues: `after` of its selection. Null at the end. */
  readonly next: string | null;
}

/** Changes jobs in short transactions, so that other writers come in between. */
export class JobActions {
  constructor(private readonly options: JobActionsOptions) {}

  /** @throws HttpError 404, or 409 when it did not fail or can't be run again. */
  retry(id: string): Promise<void> {
    const { store, clock, wake } = this.options;
    return store.inTransaction(async (tx: JobsDb) => {
      const job = await jobWithId(tx, id);
      if (job.state !== "failed")
        throw conflict(
          `Only failed jobs can be run again; this job is ${job.state}.`,
          "not_failed",
        );
      const handler = this.options.handlers.findRetriable(job);
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
      const job = await jobWithId(tx, id);
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
  isDroppable(kind: Kind): boolean {
    return this.options.handlers.find(kind)?.limits.onExhausted !== undefined;
  }

  /** Whether failed jobs of this kind can be run again. */
  isRetriable(kind: Kind): boolean {
    return this.options.handlers.findRetriable(kind) !== undefined;
  }

  private requireDroppable(kind: Kind): void {
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

/** @throws HttpError 404 */
async function jobWithId(tx: JobsDb, id: string): Promise<Row> {
  const job = await tx.selectFrom("core_jobs").selectAll().where("id", "=", id).executeTakeFirst();
  if (!job) throw notFound("job");
  return job;
}
