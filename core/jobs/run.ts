/**
 * One run of one job: the handler with its time limit, then one transaction that completes the job
 * and applies its effect.
 */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { messageOf } from "../lib/error-message";
import type { Clock } from "../base/clock";
import { errorFields, type Log } from "../base/log";
import { jitter } from "../base/random";
import { TimeLimit } from "../lib/timeout";
import {
  PermanentFailure,
  type EndedRun,
  type ExhaustedCause,
  type JobEffect,
  type JobHandler,
} from "./contract";
import { toNumber } from "../store/columns";
import { isFull, isStorageFault, isUnreadable, storageFull } from "../store/storage-errors";
import type { Db, Store } from "../store/store";
import { isRetriable } from "./handlers";
import type { SpaceWaiters } from "./space-waiters";
import * as table from "./store";
import type { UnreadableWaiters } from "./unreadable-waiters";

/** The reason for which a run is aborted. */
export class Stopped extends Error {
  override readonly name = "AbortError";
  constructor(
    readonly kind: "timeout" | "cancelled" | "lost" | "shutdown",
    message: string,
  ) {
    super(message);
  }
}

/** A claimed job, with what runs and aborts it. */
export interface Run {
  readonly job: table.Claimed;
  readonly handler: JobHandler;
  readonly controller: AbortController;
  /** The result of its handler, if that was started already. */
  readonly result?: ReturnType<JobHandler["run"]> | undefined;
}
/** What a run needs of the queue. */
export interface RunnerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * How long a handler may continue after its signal fired before its slot is given to another job.
   */
  readonly grace_ms: number;
  /** Tracks jobs that found no space on the disk. */
  readonly space_waiters: Pick<SpaceWaiters, "add" | "forget">;
  /** Tracks jobs that could not read the disk. */
  readonly unreadable_waiters: Pick<UnreadableWaiters, "add" | "forget">;
  /** Called once the run has ended. */
  readonly onRunEnded: (run: EndedRun) => void;
}

interface FailedOutcome {
  readonly kind: "failed";
  readonly cause: ExhaustedCause;
  readonly reason: string;
  readonly permanent: boolean;
}
type Outcome =
  | { readonly kind: "done"; readonly effect: JobEffect<any> | void }
  | FailedOutcome
  /** Not the job's fault: it waits `delay_ms` and the attempt does not count. */
  | { readonly kind: "interrupted"; readonly delay_ms: number; readonly found_no_space?: boolean }
  /** It failed for good, and `onExhausted` failed, too: tried again later. */
  | { readonly kind: "postponed"; readonly reason: string }
  /** Cancelled, or another process has the lease: nothing to write. */
  | { readonly kind: "dropped" };

/**
 * How long to wait after a storage fault; longer on a full disk, because the same work may not fit
 * again.
 */
const storage_pause_ms = 2_000;
const full_pause_ms = 30_000;
const no_space = { kind: "interrupted", delay_ms: full_pause_ms, found_no_space: true } as const;
/** How often to try to complete a job on a full disk before its work is discarded. */
const full_tries_max = 3;
const postpone_ms = 60_000;
const reason_max = 500;

/** Runs the job and stores the outcome. Never throws. */
export const runJob = (options: RunnerOptions, run: Run): Promise<void> =>
  new Runner(options, run).run();

class Runner {
  private readonly log: Log;
  private readonly started_at: number;
  private readonly began_ms = performance.now();
  /** The outcome, as far as it is stored. */
  private stored_end: Pick<EndedRun, "outcome" | "error"> = { outcome: "interrupted", error: null };

  constructor(
    private readonly options: RunnerOptions,
    private readonly current: Run,
  ) {
    const { id, name, attempts } = current.job;
    this.log = options.log.child({ job: id, name, attempt: attempts });
    this.started_at = options.clock.now_ms();
  }

  async run(): Promise<void> {
    try {
      await this.end(await this.outcome());
    } catch (error) {
      this.log.error(
        "the result of a job could not be saved; it will run again when its lease expires",
        errorFields(error),
      );
    }
    this.reportEnd();
  }

  private reportEnd(): void {
    const { id, plugin, name, attempts, owner, request_id, created_at, run_at } = this.current.job;
    this.options.onRunEnded({
      id,
      plugin,
      name,
      attempt: attempts,
      owner,
      request_id,
      created_at: toNumber(created_at),
      run_at: toNumber(run_at),
      started_at: this.started_at,
      duration_ms: performance.now() - this.began_ms,
      ...this.stored_end,
    });
  }

