/** Jobs and events as plugins see them: their refs, handlers, limits, options and schedules. */
import type { Static, TSchema } from "@sinclair/typebox";
import { slot } from "../base/refs";
import { isFunction, shaped } from "../base/shape";
import type { Db } from "../store/store";

/**
 * Something that happened. Emitting it writes one job per subscriber, in the emitter's transaction.
 */
export interface EventRef<S extends TSchema = TSchema> {
  readonly kind: "event";
  readonly id: string;
  readonly payload: S;
}
/**
 * Something to do later. `payload` is checked when the job is enqueued and again when it is run.
 */
export interface JobRef<S extends TSchema = TSchema> {
  readonly kind: "job";
  readonly id: string;
  readonly payload: S;
}

export const event = <S extends TSchema>(id: string, payload: S): EventRef<S> => ({
  kind: "event",
  id,
  payload,
});
export const job = <S extends TSchema>(id: string, payload: S): JobRef<S> => ({
  kind: "job",
  id,
  payload,
});

export type PayloadOf<R> = R extends { payload: infer S extends TSchema } ? Static<S> : never;

export interface JobRun {
  readonly id: string;
  /** 1 on the first run. Counted when the job is claimed, so a crash counts too. */
  readonly attempt: number;
  /** An error of this run ends the job for good. */
  readonly last: boolean;
  /** Fires when the job is cancelled, at its time limit and at shutdown. */
  readonly signal: AbortSignal;
}
/** One run of a job that has ended. Times are epoch milliseconds. */
export interface EndedRun {
  /** Of the job. */
  readonly id: string;
  /** Whose handler ran. */
  readonly plugin: string;
  readonly name: string;
  readonly attempt: number;
  readonly owner: string;
  /** The request that the job goes back to, through other jobs too; null for those of schedules. */
  readonly request_id: string | null;
  /** When the job was made, and when this run of it was due. */
  readonly created_at: number;
  readonly run_at: number;
  readonly started_at: number;
  readonly duration_ms: number;
  /**
   * `retried`: it failed, and will run again. `interrupted`: the server stops or its storage fails;
   * the run does not count. `dropped`: it was cancelled, or another run has it.
   */
  readonly outcome: "done" | "failed" | "retried" | "interrupted" | "dropped";
  /** Why it failed. */
  readonly error: string | null;
}
/** Called with every run of a job, once how it ended is written: must be quick. */
export const JobObserver = slot<(run: EndedRun) => void>("jobs.observer", {
  check: isFunction,
  otherwise: () => undefined,
});

/**
 * Writes down what is emitted, where it is emitted: in the transaction of the change, so that it is
 * kept exactly when the change is, in its order. What it throws undoes the change; slow work is for
 * the jobs that handle an event.
 */
export interface EventWriter {
  /** Asked for every event: only looks at what is in memory. */
  wants(on: EventRef, payload: any): boolean;
  write(tx: Db<any>, on: EventRef, payload: any): Promise<void>;
}
export const EventWriters = slot<EventWriter>("jobs.event_writers", {
  check: shaped<EventWriter>({ wants: "function", write: "function" }),
  otherwise: { wants: () => false, write: async () => undefined },
});

/**
 * Why a run was the last one: it took too long, the server ended during it, or it threw; or an
 * administrator has dropped the job.
 */
export type ExhaustedCause = "timeout" | "crash" | "error" | "dropped";
/**
 * What a job changes. Runs in the same transaction that ends the job, and not at all when the job
 * was cancelled or its lease was lost. `given`: what `BegunJob.enqueue` was handed, if that is the
 * transaction.
 */
export type JobEffect = (tx: Db<any>, given?: unknown) => Promise<void>;

