/**
 * Counts requests in windows of fixed length over all processes, exact: each process takes a part
 * of what is left of a subject's window, and counts requests against that. The less is left, the
 * smaller the parts; and before a request is refused, the others give back what they have not used.
 */
import { newUuid, topic, type Notifier, type RateLimit } from "../../core/sdk";
import type { RateLimiter, Shared } from "../../core/sdk";
import type { WindowLimits } from "./fixed-windows";
import { Subjects, type SubjectBounds } from "./subjects";

export interface LeaseOptions extends SubjectBounds {
  /** Asked at every request. */
  readonly limits: () => WindowLimits;
  readonly state: Shared["state"];
  readonly notifier: Notifier;
  readonly now_ms: () => number;
}

/** Nothing is left of a subject's window: whoever has not used all of it gives the rest back. */
const Wanted = topic<string>("rate_limit.wanted");
const GivenBack = topic<null>("rate_limit.given_back");

/** Requests in one lease at most, but for those that wait for it. */
const lease_max = 25;
/** A lease is at most such a part of what is left: little lies idle in other processes then. */
const lease_share = 8;
/** Whoever was refused is asked for again after this time: others may have given something back. */
const refused_ms = 1_000;
/** What others have not used is waited for so long, and looked for so often. */
const wanted_ms_max = 200;
const look_every_ms = 25;
/** Of leases that are given back at the same time. */
const given_back_at_once = 32;
/** Leases that have expired are looked for so often at most. */
const sweep_every_ms = 100;
const scope = "rate_limit";

/** What is known of a subject's window over all processes. */
interface Window {
  /** Its start, in windows of this length since the epoch. */
  readonly number: number;
  readonly window_ms: number;
  /** Leased until now. */
  readonly granted: number;
  /** Who may have some of it that is not used. */
  readonly holders: readonly string[];
}
/** What this process has of it. */
interface Lease {
  readonly number: number;
  /** Certainly not after the end of the window, by `performance.now()`. */
  readonly expires_ms: number;
  granted: number;
  /** Not used yet. */
  left: number;
  refused_until_ms: number;
  /** Others may have some of it that is not used. */
  readonly shared: boolean;
}

/**
 * A window ends by the clock of the database. What a process leases it may use until then, and not
 * a moment longer, because it counts from before it asked.
 */
export class LeasedWindows implements RateLimiter {
  readonly #leases = new Map<string, Lease>();
  readonly #subjects: Subjects;
  /** Who waits for a lease of each subject, and when it will be there. */
  readonly #asking = new Map<string, { waiting: number; readonly done: Promise<Lease> }>();
  #limits: WindowLimits | undefined;
  #next_sweep_ms = 0;
  readonly #id = newUuid();
  readonly #ends: readonly (() => void)[];

  constructor(private readonly options: LeaseOptions) {
    this.#subjects = new Subjects(options, (name) => this.#leases.has(name));
    const hear = (name: string): void => void this.#yield(name);
    this.#ends = [options.notifier.subscribe(Wanted, "all", (name, here) => here || hear(name))];
  }

  get window_ms(): number {
    return this.options.limits().window_ms;
  }

  async take(subject: string, count: number): Promise<RateLimit> {
    const limits = this.#currentLimits();
    const name = this.#subjects.countedAs(subject);
    if (count === 0) return this.#look(name, limits);
    let lease = this.#leaseOf(name);
    for (;;) {
      if (lease && lease.left >= count) {
        lease.left -= count;
        return answer(lease, limits, true);
      }
      if (lease && lease.refused_until_ms > performance.now()) return answer(lease, limits, false);
      // Whoever has asked uses what was given, even when the window has ended meanwhile.
      lease = await this.#ask(name, count, limits);
    }
  }

  /** Gives back what was not used: another process may. */
  async stop(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#giveAllBack();
  }

  async #giveAllBack(): Promise<void> {
    const unused = [...this.#leases].filter(
      ([, { left, expires_ms }]) => left > 0 && expires_ms > performance.now(),
    );
    this.#leases.clear();
    this.#subjects.clear();
    for (let at = 0; at < unused.length; at += given_back_at_once)
      await Promise.allSettled(
        unused.slice(at, at + given_back_at_once).map((one) => this.#giveBack(...one)),
      );
  }

  /** How many leases are held. */
  get size(): number {
    return this.#leases.size;
  }

