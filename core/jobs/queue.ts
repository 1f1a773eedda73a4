/**
 * The job queue: a job is enqueued in the transaction of a change, runs after its commit, and takes
 * effect exactly once. Events become one job per subscriber.
 */
import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../base/clock";
import { newId } from "../base/ids";
import type { Log } from "../base/log";
import { topic, type Notifier } from "../base/notifier";
import { notifyObservers } from "../base/observers";
import { originOf } from "../base/origin";
import type { ActivityTracker } from "../base/stall-meter";
import { settlesWithin } from "../lib/timeout";
import type { Db, Store } from "../store/store";
import type {
  BegunJob,
  EndedRun,
  EnqueueOptions,
  EventRef,
  EventWriter,
  GivenOf,
  JobHandler,
  JobRef,
  PayloadOf,
} from "./contract";
import { cancelJobs, cancelSomeJobs } from "./cancellation-store";
import { CertainTime } from "./certain-time";
import { Dispatcher } from "./dispatcher";
import { EarlyRun } from "./early-run";
import { Handlers, type Registered } from "./handlers";
import { JobActions } from "./job-actions";
import { JobQueries } from "./job-queries";
import { Housekeeping, default_retention, type JobRetention } from "./housekeeping";
import { Poller } from "./poller";
import { SpaceWaiters } from "./space-waiters";
import { UnreadableWaiters } from "./unreadable-waiters";
import { Stopped } from "./run";
import { handlerKey } from "./scheduler";
import * as table from "./store";

/** What the queue needs of the server, and its limits. */
export interface JobQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly notifier: Notifier;
  /** Identifies this process in leases. Default: there is only one process. */
  readonly node_id?: string;
  /** Tracks what is running. */
  readonly activities?: ActivityTracker;
  /** Concurrent jobs in the whole server, not counting io-bound ones. Default 64. */
  readonly slots_max?: number;
  /**
   * How long a handler may continue after its signal fired before its slot is given to another job.
   * Default 10 s.
   */
  readonly grace_ms?: number;
  /** Default: a day, and 30 days for failed jobs. */
  readonly retention?: () => JobRetention;
  /** Whether jobs of `intake` are paused. Default: never. */
  readonly intakePaused?: () => boolean;
  /** Called for every finished run. Default: none. */
  readonly observers?: () => readonly ((run: EndedRun) => void)[];
  /** Record emitted events. Default: none. */
  readonly writers?: () => readonly EventWriter[];
}
/** There may be something to run. */
const JobsReady = topic<null>("core.jobs_ready");
/** The id of a job that was cancelled. */
const JobCancelled = topic<string>("core.job_cancelled");

/** The jobs of all plugins in one database, run by this process and by others on it. */
export class JobQueue {
  private readonly handlers = new Handlers();
  private readonly dispatcher: Dispatcher;
  private readonly poller: Poller;
  private readonly certain_time: CertainTime;
  private readonly writers: () => readonly EventWriter[];
  private readonly onRunEnded: (run: EndedRun) => void;
  /** For administrators and monitoring. */
  readonly queries: JobQueries;
  readonly actions: JobActions;

  constructor(private readonly options: JobQueueOptions) {
    const {
      store,
      clock,
      log,
      notifier,
      node_id = "",
      activities,
      slots_max = 64,
      grace_ms = 10_000,
      retention = () => default_retention,
      intakePaused = () => false,
      observers = () => [],
      writers = () => [],
    } = options;
    this.writers = writers;
    const { handlers } = this;
    const onEnded = (): void => this.poller.wake();
    const onRunEnded = (run: EndedRun): void => notifyObservers(observers(), run, log);
    this.onRunEnded = onRunEnded;
    const space_waiters = new SpaceWaiters(store);
    this.dispatcher = new Dispatcher({
      store,
      clock,
      log,
      intakePaused,
      node_id,
      activities,
      handlers,
      slots_max,
      grace_ms,
      space_waiters,
      unreadable_waiters: new UnreadableWaiters(clock),
      onRunEnded,
      onEnded,
    });
    const { dispatcher } = this;
    this.certain_time = new CertainTime({ store, clock, log });
    const { certain_time } = this;
    const housekeeping = new Housekeeping({
      store,
      clock,
      log,
      dispatcher,
      retention,
      certain_time,
      space_waiters,
    });
    this.poller = new Poller({ store, clock, log, dispatcher, housekeeping });
    this.queries = new JobQueries(store, handlers);
    this.actions = new JobActions({ store, clock, handlers, wake: () => this.announce() });
    notifier.subscribe(JobsReady, "all", () => this.poller.wake());
    notifier.subscribe(JobCancelled, "all", (id) =>
      dispatcher.abort(id, new Stopped("cancelled", "the job was cancelled")),
    );
    notifier.onMissed(() => this.poller.wake());
  }