export interface JobLimits<P> {
  /** Runs that may fail or take too long; the last of them ends the job. */
  readonly attempts_max: number;
  /**
   * Runs that may be cut off by a crash of the server, which says little about the job; the last of
   * them ends it. Default: `attempts_max`.
   */
  readonly crashes_max?: number;
  /** A run that takes longer is aborted and tried again, milliseconds. */
  readonly timeout_ms: number;
  /** Runs of this job at the same time, in all processes of the server together. Default 1. */
  readonly concurrency?: number;
  /**
   * `concurrency` is of each process: it is there for the processor and the memory of a machine.
   */
  readonly each_process?: boolean;
  /**
   * A run spends its time waiting for others, such as a network. It takes no slot from jobs that
   * compute, and no owner's runs use up `concurrency`.
   */
  readonly io_bound?: boolean;
  /**
   * Its runs are so small that finding and claiming one would take as long: it begins with the
   * commit of the transaction that enqueues it, while a good part of what may run does not.
   */
  readonly begins_at_once?: boolean;
  /**
   * It only deletes: it runs on a full disk too, in the space that is kept for that. Every other
   * job waits until there is room.
   */
  readonly uses_reserve?: boolean;
  /**
   * It takes in what people bring: documents, imports, recordings. While intake is paused none of
   * them begins.
   */
  readonly intake?: boolean;
  /**
   * Of an event: whether this one is of use; no job is made of any other. Asked inside the
   * transaction of the change, so it looks at what is in memory, or reads one row. Default: each.
   */
  readonly wants?: (payload: P, tx: Db<any>) => boolean | Promise<boolean>;
  /** The owner of a job that is enqueued without one, as those of events are. */
  readonly ownerOf?: (payload: P) => string;
  /** Pause before the next attempt, milliseconds. Default 1 s, 4 s, 16 s … at most 5 min. */
  readonly backoff_ms?: (attempt: number) => number;
  /** What to change when the job has failed for good: in the transaction that marks it failed. */
  readonly onExhausted?: (
    tx: Db<any>,
    payload: P,
    reason: string,
    cause: ExhaustedCause,
  ) => Promise<void>;
  /**
   * What an administrator's "run again" does in place of one more run of this job: undoes what
   * `onExhausted` has done. A job with `onExhausted` and without this can't be run again; one with
   * neither simply runs again.
   */
  readonly requeue?: (tx: Db<any>, payload: P) => Promise<void>;
}
export interface JobHandler {
  readonly on: JobRef | EventRef;
  readonly run: (payload: any, job: JobRun) => Promise<JobEffect | void>;
  readonly limits: JobLimits<any>;
}
/**
 * Pairs a ref with its handler, so that the payload type comes from the ref's schema. The slow part
 * is the handler; what it changes is the effect it returns.
 */
export const handle = <R extends JobRef | EventRef>(
  on: R,
  run: (payload: PayloadOf<R>, job: JobRun) => Promise<JobEffect | void>,
  limits: JobLimits<PayloadOf<R>>,
): JobHandler => ({ on, run, limits });
/** Throw it from a job to fail for good at once, without further attempts. */
export class PermanentFailure extends Error {
  override readonly name = "PermanentFailure";
}

/**
 * A job whose work has begun before the transaction that enqueues it: what is done by then takes
 * effect in that same transaction.
 */
export interface BegunJob {
  /**
   * Waits for the work, at most so long; never rejects. False when it is not done yet. The
   * transaction should follow at once.
   */
  settles(within_ms: number): Promise<boolean>;
  /**
   * Inside the transaction, and again in another one that is tried in its place. Work that is done
   * takes effect here and leaves no job behind; any other goes on as a job that was enqueued, and
   * so does work whose effect has failed in an earlier try. The effect is handed `given`. @throws
   * what the effect throws
   */
  enqueue(tx: Db<any>, given?: unknown): Promise<void>;
  /** Whether its effect was tried and has thrown: without it, the transaction may be kept. */
  readonly has_failed: boolean;
  /** No transaction is kept: ends the work. Does nothing after one was. */
  drop(): void;
}

export interface EnqueueOptions {
  /** Not before, epoch ms. Default: now. */
  readonly run_at_ms?: number;
  /** At most one unfinished job has this key; a second enqueue does nothing. */
  readonly key?: string;
  /**
   * Jobs of one queue share its `queue_concurrency`; queues take turns, so a slow one starves
   * nobody. Default: one queue per job name.
   */
  readonly queue?: string;
  /** Runs of this queue at the same time. Default: the `concurrency` of its job. */
  readonly queue_concurrency?: number;
  /**
   * Who it is for: a user id, or a name for one user's jobs of a kind. Owners with the fewest runs
   * come first. Default: what `ownerOf` says, else the queue counts as an owner of its own.
   */
  readonly owner?: string;
  /** Higher first within a queue. Default 0. */
  readonly priority?: number;
  /** The record this job is about, for `cancelJobs`. */
  readonly subject?: string;
}

/**
 * Enqueues a job at every tick of a cron expression (UTC, croner syntax); a tick is never doubled.
 */
export interface Schedule {
  readonly cron: string;
  readonly on: JobRef;
  readonly payload: unknown;
}
export const every = <R extends JobRef>(
  cron: string,
  on: R,
  payload: NoInfer<PayloadOf<R>>,
): Schedule => ({ cron, on, payload });
