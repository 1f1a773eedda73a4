/** Capacity for jobs that start with the commit of the transaction that enqueues them. */
import type { Clock } from "../base/clock";
import type { Store } from "../store/store";
import type { JobHandler } from "./contract";
import type { Run } from "./run";
import type { Lease, NewJob } from "./store";

/** What the reservations depend on. */
export interface ReservationsOptions {
  readonly store: Pick<Store, "channel" | "isDiskFull">;
  readonly clock: Clock;
  /** Concurrent jobs in the whole server, not counting io-bound ones. */
  readonly slots_max: number;
  /** Whether jobs of `intake` are paused. */
  readonly intakePaused: () => boolean;
  /** The most jobs of one name that run here at once. */
  readonly handler_slots_max: number;
  /** Of the leases. */
  readonly token: string;
  readonly lease_ms: number;
  /** The runs in progress. */
  readonly runs: () => Iterable<Pick<Run, "handler" | "job">>;
}
type CountedJob = Pick<NewJob, "name" | "owner">;

/**
 * The share of the capacity that jobs starting at once may take, in total and of their owner. What
 * remains is for waiting jobs.
 */
const immediate_share = 0.75;

/** The jobs of open transactions for which there is capacity in this process. */
export class Reservations {
  private readonly reserved = new Set<NewJob>();
  private was_opened = false;
  private is_closed = false;

  constructor(private readonly options: ReservationsOptions) {}

  get jobs(): ReadonlySet<NewJob> {
    return this.reserved;
  }

  /** From now on jobs may start at once. */
  open(): void {
    this.was_opened = true;
  }

  /** No job starts at once from now on. */
  close(): void {
    this.is_closed = true;
  }

  /**
   * A lease for a job that starts with the open transaction; `release` must follow. Undefined when
   * it has to wait its turn. Whether its queue has capacity across all processes is checked when it
   * is written.
   */
  reserve(job: NewJob, { limits }: JobHandler): Lease | undefined {
    const { store, clock, intakePaused, token, lease_ms } = this.options;
    const { io_bound = false, begins_at_once = false, intake = false, concurrency = 1 } = limits;
    if (!begins_at_once || io_bound || job.key !== null || job.run_at > job.created_at)
      return undefined;
    if (!this.was_opened || this.is_closed || store.isDiskFull()) return undefined;
    if (intake && intakePaused()) return undefined;
    if (!this.hasCapacity(job, concurrency)) return undefined;
    this.reserved.add(job);
    return { token, until_ms: clock.now_ms() + lease_ms };
  }

  /** The job starts, or gives back its capacity. */
  release(job: NewJob): void {
    this.reserved.delete(job);
  }

  /**
   * The number of running jobs in its queue that leaves capacity for others; null where only this
   * process runs jobs.
   */
  queueMax(job: NewJob): number | null {
    return this.options.store.channel === null
      ? null
      : Math.floor(job.queue_concurrency * immediate_share);
  }

  private hasCapacity({ name, owner, queue_concurrency }: NewJob, concurrency: number): boolean {
    const { slots_max, handler_slots_max } = this.options;
    const isBelow = (max: number, counts: (job: CountedJob) => boolean): boolean =>
      this.countActive(counts) < Math.floor(max * immediate_share);
    return (
      isBelow(slots_max, () => true) &&
      isBelow(Math.min(concurrency, handler_slots_max), (job) => job.name === name) &&
      isBelow(queue_concurrency, (job) => job.name === name && job.owner === owner)
    );
  }

  private countActive(counts: (job: CountedJob) => boolean): number {
    let count = 0;
    for (const { job, handler } of this.options.runs())
      if (!handler.limits.io_bound && counts(job)) count++;
    for (const job of this.reserved) if (counts(job)) count++;
    return count;
  }
}
