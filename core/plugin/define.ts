/**
 * The plugin contract. Built-in features and files dropped into the plugins directory use exactly
 * this.
 */
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { Log } from "../base/log";
import type { HandlersOf, Route } from "../http/route";
import type { Db, HotReads } from "../store/open";
import type { Files } from "../store/files";
import type { Seal } from "../store/seal";
import type { Operations } from "./operations";
import type { EventRef, JobRef, PayloadOf, ServiceRef, ServicesOf, SlotRef, SlotsOf } from "./refs";

/**
 * The contract version this host speaks. A plugin built for another one is refused by name, before
 * its code runs.
 */
export const CONTRACT = 1;

export interface Migration {
  /** Sorts after every earlier id of the same plugin: `0001_create`. Never edited once released. */
  readonly id: string;
  /** Runs inside one transaction, in SQL that means the same on SQLite and PostgreSQL. */
  readonly up: (tx: Db<any>) => Promise<void>;
}

export interface JobRun {
  readonly id: string;
  /** 1 on the first run. Counted when the job is claimed, so a crash counts too. */
  readonly attempt: number;
  readonly attempts_max: number;
  /** Fires when the job is cancelled, at its time limit and at shutdown. */
  readonly signal: AbortSignal;
}
/** Why a run was the last one: it took too long, the server ended during it, or it threw. */
export type ExhaustedCause = "timeout" | "crash" | "error";
/**
 * What a job changes. Runs in the same transaction that ends the job, and not at all when the job
 * was cancelled or its lease was lost.
 */
export type JobEffect = (tx: Db<any>) => Promise<void>;

