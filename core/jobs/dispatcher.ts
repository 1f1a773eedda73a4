/** Claims due jobs as far as there is capacity, and runs them. */
import type { Clock } from "../base/clock";
import { newUuid } from "../base/ids";
import type { Log } from "../base/log";
import { withOrigin } from "../base/origin";
import type { ActivityTracker } from "../base/stall-meter";
import { ServedLog } from "../lib/served-log";
import type { Db, Store } from "../store/store";
import type { SpaceWaiters } from "./space-waiters";
import {
  findCandidates,
  findFewDue,
  readyKinds,
  type Candidate,
  type Capacity,
  type Kind,
} from "./candidates";
import type { EndedRun } from "./contract";
import type { EarlyRun } from "./early-run";
import type { Handlers } from "./handlers";
import { Reservations } from "./reservations";
import { readRunningCounts, type RunningCounts } from "./running-counts";
import { runJob, Stopped, type Run } from "./run";
import { handlerKey, ownerKey, ownerMax, queueKey, selectJobs, type Selection } from "./scheduler";
import * as table from "./store";
import type { UnreadableWaiters } from "./unreadable-waiters";

/** What the dispatcher needs of the queue. */
export interface DispatcherOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly node_id: string;
  readonly handlers: Handlers;
  /** Concurrent jobs in the whole server, not counting io-bound ones. */
  readonly slots_max: number;
  /**
   * How long a handler may continue after its signal fired before its slot is given to another job.
   */
  readonly grace_ms: number;
  /** Tracks jobs that found no space on the disk. */
  readonly space_waiters: SpaceWaiters;
  readonly unreadable_waiters: UnreadableWaiters;
  /** Tracks what is running. */
  readonly activities?: ActivityTracker | undefined;
  /** Called for every finished run. */
  readonly onRunEnded: (run: EndedRun) => void;
  /** Whether jobs of `intake` are paused. */
  readonly intakePaused: () => boolean;
  /** Called when a run has ended: there may be capacity for another. */
  readonly onEnded: () => void;
}
/** The outcome of a claim. */
export interface Claim {
  /** The jobs that it started. */
  readonly begun: number;
  /** No other job may run until one is enqueued, falls due, or ends. */
  readonly is_complete: boolean;
}
const no_claim: Claim = { begun: 0, is_complete: true };
/** A run in progress. */
export interface ActiveRun extends Run {
  readonly ended: Promise<void>;
}

const lease_ms = 30_000;
/**
 * For a database shared by several processes: how long after the death of one its jobs continue
 * elsewhere.
 */
const shared_lease_ms = 15_000;
/** With more due jobs than this, a claim searches for those that may run. */
const few_due_max = 16;
/** With more queues than this, a claim looks at only some of them. */
const few_queues_max = 64;
const candidates_per_slot = 8;
/** The most jobs of one queue, or io-bound jobs, in one claim; the next claim follows at once. */
const claims_max = 48;
const candidates_max = 10_000;
/** Runs jobs in this process, within the capacity of all processes. */
export class Dispatcher {
  private readonly active = new Map<string, ActiveRun>();
  private readonly served_log = new ServedLog();
  private claiming: Promise<unknown> = Promise.resolve();
  private last_selection: Pick<Selection, "last_owner" | "queues"> = { last_owner: "", queues: 1 };
  /** No job name takes all slots: other jobs would have to wait for its slowest run. */
  private readonly handler_slots_max: number;
  /** Jobs cancelled during a claim: one may have been claimed but not started yet. */
  private cancelled: Map<string, Stopped> | undefined;
  private is_closed = false;
  /** Capacity for jobs that start with the commit of an open transaction. */
  readonly reservations: Reservations;

  constructor(private readonly options: DispatcherOptions) {
    const { slots_max } = options;
    this.handler_slots_max = Math.max(1, slots_max - Math.ceil(slots_max / 4));
    this.reservations = new Reservations({
      ...options,
      handler_slots_max: this.handler_slots_max,
      token: this.newToken(),
      lease_ms: this.lease_ms,
      runs: () => this.active.values(),
    });
  }

  /** Other processes may claim from the same table. */
  private get is_shared(): boolean {
    return this.options.store.channel !== null;
  }

  private get lease_ms(): number {
    return this.is_shared ? shared_lease_ms : lease_ms;
  }

  /** The runs in progress. */
  get runs(): readonly ActiveRun[] {
    return [...this.active.values()];
  }

  /** The number of runs that take a slot. */
  get slots_taken(): number {
    let slots = 0;
    for (const { handler } of this.active.values()) if (!handler.limits.io_bound) slots += 1;
    return slots;
  }