  /** Call before `start`. @throws Error when the job has a handler already. */
  register(plugin: string, handler: JobHandler): void {
    this.handlers.register(plugin, handler);
  }

  /** The plugin that handles a job; undefined when none does. */
  handlerOf(on: JobRef | EventRef): string | undefined {
    return this.handlers.of(on)[0]?.plugin;
  }

  /**
   * See the plugin contract. @throws Error on an invalid payload, or when nobody handles the job.
   */
  async enqueue<R extends JobRef>(
    db: Db<any>,
    on: R,
    payload: PayloadOf<R>,
    options: EnqueueOptions = {},
  ): Promise<void> {
    const { job, handler } = this.jobFor(on, payload, options);
    const lease = this.dispatcher.reservations.reserve(job, handler);
    if (lease !== undefined && (await this.startWithCommit(db, job, lease))) return;
    await this.insert(db, job);
  }

  /**
   * See the plugin contract. @throws Error on an invalid payload, or when nobody handles the job.
   */
  begin<R extends JobRef>(
    on: R,
    payload: PayloadOf<R>,
    options: EnqueueOptions = {},
  ): BegunJob<GivenOf<R>> | undefined {
    const { dispatcher } = this;
    const { store, clock, activities } = this.options;
    const { job, handler } = this.jobFor(on, payload, options);
    const lease = dispatcher.reservations.reserve(job, handler);
    if (lease === undefined) return undefined;
    return new EarlyRun({
      store,
      clock,
      activities,
      job,
      handler,
      payload,
      lease,
      onRunEnded: this.onRunEnded,
      continueAsJob: async (tx, run) => {
        if (await this.startWithCommit(tx, job, lease, run)) return;
        await this.insert(tx, job);
        store.afterCommit(() => run.drop());
      },
      release: () => dispatcher.reservations.release(job),
    });
  }

  private async insert(db: Db<any>, job: table.NewJob): Promise<void> {
    await table.insertJob(db, job);
    this.announce();
  }

