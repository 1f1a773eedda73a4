/** A job whose work starts before the transaction that enqueues it: see `BegunJob`. */
import type { Clock } from "../base/clock";
import { withOrigin } from "../base/origin";
import type { ActivityTracker } from "../base/stall-meter";
import { settlesWithin } from "../lib/timeout";
import type { Db, Store } from "../store/store";
import type { BegunJob, EndedRun, JobEffect, JobHandler } from "./contract";
import { Stopped } from "./run";
import type { Lease, NewJob } from "./store";

/** A job with a reserved lease, and what becomes of it. */
export interface EarlyRunOptions {
  readonly store: Pick<Store, "afterCommit" | "expect">;
  readonly clock: Clock;
  /** Tracks what is running. */
  readonly activities?: ActivityTracker | undefined;
  readonly job: NewJob;
  readonly handler: JobHandler;
  readonly payload: unknown;
  /** The lease under which it continues if it is enqueued before its work is done. */
  readonly lease: Lease;
  /** Continues it as an enqueued job. */
  readonly continueAsJob: (tx: Db<any>, run: EarlyRun) => Promise<void>;
  /** Gives back the capacity that was reserved for it. */
  readonly release: () => void;
  readonly onRunEnded: (run: EndedRun) => void;
}

/** Starts its work at once. Call `enqueue` in a transaction, or `drop`. */
export class EarlyRun implements BegunJob<any> {
  readonly controller = new AbortController();
  /** The result of its handler. */
  readonly result: Promise<JobEffect<any> | void>;
  has_failed = false;
  private outcome: { readonly effect: JobEffect<any> | void } | undefined;
  private is_settled = false;
  private readonly started_at: number;
  private readonly began_ms = performance.now();

  constructor(private readonly options: EarlyRunOptions) {
    this.started_at = options.clock.now_ms();
    this.result = this.run();
    this.result.then(
      (effect) => {
        this.outcome = { effect };
      },
      // The run that continues it handles the error.
      () => undefined,
    );
  }

  settles(within_ms: number): Promise<boolean> {
    const settled = settlesWithin(this.result, within_ms);
    this.options.store.expect(settled);
    return settled;
  }

  async enqueue(tx: Db<any>, given?: any): Promise<void> {
    const { store, continueAsJob } = this.options;
    if (!this.outcome || this.has_failed) {
      await continueAsJob(tx, this);
      return store.afterCommit(() => {
        this.is_settled = true;
      });
    }
    try {
      await this.outcome.effect?.(tx, given);
    } catch (error) {
      this.has_failed = true;
      throw error;
    }
    store.afterCommit(() => this.end());
  }

  drop(): void {
    if (this.is_settled) return;
    this.is_settled = true;
    this.options.release();
    this.controller.abort(new Stopped("cancelled", "the job is no longer needed"));
  }

  private async run(): Promise<JobEffect<any> | void> {
    const { activities, job, handler, payload } = this.options;
    const { id, name, owner, request_id, attempts_max } = job;
    const activity = `job ${name}`;
    const { signal } = this.controller;
    activities?.begin(activity);
    try {
      return await withOrigin({ request_id: request_id ?? undefined, job: id, owner }, () =>
        handler.run(payload, { id, attempt: 1, last: attempts_max === 1, signal }),
      );
    } finally {
      activities?.end(activity);
    }
  }

  private end(): void {
    const { release, onRunEnded, job } = this.options;
    this.is_settled = true;
    release();
    onRunEnded({
      id: job.id,
      plugin: job.plugin,
      name: job.name,
      owner: job.owner,
      request_id: job.request_id,
      created_at: job.created_at,
      run_at: job.run_at,
      attempt: 1,
      started_at: this.started_at,
      duration_ms: performance.now() - this.began_ms,
      outcome: "done",
      error: null,
    });
  }
}
