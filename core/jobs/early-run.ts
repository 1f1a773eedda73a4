/** A job whose work begins before the transaction that enqueues it: see `BegunJob`. */
import { settlesWithin } from "../lib/timeout";
import type { Db, Store } from "../store/store";
import type { BegunJob, EndedRun, JobEffect, JobHandler } from "./contract";
import { Stopped } from "./run";
import type { Lease, NewJob } from "./table";

export interface EarlyRunParts {
  readonly store: Pick<Store, "afterCommit" | "expect">;
  readonly now_ms: () => number;
  readonly job: NewJob;
  /** Under which it goes on, should it be enqueued before its work is done. */
  readonly lease: Lease;
  /** Begins the work. */
  readonly start: (signal: AbortSignal) => ReturnType<JobHandler["run"]>;
  /** It goes on as a job that was enqueued. */
  readonly goOn: (tx: Db<any>, run: EarlyRun) => Promise<void>;
  /** It takes no place any more. */
  readonly leave: () => void;
  readonly tell: (run: EndedRun) => void;
}

export class EarlyRun implements BegunJob {
  readonly controller = new AbortController();
  /** What its handler gives. */
  readonly working: Promise<JobEffect | void>;
  has_failed = false;
  #done: { readonly effect: JobEffect | void } | undefined;
  #kept = false;
  readonly #started_at: number;
  readonly #began_ms = performance.now();

  constructor(private readonly parts: EarlyRunParts) {
    this.#started_at = parts.now_ms();
    this.working = parts.start(this.controller.signal);
    this.working.then(
      (effect) => void (this.#done = { effect }),
      // Whoever it goes on for handles it.
      () => undefined,
    );
  }

  get job(): NewJob {
    return this.parts.job;
  }
  get lease(): Lease {
    return this.parts.lease;
  }

  settles(within_ms: number): Promise<boolean> {
    const settled = settlesWithin(this.working, within_ms);
    this.parts.store.expect(settled);
    return settled;
  }

  async enqueue(tx: Db<any>): Promise<void> {
    const { store, goOn } = this.parts;
    if (!this.#done || this.has_failed) {
      store.afterCommit(() => void (this.#kept = true));
      return goOn(tx, this);
    }
    try {
      await this.#done.effect?.(tx);
    } catch (error) {
      this.has_failed = true;
      throw error;
    }
    store.afterCommit(() => this.#end());
  }

  drop(): void {
    if (this.#kept) return;
    this.#kept = true;
    this.parts.leave();
    this.controller.abort(new Stopped("cancelled", "nobody wants the job any more"));
  }

  #end(): void {
    const { leave, tell, job } = this.parts;
    this.#kept = true;
    leave();
    tell({
      ...{ id: job.id, plugin: job.plugin, name: job.name, owner: job.owner },
      ...{ request_id: job.request_id, created_at: job.created_at, run_at: job.run_at },
      attempt: 1,
      started_at: this.#started_at,
      duration_ms: performance.now() - this.#began_ms,
      outcome: "done",
      error: null,
    });
  }
}