  /** Lets the job start with the surrounding transaction; false when it has to wait after all. */
  private async startWithCommit(
    db: Db<any>,
    job: table.NewJob,
    lease: table.Lease,
    early_run?: EarlyRun,
  ): Promise<boolean> {
    const { dispatcher } = this;
    const release = (): void => dispatcher.reservations.release(job);
    try {
      const queue_max = dispatcher.reservations.queueMax(job);
      const claimed = await table.insertRunning(db, job, lease, queue_max);
      if (claimed === null) release();
      else
        this.options.store.afterCommit(
          () => dispatcher.startReserved(job, claimed, early_run),
          release,
        );
      return claimed !== null;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Writes one job for each subscriber that wants the event, and one entry per writer; costs
   * nothing without any. @throws Error on an invalid payload.
   */
  async emit<R extends EventRef>(db: Db<any>, on: R, payload: PayloadOf<R>): Promise<void> {
    const subscribers: Registered[] = [];
    for (const subscriber of this.handlers.of(on)) {
      const wants = subscriber.handler.limits.wants?.(payload, db) ?? true;
      // Awaits only real promises: most events have no subscriber.
      if (wants === true || (wants !== false && (await wants))) subscribers.push(subscriber);
    }
    const writers = this.writers().filter((writer) => writer.wants(on, payload));
    if (subscribers.length === 0 && writers.length === 0) return;
    requireValidPayload(on, payload);
    for (const writer of writers) await writer.write(db, on, payload);
    for (const subscriber of subscribers)
      await table.insertJob(db, this.newJob(subscriber, payload, {}));
    if (subscribers.length > 0) this.announce();
  }

  /** See the plugin contract. */
  async cancelJobs(db: Db<any>, subjects: readonly string[]): Promise<void> {
    this.announceCancelled(await cancelJobs(db, subjects, this.options.clock.now_ms()));
  }

  /** See the plugin contract. */
  async cancelSomeJobs(db: Db<any>, subject: string, limit: number): Promise<boolean> {
    const now_ms = this.options.clock.now_ms();
    const ids = await cancelSomeJobs(db, [subject], now_ms, limit);
    this.announceCancelled(ids);
    return ids.length === limit;
  }

  private announceCancelled(ids: readonly string[]): void {
    for (const id of ids) this.options.notifier.publish(JobCancelled, id, id);
  }

  /**
   * Makes jobs of a crashed process ready again and starts running jobs. `gone_nodes`: processes
   * that have certainly ended. Where a single process serves the database, guaranteed by the lock
   * on the data directory, every job marked as running belongs to one that is gone.
   */
  async start(gone_nodes: readonly string[] = []): Promise<void> {
    const { store, log } = this.options;
    const nodes = store.channel === null ? "all" : gone_nodes;
    // After a graceful end none is running: then nothing is written, and no disk waited for.
    const resumed = (await table.isAnyRunning(store.db))
      ? await store.inDeletion((tx) => table.freeRunsOf(tx, nodes))
      : 0;
    if (resumed > 0) log.info("jobs of the previous run were resumed", { jobs: resumed });
    this.dispatcher.open();
    this.poller.start();
  }

  /** Makes the jobs of these processes, which are gone, ready again. */
  async takeOver(gone_nodes: readonly string[]): Promise<void> {
    const { store, log } = this.options;
    const jobs = await store.inDeletion((tx) => table.freeRunsOf(tx, gone_nodes));
    if (jobs === 0) return;
    log.info("jobs of a process that is gone were resumed", { jobs });
    this.announce();
  }

  /**
   * Claims nothing more, aborts what is running, and returns unfinished jobs to the table after
   * `timeout_ms` at the latest.
   */
  async drain(timeout_ms: number): Promise<void> {
    const { store, clock, log } = this.options;
    this.dispatcher.close();
    await this.poller.stop();
    await this.dispatcher.abortAll();
    const ending = this.dispatcher.runs.map(({ ended }) => ended);
    await settlesWithin(Promise.all(ending), timeout_ms);
    for (const { job } of this.dispatcher.runs) {
      log.warn("a job did not stop in time and will run again at the next start", {
        job: job.id,
        name: job.name,
      });
      await store.inDeletion((tx) => table.returnJob(tx, job, clock.now_ms()));
    }
    // Other processes continue them.
    this.announce();
  }

  /** Call before anything that expires by age. */
  readTime(): Promise<void> {
    return this.certain_time.read();
  }

  /** See the plugin contract. */
  readonly certain_now_ms = (): number => this.certain_time.now_ms();

  /** Call when what kept jobs from starting, such as a pause, is over. Returns at once. */
  wake(): void {
    this.poller.wake();
  }

  /** Why jobs don't run; null when they do. */
  failure(): string | null {
    return this.poller.failure();
  }

  /** Runs every due job and those that they enqueue, and returns how many. For tests. */
  async runDue(): Promise<number> {
    const { store, clock } = this.options;
    await table.freeExpired(store.db, clock.now_ms());
    for (let ran = 0; ;) {
      const { begun } = await this.dispatcher.claim();
      ran += begun;
      const { runs } = this.dispatcher;
      if (runs.length > 0) await Promise.race(runs.map(({ ended }) => ended));
      else if (begun === 0) return ran;
    }
  }

  private announce(): void {
    this.options.notifier.publish(JobsReady, "", null);
  }

  private jobFor(
    on: JobRef,
    payload: unknown,
    options: EnqueueOptions,
  ): { readonly job: table.NewJob; readonly handler: JobHandler } {
    requireValidPayload(on, payload);
    const [registered] = this.handlers.of(on);
    if (!registered) throw new Error(`no plugin handles the job ${on.id}`);
    return { job: this.newJob(registered, payload, options), handler: registered.handler };
  }

  private newJob(
    { plugin, handler: { on, limits } }: Registered,
    payload: unknown,
    options: EnqueueOptions,
  ): table.NewJob {
    const now_ms = this.options.clock.now_ms();
    const queue = options.queue || handlerKey({ plugin, name: on.id });
    return {
      id: newId("job"),
      plugin,
      name: on.id,
      payload: JSON.stringify(payload),
      owner: options.owner || limits.ownerOf?.(payload) || queue,
      queue,
      queue_concurrency: options.queue_concurrency ?? limits.concurrency ?? 1,
      priority: Math.trunc(options.priority ?? 0),
      run_at: Math.trunc(options.run_at_ms ?? now_ms),
      attempts_max: limits.attempts_max,
      key: options.key ?? null,
      subject: options.subject ?? null,
      request_id: originOf().request_id ?? null,
      created_at: now_ms,
    };
  }
}

function requireValidPayload(on: JobRef | EventRef, payload: unknown): void {
  // Collecting the errors takes much longer than checking that there are none.
  if (Value.Check(on.payload, payload)) return;
  const { path, message } = Value.Errors(on.payload, payload).First()!;
  throw new Error(
    `${on.kind} ${on.id}: the payload does not fit its schema: ${path || "/"} ${message}`,
  );
}
