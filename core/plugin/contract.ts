/** The plugin contract. Built-in features and dropped-in plugins use exactly this. */
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { Log } from "../base/log";
import type { HandlersOf, Route } from "../http/route";
import type { Shared } from "../shared/shared";
import type { Db, PreparedReads } from "../store/store";
import type { Files } from "../store/files";
import type { ThisNode } from "../store/nodes";
import type { ReadConnectionSpec } from "../store/read-connection";
import type { Seal } from "../store/seal";
import type { Operations } from "./operations";
import type { Change, Notifier } from "../base/notifier";
import type { Fill, ServiceRef, ServicesOf, SlotRef, SlotsOf } from "../base/refs";
import type { Isolate, Task } from "../isolate/contract";
import type {
  BegunJob,
  EnqueueOptions,
  EventRef,
  GivenOf,
  JobHandler,
  JobRef,
  PayloadOf,
  Schedule,
} from "../jobs/contract";
import type { Migration } from "../store/schema";
import type { Command, CommandHandler } from "./command";
import type { Tool } from "./tool";

/**
 * The contract version of this host. A plugin built for another one is refused by name, before its
 * code runs.
 */
export const CONTRACT = 1;

/**
 * Passed by the host to `setup`. It contains everything that a plugin may use; there are no
 * globals.
 */