  private async outcome(): Promise<Outcome> {
    const { job, handler, controller } = this.current;
    const { timeout_ms, attempts_max, crashes_max = attempts_max } = handler.limits;
    if (job.crashes >= crashes_max) return crashedTooOften(job);
    const timer = setTimeout(
      () => controller.abort(new Stopped("timeout", `it took longer than ${timeout_ms / 1_000} s`)),
      timeout_ms,
    );
    const running =
      this.current.result ??
      (async () =>
        handler.run(checkedPayload(handler.on.payload, job.payload), {
          id: job.id,
          attempt: job.attempts,
          last: isLast(job),
          signal: controller.signal,
        }))();
    const grace = new TimeLimit(Infinity, {
      signal: controller.signal,
      grace_ms: this.options.grace_ms,
    });
    try {
      const effect = await grace.race(running);
      const stopped = stoppedBy(controller.signal);
      return stopped === undefined || stopped.kind === "shutdown"
        ? { kind: "done", effect }
        : outcomeOfStop(stopped);
    } catch (error) {
      if (grace.signal.aborted)
        this.log.error(
          "a job ignores its abort signal; it keeps running without a slot, and its result " +
            "will be discarded",
          { signal: controller.signal.reason?.message },
        );
      const stopped = stoppedBy(controller.signal);
      return stopped ? outcomeOfStop(stopped) : this.failure(error);
    } finally {
      clearTimeout(timer);
      grace.clear();
    }
  }

  /**
   * Stores the outcome; if that fails, the outcome that follows from the failure. Storage faults
   * are waited out.
   */
  private async end(outcome: Outcome, tries = 1): Promise<void> {
    try {
      const needs_space = outcome.kind === "interrupted" && outcome.found_no_space;
      const free_bytes = needs_space ? this.options.store.freeBytes() : 0;
      const written = await this.write(outcome);
      if (needs_space) this.options.space_waiters.add(this.current.job.id, free_bytes);
      else this.options.space_waiters.forget(this.current.job.id);
      if (outcome.kind !== "interrupted")
        this.options.unreadable_waiters.forget(this.current.job.id);
      this.stored_end = written ? this.endOf(outcome) : { outcome: "dropped", error: null };
      if (!written)
        this.log.warn(
          "a job ended too late: it was cancelled or taken over, and its result was discarded",
          {
            outcome: outcome.kind,
          },
        );
    } catch (error) {
      if (isStorageFault(error)) {
        this.log.error(
          "the storage is failing; the result of a job waits until it can be saved",
          errorFields(error),
        );
        await Bun.sleep(storage_pause_ms);
        if (stoppedBy(this.current.controller.signal)?.kind === "shutdown") return;
        // The remaining space may suffice for another job: this one gives up its slot.
        if (isFull(error) && tries === full_tries_max) return this.end(no_space);
        return this.end(outcome, tries + 1);
      }
      if (outcome.kind === "done") return this.end(this.failure(error));
      if (outcome.kind !== "failed") throw error;
      this.log.error("the handler for a permanently failed job failed", errorFields(error));
      return this.end({ kind: "postponed", reason: outcome.reason });
    }
  }

  private failure(error: unknown): Outcome {
    const { job, handler } = this.current;
    if (!isUnreadable(error)) return outcomeOf(error, handler.limits);
    const { is_first, may_wait } = this.options.unreadable_waiters.add(job.id);
    if (is_first) this.log.error("the disk can't be read; a job waits for it", errorFields(error));
    return may_wait ? outcomeOf(error, handler.limits) : failed(error);
  }

  private endOf(outcome: Outcome): Pick<EndedRun, "outcome" | "error"> {
    if (outcome.kind === "postponed") return { outcome: "retried", error: outcome.reason };
    if (outcome.kind !== "failed") return { outcome: outcome.kind, error: null };
    const { reason: error, permanent } = outcome;
    return { outcome: permanent || isLast(this.current.job) ? "failed" : "retried", error };
  }

  /** False when the job is no longer ours; nothing was written then. */
  private async write(outcome: Outcome): Promise<boolean> {
    const { clock } = this.options;
    const { job } = this.current;
    const now_ms = clock.now_ms();
    switch (outcome.kind) {
      case "dropped":
        return true;
      case "interrupted":
        return this.updateRow((tx) => table.returnJob(tx, job, now_ms + outcome.delay_ms));
      case "postponed":
        return this.updateRow((tx) =>
          table.retryJob(tx, job, outcome.reason, now_ms + postpone_ms),
        );
      case "done":
        return this.complete(outcome.effect);
      case "failed":
        return this.fail(outcome);
    }
  }

