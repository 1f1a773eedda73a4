/**
 * Periodic work on the job table: renews leases, takes over jobs of dead processes, deletes
 * finished jobs, and corrects due times when the clock was set back.
 */
import type { Clock } from "../base/clock";
import { errorFields, type Log } from "../base/log";
import type { CertainTime } from "./certain-time";
import type { Store } from "../store/store";
import { correctTimes } from "./clock-correction";
import type { Dispatcher } from "./dispatcher";
import type { SpaceWaiters } from "./space-waiters";
import * as table from "./store";

/** What housekeeping needs of the queue. */
export interface HousekeepingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  /** Called each time. */
  readonly retention: () => JobRetention;
  readonly certain_time: CertainTime;
  readonly space_waiters: Pick<SpaceWaiters, "takeReady">;
}

const heartbeat_ms = 10_000;
/** For a shared database, where leases are shorter so that others can take over. */
const shared_heartbeat_ms = 4_000;
/** How closely the clocks of processes are expected to agree. */
const shared_slack_ms = 5_000;
const prune_tick = "core.prune";
const prune_every_ms = 10 * 60_000;
const prune_batch = 500;
const prune_pause_ms = 20;
const day_ms = 24 * 3_600_000;

/** How long finished jobs are kept, milliseconds. */
export interface JobRetention {
  /** Including cancelled ones. */
  readonly done_ms: number;
  readonly failed_ms: number;
}
/** A day, and thirty days for failed jobs. */
export const default_retention: JobRetention = { done_ms: day_ms, failed_ms: 30 * day_ms };

/** Called by the poller; it has no timer of its own. */
export class Housekeeping {
  private renewed_at_ms = 0;
  private renewing: Promise<void> | undefined;
  private pruned_at_ms: number;
  /** Undefined before the first run: the clock may have been set back while the server was down. */
  private ran_at_ms: number | undefined;
  private pruning: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: HousekeepingOptions) {
    this.pruned_at_ms = options.clock.now_ms();
  }

  /** Does whatever is due. */
  async run(): Promise<void> {
    const { store, clock, certain_time, space_waiters } = this.options;
    await certain_time.save();
    const now_ms = clock.now_ms();
    const is_shared = store.channel !== null;
    const slack_ms = is_shared ? shared_slack_ms : 0;
    if (this.ran_at_ms === undefined || now_ms < this.ran_at_ms - slack_ms)
      await this.correctTimes(now_ms, slack_ms);
    this.ran_at_ms = now_ms;
    const fitting_ids = space_waiters.takeReady();
    if (fitting_ids.length > 0)
      await store.inDeletion((tx) => table.wakeJobs(tx, fitting_ids, now_ms));
    await this.renew();
    if (Math.abs(now_ms - this.pruned_at_ms) >= prune_every_ms) {
      this.pruned_at_ms = now_ms;
      this.pruning = this.prune(is_shared);
    }
  }

  /** Renews the leases when that is due, even while everything else waits for a connection. */
  renew(): Promise<void> {
    return (this.renewing ??= this.renewDue().finally(() => {
      this.renewing = undefined;
    }));
  }

  private async renewDue(): Promise<void> {
    const { store, clock, dispatcher } = this.options;
    const is_shared = store.channel !== null;
    const now_ms = clock.now_ms();
    const interval_ms = is_shared ? shared_heartbeat_ms : heartbeat_ms;
    if (this.stopped || Math.abs(now_ms - this.renewed_at_ms) < interval_ms) return;
    await dispatcher.renewLeases();
    // After an outage of the database, other processes get time to renew their leases.
    const was_cut_off = is_shared && now_ms - this.renewed_at_ms > 2 * interval_ms;
    this.renewed_at_ms = now_ms;
    if (!was_cut_off) await store.inDeletion((tx) => table.freeExpired(tx, now_ms));
  }

  /** When it resolves, nothing here uses the database any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.pruning;
    await this.renewing?.catch(() => undefined);
  }

  private async correctTimes(now_ms: number, slack_ms: number): Promise<void> {
    const { store, log } = this.options;
    const jobs = await correctTimes(store, now_ms, slack_ms);
    if (jobs > 0) log.warn("the clock was ahead: the times of jobs were corrected", { jobs });
  }

  /** Whether this process does it for all. */
  private claimPruning(): Promise<boolean> {
    const { store, clock } = this.options;
    const now_ms = clock.now_ms();
    const tick_at = now_ms - (now_ms % prune_every_ms);
    return store.inDeletion((tx) => table.takeTick(tx, prune_tick, tick_at, now_ms));
  }

  private async prune(is_shared: boolean): Promise<void> {
    const { store, certain_time, log } = this.options;
    const retention = this.options.retention();
    try {
      if (is_shared && !(await this.claimPruning())) return;
      for (const state of ["done", "cancelled", "failed"] as const) {
        const retention_ms = state === "failed" ? retention.failed_ms : retention.done_ms;
        while (!this.stopped) {
          const before_ms = certain_time.now_ms() - retention_ms;
          const deleted = await table.pruneJobs(store.db, state, before_ms, prune_batch);
          // The reason of a failure may quote content.
          if (state === "failed" && deleted > 0) store.truncateWal();
          if (deleted < prune_batch) break;
          await Bun.sleep(prune_pause_ms);
        }
      }
    } catch (error) {
      log.error("finished jobs could not be deleted", errorFields(error));
    }
  }
}