export interface Context<C extends TObject = TObject, N = {}, L = {}, T = {}> {
  /** The current values: read settings that change while the server runs where they are used. */
  readonly config: Static<C>;
  /** Calls `listener` after settings of this plugin have changed while the server runs. */
  readonly whenSettingsChange: (listener: () => void) => void;
  readonly services: ServicesOf<N>;
  /** Complete once every plugin is set up: read a slot inside handlers, not inside `setup`. */
  readonly slots: SlotsOf<L>;
  /** The tables of this plugin; its store declares their types, `(db: Db<FoldersTables>, …)`. */
  readonly db: Db<any>;
  /**
   * Runs `work` in one transaction. Everything inside must use the given `tx`, which throws once
   * `work` has ended; no network and no waiting inside.
   */
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  /**
   * The same for deletions, and for what people need to get that far, such as a session: on a full
   * disk it uses the reserved space. It must not add more than a few rows.
   */
  readonly inDeletion: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  /**
   * Calls `work` once the surrounding transaction is committed to disk (at once outside one);
   * `undone` when it failed.
   */
  readonly afterCommit: (work: () => void, undone?: () => void) => void;
  /**
   * Publishes `RecordChanged` once the surrounding transaction is committed: call it where the
   * record is written.
   */
  readonly notify: (change: Change) => void;
  /**
   * Messages to whoever is watching right now; inside a transaction they are delivered after the
   * commit. For what jobs must handle use `emit`.
   */
  readonly notifier: Notifier;
  /** Limits and state shared by all processes on the database. */
  readonly shared: Shared;
  /** Prepared reads on a second connection, for the few look-ups that every request makes. */
  readonly reads: PreparedReads;
  /** Plain data to post to a worker thread, which reads through `openReadConnection`. */
  readonly read_connection: ReadConnectionSpec;
  /** Call after deleting text: removes it from the write-ahead log too. Returns at once. */
  readonly truncateWal: () => void;
  readonly files: Files;
  /**
   * Encrypts secrets that must be readable again, such as signing secrets: they are stored only
   * sealed.
   */
  readonly sealed: Seal;
  /** Epoch milliseconds. */
  readonly now_ms: () => number;
  /**
   * The same, but never ahead of the time that has certainly passed: the clock may be wrong for a
   * while. Use it to expire data for good.
   */
  readonly certain_now_ms: () => number;
  readonly log: Log;
  /** This process, and the others that serve the same database. */
  readonly node: ThisNode;
  /** A fresh opaque id: `fld_` + ULID, sortable by creation. */
  readonly newId: (prefix: string) => string;
  readonly enqueue: <R extends JobRef>(
    db: Db<any>,
    on: R,
    payload: PayloadOf<R>,
    options?: EnqueueOptions,
  ) => Promise<void>;
  /**
   * Starts the work of a job with `begins_at_once` before the transaction that enqueues it;
   * undefined when such a job has to wait its turn.
   */
  readonly begin: <R extends JobRef>(
    on: R,
    payload: PayloadOf<R>,
    options?: EnqueueOptions,
  ) => BegunJob<GivenOf<R>> | undefined;
  readonly emit: <R extends EventRef>(db: Db<any>, on: R, payload: PayloadOf<R>) => Promise<void>;
  /**
   * Removes waiting jobs about these records, and aborts running ones once the transaction is
   * committed.
   */
  readonly cancelJobs: (db: Db<any>, subjects: readonly string[]) => Promise<void>;
  /**
   * The same for a record with thousands of jobs: at most `limit` of them. True when there may be
   * more.
   */
  readonly cancelSomeJobs: (db: Db<any>, subject: string, limit: number) => Promise<boolean>;
  /** Runs one of this plugin's `tasks` in a killable child process. @throws TaskFailure */
  readonly isolate: Isolate<T>;
  readonly paths: {
    readonly data: string;
    /** The path of the embedded database; null where the database is a server. */
    readonly database: string | null;
    readonly temporary: string;
  };
  /** The address at which people reach this server, without a trailing slash: for links. */
  readonly public_url: () => string;
  /** The state of the running server, for administrators. */
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
 * The result of `setup`. What the manifest declares (services, routes, commands) must be present;
 * the rest is optional.
 */
export type PluginInstance<P, R, K> = {
  readonly fills?: readonly Fill[];
  readonly jobs?: readonly JobHandler[];
  /** A function is called again whenever settings of the plugin have changed. */
  readonly schedules?: readonly Schedule[] | (() => readonly Schedule[]);
  readonly health?: () => Promise<"ok" | { readonly failing: string }>;
  /** Runs after every plugin is set up and the database is migrated, before the first request. */
  readonly start?: () => Promise<void>;
  /** Runs after the last request and job, in reverse order. */
  readonly stop?: () => Promise<void>;
} & Promised<"services", ServicesOf<P>> &
  Promised<"routes", HandlersOf<R>> &
  Promised<"commands", { readonly [N in keyof K]: CommandHandler }>;

/** The manifest of a plugin, as `definePlugin` completes it. */
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
  /** The minimum version of Dossier that it runs on: `0.2`. */
  readonly since?: string;
  /**
   * Names of plugins that it replaces: they are not set up. It must provide those of their services
   * that others need.
   */
  readonly replaces: readonly string[];
  /** The section of the configuration, if different from the name. */
  readonly section: string;
  readonly config: C;
  /** Checks that the values of its settings are consistent. @throws ConfigError */
  readonly checkConfig?: (config: Static<C>) => void;
  readonly needs: N;
  readonly provides: P;
  /** The slots it reads. */
  readonly slots: L;
  readonly events: readonly EventRef<TSchema>[];
  /** Every table it owns: its own name, or that name followed by `_…`. */
  readonly tables: readonly string[];
  readonly migrations: readonly Migration[];
  readonly routes: R;
  readonly commands: K;
  /** Commands that run without `setup`. */
  readonly tools: Readonly<Record<string, Tool>>;
  readonly tasks: T;
  readonly setup: (
    ctx: Context<C, N, L, T>,
  ) => PluginInstance<P, R, K> | Promise<PluginInstance<P, R, K>>;
}

/**
 * Checks the shape at compile time and fills in defaults. It registers nothing: a plugin is a
 * value.
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
    readonly since?: string;
    readonly replaces?: readonly string[];
    readonly section?: string;
    readonly config?: C;
    readonly checkConfig?: (config: Static<C>) => void;
    readonly needs?: N;
    readonly provides?: P;
    readonly slots?: L;
    readonly events?: readonly EventRef<any>[];
    readonly tables?: readonly string[];
    readonly migrations?: readonly Migration[];
    readonly routes?: R;
    readonly commands?: K;
    readonly tools?: Readonly<Record<string, Tool>>;
    readonly tasks?: T;
    readonly setup: (
      ctx: Context<C, N, L, T>,
    ) => NoInfer<PluginInstance<P, R, K>> | Promise<NoInfer<PluginInstance<P, R, K>>>;
  },
): Plugin<C, N, P, L, R, K, T> {
  return {
    contract: CONTRACT,
    replaces: [],
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
    tools: {},
    tasks: {} as T,
    ...manifest,
  };
}
