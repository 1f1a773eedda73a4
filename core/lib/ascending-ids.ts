/** Numbers that identify rows, in ascending order. */

/** Numbers given to nobody else: from `first` to before `end`. */
interface Leased {
  readonly first: number;
  readonly end: number;
}
/** Leases numbers of this series, greater than `least` and than all those leased before. */
export type LeaseFrom = (series: string, least: number) => Promise<Leased>;

/** Where ids come from. */
export interface AscendingIdsOptions {
  readonly now_ms: () => number;
  /** Null where no other process issues ids of the series. */
  readonly lease: LeaseFrom | null;
  /** The name under which numbers are leased: ids are unique within a series. */
  readonly series: string;
}

/** Per millisecond. */
const ids_per_ms = 1_024;
/**
 * Unused numbers of a lease are dropped after this time, so that an id is greater than those that
 * any process issued much earlier.
 */
const lease_ms = 10_000;

/**
 * Issues ids in memory: from the clock where one process issues all of them, otherwise from numbers
 * leased from the database. No id is issued twice in any process, and the ids of one process
 * ascend.
 */
export class AscendingIds {
  private last = 0;
  private end = Infinity;
  private leased_at_ms = 0;
  private leasing = false;

  constructor(private readonly options: AscendingIdsOptions) {}

  /** Call before the first `next`: ids continue after the largest stored one. */
  async continueAfter(largest_stored: number): Promise<void> {
    this.last = largest_stored;
    if (this.options.lease !== null) await this.lease();
  }

  /** Greater than all earlier ids, also across restarts: no cached id stands for another row. */
  readonly next = (): number => this.reserve(1);

  /** The first of `count` consecutive numbers. @throws Error when the next lease is late */
  reserve(count: number): number {
    const { lease, now_ms } = this.options;
    const first = Math.max(this.last + 1, lease === null ? now_ms() * ids_per_ms : 0);
    if (first + count > this.end) {
      this.renew();
      throw new Error("new ids wait for the database; try again");
    }
    this.last = first + count - 1;
    if (lease !== null && (this.is_low || now_ms() - this.leased_at_ms >= lease_ms)) this.renew();
    return first;
  }

  /** Less is left than was used. */
  private get is_low(): boolean {
    return this.end - this.last < this.last - this.first;
  }
  private first = 0;

  private renew(): void {
    if (this.leasing) return;
    this.leasing = true;
    // Until the new lease arrives, numbers left in the previous one are used.
    void this.lease()
      .catch(() => undefined)
      .finally(() => {
        this.leasing = false;
      });
  }

  private async lease(): Promise<void> {
    const { lease, now_ms, series } = this.options;
    const leased = await lease!(series, Math.max(this.last + 1, now_ms() * ids_per_ms));
    this.first = leased.first;
    this.last = leased.first - 1;
    this.end = leased.end;
    this.leased_at_ms = now_ms();
  }
}
