/** Jobs and events as plugins see them: refs, handlers, limits, options and schedules. */
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
 * Something to do later. `payload` is validated when the job is enqueued and again when it runs.
 * `Given` is what `BegunJob.enqueue` passes to the effect; it exists only at compile time.
 */
export interface JobRef<S extends TSchema = TSchema, Given = any> {
  readonly kind: "job";
  readonly id: string;
  readonly payload: S;
  readonly Given?: Given;
}

/** Defines an event. `id` must be unique, such as `documents.created`. */
export const event = <S extends TSchema>(id: string, payload: S): EventRef<S> => ({
  kind: "event",
  id,
  payload,
});
/** Defines a job. `id` must be unique, such as `documents.index`. */
export const job = <S extends TSchema, Given = undefined>(
  id: string,
  payload: S,
): JobRef<S, Given> => ({ kind: "job", id, payload });

/** The type of the payload of a job or event. */
export type PayloadOf<R> = R extends { payload: infer S extends TSchema } ? Static<S> : never;
/** The type of the argument that an early run passes to the effect of this job. */
export type GivenOf<R> = R extends JobRef<TSchema, infer Given> ? Given : undefined;

/** One run, as its handler sees it. */
export interface JobRun {
  readonly id: string;
  /** 1 on the first run. Counted when the job is claimed, so a crash counts too. */
  readonly attempt: number;
  /** An error in this run fails the job for good. */
  readonly last: boolean;
  /** Fires when the job is cancelled, at its time limit and at shutdown. */
  readonly signal: AbortSignal;
}
/** One finished run of a job. Times are epoch milliseconds. */
export interface EndedRun {
  /** The id of the job. */
  readonly id: string;
  /** The plugin of the handler. */
  readonly plugin: string;
  readonly name: string;
  readonly attempt: number;
  readonly owner: string;
  /**
   * The request that the job originates from, also through other jobs; null for jobs of schedules.
   */
  readonly request_id: string | null;
  /** When the job was created, and when this run was due. */
  readonly created_at: number;
  readonly run_at: number;
  readonly started_at: number;
  readonly duration_ms: number;
  /**
   * `retried`: it failed and will run again. `interrupted`: the server stopped or its storage
   * failed; the run does not count. `dropped`: it was cancelled, or another process has it.
   */
  readonly outcome: "done" | "failed" | "retried" | "interrupted" | "dropped";
  /** Why it failed. */
  readonly error: string | null;
}
/** Called for every run of a job once its outcome is stored: must be quick. */
export const JobObserver = slot<(run: EndedRun) => void>("jobs.observer", {
  check: isFunction,
  otherwise: () => undefined,
});

/**
 * Records events where they are emitted: in the transaction of the change, in order, so that an
 * event is kept exactly when the change is. An error undoes the change; slow work belongs in jobs
 * that handle the event.
 */
export interface EventWriter {
  /** Called for every event: must only look at memory. */
  wants(on: EventRef, payload: any): boolean;
  write(tx: Db<any>, on: EventRef, payload: any): Promise<void>;
}
/** Reads all events, such as for a log of changes. */
export const EventWriters = slot<EventWriter>("jobs.event_writers", {
  check: shaped<EventWriter>({ wants: "function", write: "function" }),
  otherwise: { wants: () => false, write: async () => undefined },
});

/**
 * Why a run was the last one: it took too long, the server crashed during it, or it threw; or an
 * administrator dropped the job.
 */
export type ExhaustedCause = "timeout" | "crash" | "error" | "dropped";
/**
 * The changes made by a job. Runs in the transaction that completes the job, and not at all when
 * the job was cancelled or its lease was lost. `given`: the argument of `BegunJob.enqueue`, if that
 * is the transaction.
 */
export type JobEffect<Given = undefined> = (tx: Db<any>, given?: Given) => Promise<void>;

