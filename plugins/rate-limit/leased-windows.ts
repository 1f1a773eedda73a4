/**
 * Counts requests in fixed windows across all processes, exactly: each process leases a share of
 * what is left of a subject's window and counts requests against it. Shares get smaller the less is
 * left, and before a request is refused, the other processes return what they have not used. While
 * the database can't be written to, each process counts for itself, so that reads go on.
 */
import { HttpError, newUuid, topic, type RateLimit } from "../../core/sdk";
import type { Context, RateLimiter, Shared } from "../../core/sdk";
import { FixedWindows, type WindowLimits } from "./fixed-windows";
import { Subjects, type SubjectBounds } from "./subjects";

/** What the limiter needs besides `Context`. */
export interface LeasedWindowsContext extends SubjectBounds, Pick<Context, "notifier" | "now_ms"> {
  /** Evaluated at every request. */
  readonly limits: () => WindowLimits;
  readonly state: Shared["state"];
}

/** A subject's window is exhausted: processes with an unused share return it. */
const Wanted = topic<string>("rate_limit.wanted");
const GivenBack = topic<null>("rate_limit.given_back");

/** The most requests in one lease, except for requests that already wait for it. */
const lease_max = 25;
/**
 * The largest fraction of the remainder in one lease, so that little lies idle in other processes.
 */
const lease_share = 8;
/**
 * After a refusal the database is asked again after this time: others may have returned something.
 */
const refused_ms = 1_000;
/** How long to wait for the unused shares of others, and how often to look. */
const wanted_ms_max = 200;
const look_every_ms = 25;
/** Number of leases returned at the same time. */
const given_back_at_once = 32;
/** Shortest interval between deletions of expired leases. */
const sweep_every_ms = 100;
const scope = "rate_limit";

/** The state of a subject's window across all processes. */
interface Window {
  /** Number of the window since the epoch, in windows of this length. */
  readonly number: number;
  readonly window_ms: number;
  /** Leased so far. */
  readonly granted: number;
  /** Processes that may have an unused share. */
  readonly holders: readonly string[];
}
/** This process's share. */
interface Lease {
  readonly number: number;
  /** The window has not ended before this time of `performance.now()`. */
  readonly expires_ms: number;
  granted: number;
  /** Not used yet. */
  left: number;
  refused_until_ms: number;
  /** Others may have an unused share. */
  readonly shared: boolean;
}

/**
 * Windows end by the clock of the database. A process uses a lease only until then: the time is
 * counted from before it asked.
 */
export class LeasedWindows implements RateLimiter {
  private readonly leases = new Map<string, Lease>();
  private readonly subjects: Subjects;
  /** Pending requests for a lease, by subject. */
  private readonly asking = new Map<string, { waiting: number; readonly done: Promise<Lease> }>();
  private limits: WindowLimits | undefined;
  private next_sweep_ms = 0;
  private readonly id = newUuid();
  private readonly ends: readonly (() => void)[];
  /** Counts in this process alone while the database can't be written to. */
  private readonly own_windows: FixedWindows;

  constructor(private readonly ctx: LeasedWindowsContext) {
    this.own_windows = new FixedWindows(ctx);
    this.subjects = new Subjects(ctx, (name) => this.leases.has(name));
    const hear = (name: string): void => void this.yield(name);
    this.ends = [ctx.notifier.subscribe(Wanted, "all", (name, is_local) => is_local || hear(name))];
  }

  get window_ms(): number {
    return this.ctx.limits().window_ms;
  }

  async take(subject: string, count: number): Promise<RateLimit> {
    const limits = this.currentLimits();
    const name = this.subjects.countedAs(subject);
    if (count === 0) return this.peek(name, limits);
    let lease = this.leaseOf(name);
    for (;;) {
      if (lease && lease.left >= count) {
        lease.left -= count;
        return answer(lease, limits, true);
      }
      if (lease && lease.refused_until_ms > performance.now()) return answer(lease, limits, false);
      // A request that has waited uses its lease even if the window has ended meanwhile.
      const granted = await this.ask(name, count, limits).catch(storageFault);
      if (granted === null) return this.own_windows.take(subject, count);
      lease = granted;
    }
  }

  /** Returns what was not used, so that other processes can use it. */
  async stop(): Promise<void> {
    for (const end of this.ends) end();
    await this.giveAllBack();
  }

  private async giveAllBack(): Promise<void> {
    const unused = [...this.leases].filter(
      ([, { left, expires_ms }]) => left > 0 && expires_ms > performance.now(),
    );
    this.leases.clear();
    this.subjects.clear();
    for (let at = 0; at < unused.length; at += given_back_at_once)
      await Promise.allSettled(
        unused.slice(at, at + given_back_at_once).map((lease) => this.giveBack(...lease)),
      );
  }

  /** The number of leases held. */
  get size(): number {
    return this.leases.size;
  }

  /** Reading the state needs no lease and no query. */
  private peek(name: string, limits: WindowLimits): RateLimit {
    const lease = this.leaseOf(name);
    if (lease) return answer(lease, limits, lease.left > 0 || lease.granted < limits.requests_max);
    const { requests_max, window_ms } = limits;
    const number = Math.floor(this.ctx.now_ms() / window_ms);
    const reset_s = Math.ceil(((number + 1) * window_ms) / 1_000);
    return { limit: requests_max, remaining: requests_max, reset_s, allowed: true };
  }