  private slotsOfOwners(): Map<string, number> {
    const slots = new Map<string, number>();
    for (const { job, handler } of this.active.values())
      if (!handler.limits.io_bound) slots.set(job.owner, (slots.get(job.owner) ?? 0) + 1);
    return slots;
  }

  /** Claims as many jobs as there is capacity for and starts them. One claim at a time. */
  claim(): Promise<Claim> {
    const result = this.claiming.then(() => this.claimNow());
    this.claiming = result.catch(() => undefined);
    return result;
  }

  /** Jobs interrupted by the last shutdown are ready again: from now on jobs may start at once. */
  open(): void {
    this.reservations.open();
  }

  /** The transaction is committed: starts the job, or continues it. */
  startReserved(job: table.NewJob, claimed: table.Claimed, early_run?: EarlyRun): void {
    this.reservations.release(job);
    this.served_log.note(ownerKey(job.owner));
    this.served_log.note(queueKey(job.queue));
    this.begin(claimed, early_run);
  }
  /** Aborts the run of this job, whether running or about to start. */
  abort(job_id: string, reason: Stopped): void {
    const run = this.active.get(job_id);
    if (run) run.controller.abort(reason);
    else this.cancelled?.set(job_id, reason);
  }

  /** Claims nothing more from now on. */
  close(): void {
    this.is_closed = true;
    this.reservations.close();
  }

  /** Aborts everything that runs, once no claim is in progress. */
  async abortAll(): Promise<void> {
    await this.claiming;
    for (const { controller } of this.runs) controller.abort(shutdown());
  }

  /** Renews the leases of running jobs; aborts those that another process has taken over. */
  async renewLeases(): Promise<void> {
    const { store, clock } = this.options;
    const runs = this.runs;
    if (runs.length === 0) return;
    const jobs = runs.map(({ job }) => job);
    const until_ms = clock.now_ms() + this.lease_ms;
    const renewed = await store.inDeletion((tx) => table.renewLeases(tx, jobs, until_ms));
    for (const { job } of runs)
      if (!renewed.has(job.id))
        this.abort(job.id, new Stopped("lost", "the lease of this job has expired"));
  }

  private async claimNow(): Promise<Claim> {
    const { store, clock } = this.options;
    const slots = this.options.slots_max - this.slots_taken - this.reservations.jobs.size;
    if (this.is_closed) return no_claim;
    const { ids, is_complete } = this.is_shared
      ? { ids: await this.findAny(slots), is_complete: false }
      : await this.select(store.db, slots);
    if (ids.length === 0) return no_claim;
    this.cancelled = new Map();
    try {
      const claim = async (tx: Db): Promise<table.Claimed[]> => {
        // With the lock, so that nobody else claims meanwhile: limits are counts, which hold
        // across processes only this way.
        const job_ids = this.is_shared
          ? (await this.select(tx, slots, await this.runningCounts(tx))).ids
          : ids;
        const now_ms = clock.now_ms();
        const lease = { token: this.newToken(), until_ms: now_ms + this.lease_ms };
        return table.claimJobs(tx, job_ids, lease, now_ms);
      };
      // When a claim is lost with the machine, its jobs run again, as they would anyway.
      const options = { uses_reserve: true, waits_for_disk: false };
      const jobs = await store.inTransaction(claim, options);
      for (const job of jobs) this.begin(job);
      return { begun: jobs.length, is_complete: is_complete || jobs.length === 0 };
    } finally {
      this.cancelled = undefined;
    }
  }

  /**
   * Without the lock: the id of one job that this process may run, which a claim then verifies; or
   * none.
   */
  private async findAny(slots: number): Promise<readonly string[]> {
    const { store, clock } = this.options;
    // Most claims find nothing, and this check is cheap.
    if (!(await table.isDue(store.db, clock.now_ms()))) return [];
    const counts = await this.runningCounts(store.db);
    const capacities = this.capacities(await readyKinds(store.db), slots, counts);
    const window = { after_owner: "", each_max: 1, all_max: 1 };
    const candidates = await findCandidates(store.db, capacities, clock.now_ms(), window);
    return candidates.map(({ id }) => id);
  }

  private runningCounts(db: Db): Promise<RunningCounts> {
    const { handlers } = this.options;
    return readRunningCounts(db, (job) => !handlers.find(job)?.limits.io_bound);
  }