/** How often, how long and beside what a job may run. */
export interface JobLimits<P> {
  /** The number of runs that may fail or time out; the last one fails the job. */
  readonly attempts_max: number;
  /**
   * The number of runs that a crash of the server may cut off, which says little about the job; the
   * last one fails it. Default: `attempts_max`.
   */
  readonly crashes_max?: number;
  /** A run that takes longer is aborted and retried, milliseconds. */
  readonly timeout_ms: number;
  /** Concurrent runs of this job in all processes of the server together. Default 1. */
  readonly concurrency?: number;
  /**
   * Applies `concurrency` to each process: it limits the load on the processor and memory of one
   * machine.
   */
  readonly each_process?: boolean;
  /**
   * A run mostly waits for others, such as the network. It takes no slot from jobs that compute,
   * and a single owner can't use up `concurrency`.
   */
  readonly io_bound?: boolean;
  /**
   * Its runs may take long: a single owner can't use up `concurrency`, and neither can several, as
   * each gets only a part of what is left.
   */
  readonly leaves_room?: boolean;
  /**
   * Its runs are so short that finding and claiming one would take as long: while there is enough
   * capacity for waiting jobs, it starts with the commit of the transaction that enqueues it.
   */
  readonly begins_at_once?: boolean;
  /**
   * It only deletes: it runs on a full disk too, using the reserve. Every other job waits until
   * there is space.
   */
  readonly uses_reserve?: boolean;
  /**
   * It processes new content: documents, imports, recordings. While intake is paused, none of these
   * jobs starts.
   */
  readonly intake?: boolean;
  /**
   * For an event: whether to create a job for this one. Called inside the transaction of the
   * change, so it may only look at memory or read one row. Default: always.
   */
  readonly wants?: (payload: P, tx: Db<any>) => boolean | Promise<boolean>;
  /** The owner of a job that is enqueued without one, as for events. */
  readonly ownerOf?: (payload: P) => string;
  /** Pause before the next attempt, milliseconds. Default 1 s, 4 s, 16 s … at most 5 min. */
  readonly backoff_ms?: (attempt: number) => number;
  /**
   * The changes to make when the job has failed for good, in the transaction that marks it as
   * failed.
   */
  readonly onExhausted?: (
    tx: Db<any>,
    payload: P,
    reason: string,
    cause: ExhaustedCause,
  ) => Promise<void>;
  /**
   * Replaces another run of this job when an administrator chooses "run again": undoes what
   * `onExhausted` did. A job with `onExhausted` but without this can't be run again; one with
   * neither simply runs again.
   */
  readonly requeue?: (tx: Db<any>, payload: P) => Promise<void>;
}
/** What a plugin does for a job, or for each event of a kind. */
export interface JobHandler {
  readonly on: JobRef | EventRef;
  readonly run: (payload: any, job: JobRun) => Promise<JobEffect<any> | void>;
  readonly limits: JobLimits<any>;
}
/**
 * Pairs a ref with its handler, so that the type of the payload comes from the ref's schema. The
 * handler does the slow part and returns its changes as an effect.
 */
export const handle = <R extends JobRef | EventRef>(
  on: R,
  run: (payload: PayloadOf<R>, job: JobRun) => Promise<JobEffect<GivenOf<R>> | void>,
  limits: JobLimits<PayloadOf<R>>,
): JobHandler => ({ on, run, limits });
/** Thrown by a job to fail for good at once, without further attempts. */
export class PermanentFailure extends Error {
  override readonly name = "PermanentFailure";
}

/**
 * A job whose work starts before the transaction that enqueues it: work finished by then takes
 * effect in that same transaction.
 */
export interface BegunJob<Given = undefined> {
  /**
   * Waits for the work, at most this long; never rejects. False when it is not done yet. The
   * transaction should follow at once.
   */
  settles(within_ms: number): Promise<boolean>;
  /**
   * Call it inside the transaction, and again in another one that is tried in its place. Work that
   * is done takes effect here and leaves no job behind; otherwise it continues as an enqueued job,
   * as does work whose effect failed in an earlier try. `given` is passed to the effect. @throws
   * what the effect throws
   */
  enqueue(tx: Db<any>, given?: Given): Promise<void>;
  /** Whether its effect was tried and threw: the transaction may be tried again without it. */
  readonly has_failed: boolean;
  /** Stops the work because no transaction was committed. Does nothing after one was. */
  drop(): void;
}

/** When a job runs, and beside which others. */
export interface EnqueueOptions {
  /** Not before, epoch ms. Default: now. */
  readonly run_at_ms?: number;
  /** At most one unfinished job has this key; enqueuing a second one does nothing. */
  readonly key?: string;
  /**
   * Jobs of one queue share its `queue_concurrency`; queues take turns, so a slow one starves
   * nobody. Default: one queue per job name.
   */
  readonly queue?: string;
  /** Concurrent runs of this queue. Default: the `concurrency` of its job. */
  readonly queue_concurrency?: number;
  /**
   * Who it is for: a user id, or a name for one kind of a user's jobs. Owners with the fewest runs
   * come first. Default: the result of `ownerOf`, otherwise the queue counts as an owner of its
   * own.
   */
  readonly owner?: string;
  /** Higher first within a queue. Default 0. */
  readonly priority?: number;
  /** The record that this job is about, for `cancelJobs`. */
  readonly subject?: string;
}

/**
 * Enqueues a job at every tick of a cron expression (UTC, croner syntax), once per tick in all
 * processes.
 */
export interface Schedule {
  readonly cron: string;
  readonly on: JobRef;
  readonly payload: unknown;
}
/** A schedule of a plugin. `payload` is the same at each tick. */
export const every = <R extends JobRef>(
  cron: string,
  on: R,
  payload: NoInfer<PayloadOf<R>>,
): Schedule => ({ cron, on, payload });