  /** Leases under other limits are obsolete. */
  private currentLimits(): WindowLimits {
    const limits = this.ctx.limits();
    const { requests_max, window_ms } = this.limits ?? limits;
    if (requests_max !== limits.requests_max || window_ms !== limits.window_ms)
      void this.giveAllBack();
    return (this.limits = limits);
  }

  private leaseOf(name: string): Lease | undefined {
    const now_ms = performance.now();
    if (now_ms >= this.next_sweep_ms) this.sweep(now_ms);
    const lease = this.leases.get(name);
    return lease && lease.expires_ms > now_ms ? lease : undefined;
  }

  /** All windows end together: the leases of the last one are dropped. */
  private sweep(now_ms: number): void {
    let next_ms = Infinity;
    for (const [name, { expires_ms }] of this.leases)
      if (expires_ms > now_ms) next_ms = Math.min(next_ms, expires_ms);
      else {
        this.leases.delete(name);
        this.subjects.remove(name);
      }
    this.next_sweep_ms = Math.max(next_ms, now_ms + sweep_every_ms);
  }

  /** One query at a time per subject; concurrent requests share the result. */
  private ask(name: string, count: number, limits: WindowLimits): Promise<Lease> {
    const asking = this.asking.get(name);
    if (asking) {
      asking.waiting += count;
      return asking.done;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const request = { waiting: count, done: promise };
    this.asking.set(name, request);
    this.lease(name, () => request.waiting, limits)
      .finally(() => this.asking.delete(name))
      .then(resolve, reject);
    return promise;
  }

  private async lease(name: string, wanted: () => number, limits: WindowLimits): Promise<Lease> {
    let got = await this.leaseOnce(name, wanted, limits);
    if (got.left === 0 && got.shared) {
      this.ctx.notifier.publish(Wanted, name, name);
      const until_ms = performance.now() + wanted_ms_max;
      while (got.left === 0 && got.shared && performance.now() < until_ms) {
        await this.someGivenBack(name);
        got = await this.leaseOnce(name, wanted, limits);
      }
    }
    if (got.left === 0) got.refused_until_ms = performance.now() + refused_ms;
    const current = this.leaseOf(name);
    if (current?.number === got.number) got.left += current.left;
    if (!this.leases.has(name)) this.subjects.add(name);
    this.leases.set(name, got);
    this.next_sweep_ms = Math.min(this.next_sweep_ms, got.expires_ms);
    return got;
  }

  private async leaseOnce(
    name: string,
    wanted: () => number,
    { requests_max, window_ms }: WindowLimits,
  ): Promise<Lease> {
    const asked_ms = performance.now();
    return this.ctx.state.change<Window, Lease>(scope, name, (window, now_ms) => {
      const number = Math.floor(now_ms / window_ms);
      const is_same = window?.number === number && window.window_ms === window_ms;
      const before = is_same ? window.granted : 0;
      const others = (is_same ? window.holders : []).filter((id) => id !== this.id);
      const share_max = Math.max(0, requests_max - before);
      const part = Math.min(lease_max, Math.max(1, Math.floor(share_max / lease_share)));
      const left = Math.min(share_max, Math.max(part, wanted()));
      const ends_in_ms = (number + 1) * window_ms - now_ms;
      const granted = before + left;
      const result: Lease = {
        number,
        granted,
        left,
        refused_until_ms: 0,
        expires_ms: asked_ms + ends_in_ms,
        shared: others.length > 0,
      };
      const value = { number, window_ms, granted, holders: [...others, this.id] };
      return left === 0 ? { result } : { value, keep_ms: ends_in_ms, result };
    });
  }

  /** Something was returned, or the interval has passed. */
  private someGivenBack(name: string): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        end();
        resolve();
      };
      const timer = setTimeout(done, look_every_ms);
      const end = this.ctx.notifier.subscribe(GivenBack, [name], (_message, is_local) => {
        if (!is_local) done();
      });
    });
  }

  /** Others have nothing left, so this process keeps no unused share. */
  private async yield(name: string): Promise<void> {
    const lease = this.leases.get(name);
    const unused = lease ? { ...lease } : undefined;
    if (lease) lease.left = 0;
    try {
      await this.giveBack(name, unused);
      this.ctx.notifier.publish(GivenBack, name, null);
    } catch {
      // Nobody gets a lease in the rest of this window.
    }
  }

  private giveBack(name: string, lease: Pick<Lease, "number" | "left"> | undefined): Promise<void> {
    return this.ctx.state.change<Window, void>(scope, name, (window, now_ms) => {
      if (!window?.holders.includes(this.id)) return { result: undefined };
      const returned = window.number === lease?.number ? lease.left : 0;
      const holders = window.holders.filter((id) => id !== this.id);
      return {
        value: { ...window, holders, granted: window.granted - returned },
        keep_ms: (window.number + 1) * window.window_ms - now_ms,
        result: undefined,
      };
    });
  }
}

/** Null when the database can't be written to, or not be reached. */
function storageFault(error: unknown): null {
  if (error instanceof HttpError && error.status >= 500) return null;
  throw error;
}

/** Shares leased by others count as used, because they may be. */
const answer = (
  { number, granted, left }: Lease,
  { requests_max, window_ms }: WindowLimits,
  allowed: boolean,
): RateLimit => ({
  limit: requests_max,
  remaining: Math.max(0, requests_max - granted + left),
  reset_s: Math.ceil(((number + 1) * window_ms) / 1_000),
  allowed,
});