  /** A change of the job's own row, which needs no new space. */
  private updateRow(change: (tx: Db) => Promise<boolean>): Promise<boolean> {
    return this.options.store.inDeletion(change);
  }

  private async complete(effect: JobEffect<any> | void): Promise<boolean> {
    const { store, clock } = this.options;
    const { job, handler } = this.current;
    const now_ms = clock.now_ms();
    if (!effect) return this.updateRow((tx) => table.completeJob(tx, job, now_ms));
    const { uses_reserve = false } = handler.limits;
    // On a full disk, the remaining space is reserved for deletions.
    if (store.isDiskFull() && !uses_reserve) throw storageFull();
    return store.inTransaction(
      async (tx) => {
        if (!(await table.completeJob(tx, job, now_ms))) return false;
        await effect(tx);
        return true;
      },
      { uses_reserve },
    );
  }

  private async fail({ reason, cause, permanent }: FailedOutcome): Promise<boolean> {
    const { store, clock } = this.options;
    const { job, handler } = this.current;
    const { on, limits } = handler;
    const is_retried = !permanent && !isLast(job);
    this.log.warn(is_retried ? "a job failed and will run again" : "a job failed permanently", {
      reason,
    });
    const now_ms = clock.now_ms();
    if (is_retried)
      return this.updateRow((tx) =>
        table.retryJob(tx, job, reason, now_ms + retryDelay(limits, failuresOf(job))),
      );
    return store.inTransaction(async (tx) => {
      if (!(await table.failJob(tx, job, reason, now_ms, isRetriable(limits)))) return false;
      const payload: unknown = JSON.parse(job.payload);
      // Code that relies on the schema must not get an invalid payload.
      if (Value.Check(on.payload, payload)) await limits.onExhausted?.(tx, payload, reason, cause);
      return true;
    });
  }
}

/** The number of failed runs, including this one: runs cut off by a crash don't count. */
const failuresOf = ({ attempts, crashes }: table.Claimed): number => attempts - crashes;
/** Whether an error of this run is final. */
const isLast = (job: table.Claimed): boolean => failuresOf(job) >= job.attempts_max;

const crashedTooOften = ({ attempts, crashes }: table.Claimed): Outcome => ({
  kind: "failed",
  cause: "crash",
  permanent: true,
  reason:
    crashes === attempts - 1
      ? `the server ended during each of ${crashes} attempts`
      : `the server ended during ${crashes} of ${attempts - 1} attempts`,
});

/** @throws PermanentFailure when the payload no longer matches the schema. */
function checkedPayload(schema: TSchema, text: string): unknown {
  const payload: unknown = JSON.parse(text);
  if (Value.Check(schema, payload)) return payload;
  const { path, message } = Value.Errors(schema, payload).First()!;
  throw new PermanentFailure(`the payload does not fit: ${path || "/"} ${message}`);
}

const stoppedBy = (signal: AbortSignal): Stopped | undefined =>
  signal.reason instanceof Stopped ? signal.reason : undefined;

function outcomeOfStop(stopped: Stopped): Outcome {
  if (stopped.kind === "timeout")
    return { kind: "failed", cause: "timeout", permanent: false, reason: stopped.message };
  return stopped.kind === "shutdown" ? { kind: "interrupted", delay_ms: 0 } : { kind: "dropped" };
}

function outcomeOf(error: unknown, { uses_reserve }: JobHandler["limits"]): Outcome {
  // A job that deletes frees space and needs little.
  if (isStorageFault(error))
    return isFull(error) && !uses_reserve
      ? no_space
      : { kind: "interrupted", delay_ms: storage_pause_ms };
  return failed(error);
}

const failed = (error: unknown): FailedOutcome => ({
  kind: "failed",
  cause: "error",
  reason: messageOf(error).slice(0, reason_max),
  permanent: error instanceof PermanentFailure,
});

/**
 * Milliseconds until the next attempt: 1 s, 4 s, 16 s … at most 5 min, with a jitter of 20 %, so
 * that jobs that failed together don't return together.
 */
const retryDelay = (limits: JobHandler["limits"], attempt: number): number =>
  limits.backoff_ms?.(attempt) ?? jitter(Math.min(300_000, 1_000 * 4 ** (attempt - 1)), 0.2);
