/**
 * Limits how many things are open for a key across all processes: an entry per key records which
 * process has what open. Things held by dead processes count until somebody reaches the limit.
 */
import type { OpenLimit } from "../lib/open-limit";
import type { Step } from "../store/shared-state";
import type { SharedLimiterOptions } from "./shared-limiter";

/** Process → what it has open. */
type Holders = Readonly<Record<string, readonly number[]>>;

const keep_ms = 3_600_000;
/** How often open things are recorded again, so that they don't expire. */
const refresh_every_ms = keep_ms / 3;
const retry_ms = { first: 500, max: 30_000 };

/** The limit with this name: all processes have the same one. */
export class SharedOpenLimit implements OpenLimit {
  /** By key, what this process has open. */
  private readonly open_by_key = new Map<string, Set<number>>();
  /** Requested, with the result pending. */
  private readonly requested = new Set<number>();
  private last_number = 0;
  /** Keys whose shared entry is out of date. */
  private readonly stale = new Set<string>();
  private writing = false;

  constructor(
    private readonly name: string,
    private readonly limit: number | (() => number),
    private readonly options: Pick<SharedLimiterOptions, "presence" | "state">,
  ) {
    const markAllStale = (): void => {
      for (const key of this.open_by_key.keys()) this.markStale(key);
    };
    options.presence.onDoubt(markAllStale);
    setInterval(markAllStale, refresh_every_ms).unref();
  }

  get max(): number {
    return typeof this.limit === "number" ? this.limit : this.limit();
  }

  async acquire(key: string): Promise<(() => void) | null> {
    const number = ++this.last_number;
    this.requested.add(number);
    try {
      const admitted =
        (await this.change(key, number, null)) ||
        (await this.change(key, number, await this.options.presence.alive()));
      if (!admitted) return null;
      this.open_by_key.set(key, (this.open_by_key.get(key) ?? new Set()).add(number));
    } catch (error) {
      // It is unknown whether it was counted.
      this.markStale(key);
      throw error;
    } finally {
      this.requested.delete(number);
    }
    return () => this.release(key, number);
  }

  private release(key: string, number: number): void {
    const holdings = this.open_by_key.get(key);
    if (!holdings?.delete(number)) return;
    if (holdings.size === 0) this.open_by_key.delete(key);
    this.markStale(key);
  }

  /** Makes sure that the shared entry of this key is updated eventually. */
  private markStale(key: string): void {
    this.stale.add(key);
    if (!this.writing) void this.writeStale();
  }

  private async writeStale(): Promise<void> {
    this.writing = true;
    for (let wait_ms = retry_ms.first; this.stale.size > 0;) {
      const keys = [...this.stale];
      this.stale.clear();
      const written = await Promise.allSettled(keys.map((key) => this.change(key, null, null)));
      if (written.every(({ status }) => status === "fulfilled")) wait_ms = retry_ms.first;
      else {
        written.forEach(({ status }, at) => {
          if (status === "rejected") this.stale.add(keys[at]!);
        });
        await new Promise((resolve) => setTimeout(resolve, wait_ms).unref());
        wait_ms = Math.min(2 * wait_ms, retry_ms.max);
      }
    }
    this.writing = false;
  }

  /**
   * Records what this process has open, plus `number` if the limit allows it: returns true then.
   * `alive`: the processes that count; null when unknown.
   */
  private change(
    key: string,
    number: number | null,
    alive: ReadonlySet<string> | null,
  ): Promise<boolean> {
    const { presence, state } = this.options;
    const { id } = presence;
    const step: Step<Holders, boolean> = (holders = {}) => {
      const entries = Object.entries(holders).filter(
        ([holder]) => holder !== id && (alive === null || alive.has(holder)),
      );
      const open = this.open_by_key.get(key) ?? [];
      const granted = (holders[id] ?? []).filter((request) => this.requested.has(request));
      const own_holdings = [...new Set([...open, ...granted])];
      const count = entries.reduce((sum, [, numbers]) => sum + numbers.length, own_holdings.length);
      const admitted = number !== null && count < this.max;
      if (admitted) own_holdings.push(number);
      if (own_holdings.length > 0) entries.push([id, own_holdings]);
      return entries.length === 0
        ? { value: null, result: admitted }
        : { value: Object.fromEntries(entries), keep_ms, result: admitted };
    };
    return state.change(this.name, key, step);
  }
}