  /** Those that may run something now. `counts`: what is running in all processes. */
  private capacities(
    kinds: readonly Kind[],
    slots: number,
    counts: RunningCounts | undefined,
  ): Capacity[] {
    const { handlers, store, intakePaused } = this.options;
    const running = new Map<string, number>();
    for (const job of [...this.runs.map((run) => run.job), ...this.reservations.jobs])
      running.set(handlerKey(job), (running.get(handlerKey(job)) ?? 0) + 1);
    const capacities: Capacity[] = [];
    const is_full = store.isDiskFull();
    const is_paused = intakePaused();
    for (const { plugin, name } of kinds) {
      const handler = handlers.find({ plugin, name });
      if (!handler) continue;
      if (is_full && !handler.limits.uses_reserve) continue;
      if (is_paused && handler.limits.intake) continue;
      const { concurrency = 1, io_bound = false, each_process = false } = handler.limits;
      const { leaves_room = false } = handler.limits;
      const key = handlerKey({ plugin, name });
      const handler_max = io_bound ? concurrency : Math.min(concurrency, this.handler_slots_max);
      const running_everywhere =
        counts === undefined || each_process ? -Infinity : (counts.handlers.get(key) ?? 0);
      const free = Math.min(
        handler_max - (running.get(key) ?? 0),
        concurrency - running_everywhere,
      );
      if (free > 0 && (io_bound || slots > 0))
        capacities.push({
          ...{ plugin, name, io_bound, leaves_room, free },
          owner_max: ownerMax({ io_bound, leaves_room, free }),
        });
    }
    return capacities;
  }

  /** `counts`: what is running in all processes, if there are others. */
  private async select(
    db: Db,
    slots: number,
    counts?: RunningCounts,
  ): Promise<Selection & Pick<Claim, "is_complete">> {
    const few_due = await findFewDue(db, this.options.clock.now_ms(), few_due_max);
    const capacities = this.capacities(
      few_due ? kindsOf(few_due) : await readyKinds(db),
      slots,
      counts,
    );
    const { jobs, each_max } = few_due
      ? { jobs: few_due, each_max: Infinity }
      : await this.search(db, capacities, slots);
    const slots_of = counts?.slots_of ?? this.slotsOfOwners();
    const selection = selectJobs(jobs, capacities, slots, this.served_log, slots_of);
    this.last_selection = {
      last_owner: selection.last_owner || this.last_selection.last_owner,
      queues: Math.max(1, selection.queues),
    };
    // A queue from which as many were selected as one claim takes may have more.
    return { ...selection, is_complete: selection.ids.length < each_max };
  }

  /**
   * With many queues looks at only some, beginning after the owner served last; with few, at all of
   * them. `each_max`: the number of jobs selected from which there may be more, in a queue or in
   * others.
   */
  private async search(
    db: Db,
    capacities: readonly Capacity[],
    slots: number,
  ): Promise<{ readonly jobs: readonly Candidate[]; readonly each_max: number }> {
    const now_ms = this.options.clock.now_ms();
    const { last_owner, queues } = this.last_selection;
    const is_partial = queues > few_queues_max;
    const jobs_max = slots + (capacities.some(({ io_bound }) => io_bound) ? claims_max : 0);
    const all_max = is_partial ? jobs_max * candidates_per_slot : candidates_max;
    const each_max = Math.min(claims_max, Math.ceil(jobs_max / queues));
    const find = (after_owner: string) =>
      findCandidates(db, capacities, now_ms, {
        after_owner,
        each_max,
        all_max,
      });
    const first_jobs = await find(is_partial ? last_owner : "");
    const candidates =
      is_partial && first_jobs.length < all_max ? [...first_jobs, ...(await find(""))] : first_jobs;
    const jobs = [...new Map(candidates.map((job) => [job.id, job])).values()];
    return { jobs, each_max: is_partial ? 0 : Math.min(each_max, all_max) };
  }

  private newToken(): string {
    return table.tokenOf(this.options.node_id, newUuid());
  }

  private begin(job: table.Claimed, early_run?: EarlyRun): void {
    const handler = this.options.handlers.find(job)!;
    const { controller = new AbortController(), result } = early_run ?? {};
    const run: Run = { job, handler, controller, result };
    const activity = `job ${job.name}`;
    this.options.activities?.begin(activity);
    const { id, owner } = job;
    const origin = { request_id: job.request_id ?? undefined, job: id, owner };
    const ended = withOrigin(origin, () => runJob(this.options, run)).finally(() => {
      this.options.activities?.end(activity);
      this.active.delete(job.id);
      this.options.onEnded();
    });
    this.active.set(job.id, { ...run, ended });
    const reason = this.cancelled?.get(job.id) ?? (this.is_closed ? shutdown() : undefined);
    if (reason !== undefined) run.controller.abort(reason);
  }
}

const shutdown = (): Stopped => new Stopped("shutdown", "the server is stopping");

/** Each once. */
const kindsOf = (jobs: readonly Kind[]): Kind[] => [
  ...new Map(jobs.map((job) => [handlerKey(job), job])).values(),
];