export interface JobLimits<P> {
  /** Runs at most this often; a crash counts as a run. */
  readonly attempts_max: number;
  /** A run that takes longer is aborted and tried again, milliseconds. */
  readonly timeout_ms: number;
  /** Runs of this job at the same time in the whole server. Default 1. */
  readonly concurrency?: number;
  /**
   * A run spends its time waiting for others, such as a network. It takes no slot from jobs that
   * compute, and no owner's runs use up `concurrency`.
   */
  readonly io_bound?: boolean;
  /** Who it is for, when nobody says so as it is enqueued: an event says nothing of it. */
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
   * Puts back to work what `onExhausted` has ended, when an administrator asks for it: in place of one
   * more run of this job.
   * A job with `onExhausted` and without this can't be asked for again; one with neither simply runs
   * again.
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

export interface EnqueueOptions {
  /** Not before, epoch ms. Default: now. */
  readonly run_at_ms?: number;
  /** At most one unfinished job has this key; a second enqueue does nothing. */
  readonly key?: string;
  /**
   * Jobs of one queue share its `queue_concurrency`; queues take turns, so a slow one starves nobody.
   * Default: one queue per job name.
   */
  readonly queue?: string;
  /** Runs of this queue at the same time. Default: the `concurrency` of its job. */
  readonly queue_concurrency?: number;
  /**
   * Who it is for, usually a user id: those with the fewest runs come first. Default: each queue is
   * one.
   */
  readonly owner?: string;
  /** Higher first within a queue. Default 0. */
  readonly priority?: number;
  /** The record this job is about, for `cancelJobs`. */
  readonly subject?: string;
}

/** Adds one value to a slot. */
export interface Fill {
  readonly slot: SlotRef<any>;
  readonly value: unknown;
}
export const fill = <T>(slot: SlotRef<T>, value: NoInfer<T>): Fill => ({ slot, value });

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

/** A command of the executable: `dossier user create --email …`. */
export interface Command {
  /** `user create`: one or two words. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments, all required: `["id"]`. */
  readonly args?: readonly string[];
  /**
   * True when it may be the first on a data directory, and makes it; any other wants one that is
   * there.
   */
  readonly starts_data?: boolean;
  readonly options?: readonly {
    readonly flags: string;
    readonly description: string;
    readonly required?: boolean;
    readonly choices?: readonly string[];
    readonly default?: string;
  }[];
}
export interface CommandInput {
  readonly args: readonly string[];
  /** By camelCase name of the long flag: `--password-stdin` is `passwordStdin`. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly print: (line: string) => void;
  /** Standard input to its end, without the last line break. */
  readonly stdin: () => Promise<string>;
}
export type CommandHandler = (input: CommandInput) => Promise<void>;

/**
 * Work for a killable child process of the same executable: no database, no network, nothing but
 * its input.
 * Input, messages and output travel as JSON; hand large ones over as files.
 */
export interface Task<I = any, M = any, O = any> {
  /**
   * Runs in the child. `send` reports progress to the parent while it runs; a kill keeps what was
   * sent.
   */
  readonly run: (input: I, send: (message: M) => void) => Promise<O>;
}
export const task = <I, M, O>(
  run: (input: I, send: (message: M) => void) => Promise<O>,
): Task<I, M, O> => ({ run });
export interface IsolateOptions<M> {
  readonly timeout_ms: number;
  readonly memory_max_bytes: number;
  readonly onMessage?: (message: M) => void;
  readonly signal?: AbortSignal;
}
/**
 * Why a task ended without a result. `reason` tells a limit from a fault of the task itself; `code`
 * is that of the error it threw, when that had one.
 */
export class TaskFailure extends Error {
  override readonly name = "TaskFailure";
  constructor(
    readonly reason: "timeout" | "memory" | "crashed" | "aborted" | "threw",
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}
export type Isolate<T> = <K extends keyof T>(
  name: K,
  input: T[K] extends Task<infer I, any, any> ? I : never,
  options: IsolateOptions<T[K] extends Task<any, infer M, any> ? M : never>,
) => Promise<T[K] extends Task<any, any, infer O> ? O : never>;

/** A record of a user that is another now, for those who look at it at this moment. */
export interface Change {
  readonly owner_id: string;
  /** `folder`, `document`, `chat`, `message` …: what a plugin calls its records. */
  readonly kind: string;
  readonly id: string;
  /** The folder whose list shows it, when there is one. */
  readonly folder_id?: string | null;
  readonly action: "created" | "changed" | "deleted";
}

/**
 * What the host hands to `setup`. Everything a plugin may touch is in here; there are no globals.
 */
export interface Context<C extends TObject = TObject, N = {}, L = {}, T = {}> {
  readonly config: Static<C>;
  readonly services: ServicesOf<N>;
  /** Complete once every plugin is set up: read a slot inside handlers, not inside `setup`. */
  readonly slots: SlotsOf<L>;
  /** The tables of this plugin: its store names their types, `(db: Db<FoldersTables>, …)`. */
  readonly db: Db<any>;
  /**
   * All of `work` is kept, or none. Everything inside must use the `tx` it is given; no network, no
   * waiting inside.
   */
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  /**
   * Runs once the surrounding transaction is on disk (at once outside one), never when it failed.
   */
  readonly afterCommit: (work: () => void) => void;
  /**
   * Says that a record has changed, once the surrounding transaction is on disk: call it where the
   * record is written. It costs nothing when nobody looks, and is kept nowhere.
   */
  readonly notify: (change: Change) => void;
  /** Prepared reads on a second connection, for the few look-ups that every request makes. */
  readonly hot: HotReads;
  /** After text was deleted: takes it out of the write-ahead log too. Returns at once. */
  readonly truncateWal: () => void;
  readonly files: Files;
  /**
   * For secrets that must be read again, such as those that sign: at rest they are only kept
   * sealed.
   */
  readonly sealed: Seal;
  /** Epoch milliseconds. */
  readonly now_ms: () => number;
  readonly log: Log;
  /** A fresh opaque id: `fld_` + ULID, sortable by creation. */
  readonly newId: (prefix: string) => string;
  readonly enqueue: <R extends JobRef>(
    db: Db<any>,
    on: R,
    payload: PayloadOf<R>,
    options?: EnqueueOptions,
  ) => Promise<void>;
  readonly emit: <R extends EventRef>(db: Db<any>, on: R, payload: PayloadOf<R>) => Promise<void>;
  /**
   * Removes waiting jobs about these records and aborts running ones once the transaction is on
   * disk.
   */
  readonly cancelJobs: (db: Db<any>, subjects: readonly string[]) => Promise<void>;
  /** Runs one of this plugin's `tasks` in a killable child process. @throws TaskFailure */
  readonly isolate: Isolate<T>;
  readonly paths: { readonly data: string; readonly database: string; readonly temporary: string };
  /** The address that people reach this server by, without a trailing slash: for links in words. */
  readonly public_url: () => string;
  /** The running server as whoever runs it sees it. */
  readonly operations: Operations;
}

type Services = Readonly<Record<string, ServiceRef<any>>>;
type Slots = Readonly<Record<string, SlotRef<any>>>;
type Routes = Readonly<Record<string, Route<any, any>>>;
type Commands = Readonly<Record<string, Command>>;
type Tasks = Readonly<Record<string, Task>>;

type Promised<K extends string, T> = {} extends T
  ? { readonly [P in K]?: T }
  : { readonly [P in K]: T };
/**
 * What `setup` returns. What the manifest promises (services, routes, commands) must be there; the
 * rest is optional.
 */
export type Parts<P, R, K> = {
  readonly fills?: readonly Fill[];
  readonly jobs?: readonly JobHandler[];
  readonly schedules?: readonly Schedule[];
  readonly health?: () => Promise<"ok" | { readonly failing: string }>;
  /** Runs after every plugin is set up and the database is migrated, before the first request. */
  readonly start?: () => Promise<void>;
  /** Runs after the last request and job, in reverse order. */
  readonly stop?: () => Promise<void>;
} & Promised<"services", ServicesOf<P>> &
  Promised<"routes", HandlersOf<R>> &
  Promised<"commands", { readonly [N in keyof K]: CommandHandler }>;

export interface Plugin<
  C extends TObject = any,
  N extends Services = any,
  P extends Services = any,
  L extends Slots = any,
  R extends Routes = any,
  K extends Commands = any,
  T extends Tasks = any,
> {
  readonly contract: number;
  /** Lower case, digits and dashes. Also the default section of its settings, with `_` for `-`. */
  readonly name: string;
  readonly version: string;
  /** The section of the configuration, when it is not the name. */
  readonly section: string;
  readonly config: C;
  readonly needs: N;
  readonly provides: P;
  /** The slots it reads. */
  readonly slots: L;
  readonly events: readonly EventRef<TSchema>[];
  /** Every table it owns: its name, or its name and `_…`. */
  readonly tables: readonly string[];
  readonly migrations: readonly Migration[];
  readonly routes: R;
  readonly commands: K;
  readonly tasks: T;
  readonly setup: (ctx: Context<C, N, L, T>) => Parts<P, R, K> | Promise<Parts<P, R, K>>;
}

/**
 * Checks the shape at compile time and fills the blanks. It registers nothing: a plugin is a value.
 */
export function definePlugin<
  C extends TObject = TObject<{}>,
  N extends Services = {},
  P extends Services = {},
  L extends Slots = {},
  R extends Routes = {},
  K extends Commands = {},
  T extends Tasks = {},
>(
  manifest: Pick<Plugin<C, N, P, L, R, K, T>, "name" | "version"> & {
    readonly contract?: number;
    readonly section?: string;
    readonly config?: C;
    readonly needs?: N;
    readonly provides?: P;
    readonly slots?: L;
    readonly events?: readonly EventRef<any>[];
    readonly tables?: readonly string[];
    readonly migrations?: readonly Migration[];
    readonly routes?: R;
    readonly commands?: K;
    readonly tasks?: T;
    readonly setup: (
      ctx: Context<C, N, L, T>,
    ) => NoInfer<Parts<P, R, K>> | Promise<NoInfer<Parts<P, R, K>>>;
  },
): Plugin<C, N, P, L, R, K, T> {
  return {
    contract: CONTRACT,
    section: manifest.name.replaceAll("-", "_"),
    config: Type.Object({}) as unknown as C,
    needs: {} as N,
    provides: {} as P,
    slots: {} as L,
    events: [],
    tables: [],
    migrations: [],
    routes: {} as R,
    commands: {} as K,
    tasks: {} as T,
    ...manifest,
  };
}