  /** Nothing is asked for it: whoever only looks is answered without the database too. */
  #look(name: string, limits: WindowLimits): RateLimit {
    const lease = this.#leaseOf(name);
    if (lease) return answer(lease, limits, lease.left > 0 || lease.granted < limits.requests_max);
    const { requests_max, window_ms } = limits;
    const number = Math.floor(this.options.now_ms() / window_ms);
    const reset_s = Math.ceil(((number + 1) * window_ms) / 1_000);
    return { limit: requests_max, remaining: requests_max, reset_s, allowed: true };
  }

  /** What was leased by other limits is of no use any more. */
  #currentLimits(): WindowLimits {
    const limits = this.options.limits();
    const { requests_max, window_ms } = this.#limits ?? limits;
    if (requests_max !== limits.requests_max || window_ms !== limits.window_ms)
      void this.#giveAllBack();
    return (this.#limits = limits);
  }

  #leaseOf(name: string): Lease | undefined {
    const now_ms = performance.now();
    if (now_ms >= this.#next_sweep_ms) this.#sweep(now_ms);
    const lease = this.#leases.get(name);
    return lease && lease.expires_ms > now_ms ? lease : undefined;
  }

  /** All windows end together: what is left of the last one goes. */
  #sweep(now_ms: number): void {
    let next_ms = Infinity;
    for (const [name, { expires_ms }] of this.#leases)
      if (expires_ms > now_ms) next_ms = Math.min(next_ms, expires_ms);
      else {
        this.#leases.delete(name);
        this.#subjects.remove(name);
      }
    this.#next_sweep_ms = Math.max(next_ms, now_ms + sweep_every_ms);
  }

  /** One question at a time for each subject; those who come meanwhile share its answer. */
  #ask(name: string, count: number, limits: WindowLimits): Promise<Lease> {
    const asking = this.#asking.get(name);
    if (asking) {
      asking.waiting += count;
      return asking.done;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const mine = { waiting: count, done: promise };
    this.#asking.set(name, mine);
    this.#lease(name, () => mine.waiting, limits)
      .finally(() => this.#asking.delete(name))
      .then(resolve, reject);
    return promise;
  }

  async #lease(name: string, wanted: () => number, limits: WindowLimits): Promise<Lease> {
    let got = await this.#leaseOnce(name, wanted, limits);
    if (got.left === 0 && got.shared) {
      this.options.notifier.publish(Wanted, name, name);
      const until_ms = performance.now() + wanted_ms_max;
      while (got.left === 0 && got.shared && performance.now() < until_ms) {
        await this.#someGivenBack(name);
        got = await this.#leaseOnce(name, wanted, limits);
      }
    }
    if (got.left === 0) got.refused_until_ms = performance.now() + refused_ms;
    const held = this.#leaseOf(name);
    if (held?.number === got.number) got.left += held.left;
    if (!this.#leases.has(name)) this.#subjects.add(name);
    this.#leases.set(name, got);
    this.#next_sweep_ms = Math.min(this.#next_sweep_ms, got.expires_ms);
    return got;
  }

  async #leaseOnce(
    name: string,
    wanted: () => number,
    { requests_max, window_ms }: WindowLimits,
  ): Promise<Lease> {
    const asked_ms = performance.now();
    return this.options.state.change<Window, Lease>(scope, name, (known, now_ms) => {
      const number = Math.floor(now_ms / window_ms);
      const is_same = known?.number === number && known.window_ms === window_ms;
      const before = is_same ? known.granted : 0;
      const others = (is_same ? known.holders : []).filter((id) => id !== this.#id);
      const most = Math.max(0, requests_max - before);
      const part = Math.min(lease_max, Math.max(1, Math.floor(most / lease_share)));
      const left = Math.min(most, Math.max(part, wanted()));
      const ends_in_ms = (number + 1) * window_ms - now_ms;
      const granted = before + left;
      const result: Lease = {
        ...{ number, granted, left, refused_until_ms: 0 },
        expires_ms: asked_ms + ends_in_ms,
        shared: others.length > 0,
      };
      const value = { number, window_ms, granted, holders: [...others, this.#id] };
      return left === 0 ? { result } : { value, keep_ms: ends_in_ms, result };
    });
  }

  /** Somebody has given something back, or a moment has passed. */
  #someGivenBack(name: string): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        end();
        resolve();
      };
      const timer = setTimeout(done, look_every_ms);
      const end = this.options.notifier.subscribe(GivenBack, [name], (_message, here) => {
        if (!here) done();
      });
    });
  }

  /** Others have nothing left: this process keeps nothing that it has not used. */
  async #yield(name: string): Promise<void> {
    const lease = this.#leases.get(name);
    const unused = lease ? { ...lease } : undefined;
    if (lease) lease.left = 0;
    try {
      await this.#giveBack(name, unused);
      this.options.notifier.publish(GivenBack, name, null);
    } catch {
      // Nobody gets it in this window.
    }
  }

  #giveBack(name: string, lease: Pick<Lease, "number" | "left"> | undefined): Promise<void> {
    return this.options.state.change<Window, void>(scope, name, (known, now_ms) => {
      if (!known?.holders.includes(this.#id)) return { result: undefined };
      const given = known.number === lease?.number ? lease.left : 0;
      const holders = known.holders.filter((id) => id !== this.#id);
      return {
        value: { ...known, holders, granted: known.granted - given },
        keep_ms: (known.number + 1) * known.window_ms - now_ms,
        result: undefined,
      };
    });
  }
}

/** What others have leased counts as used: it may be so already. */
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
