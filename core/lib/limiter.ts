/**
 * Limits how many runs are active at the same time; the rest waits, first come, first served, or by
 * turns.
 */
import { ServedLog } from "./served-log";

/** How many runs may be active, and how long others wait. */
export interface LimiterOptions {
  /** Active runs at the same time. */
  readonly concurrency: number;
  /** … with the same key. Default: no separate limit. */
  readonly per_key?: number;
  /**
   * Among waiting runs, the key with the fewest active runs comes next, then the one served longest
   * ago. Default: first come, first served.
   */
  readonly takes_turns?: boolean;
  /** How many runs may wait. Default: any number. */
  readonly waiting_max?: number;
  /** The longest wait before a run is refused, milliseconds. Default: unlimited. */
  readonly wait_ms_max?: number;
  /**
   * A run that takes longer than `patience_ms` lets another one start beside it, so that slow runs
   * don't delay the rest; at most `overflow_max` runs beyond `concurrency` are started this way.
   */
  readonly patience_ms?: number;
  readonly overflow_max?: number;
  /**
   * Where that is not enough, a run that has been active for `slice_ms` and can be paused makes
   * room for a key of which none is, and waits for its next turn; at most `paused_max` are paused.
   */
  readonly slice_ms?: number;
  readonly paused_max?: number;
}
/** A run that can stand still and continue. */
export interface Pausable {
  /** False when it can't be paused now. */
  pause(): boolean;
  resume(): void;
}
/** A run that wants to enter. */
export interface LimiterEntry {
  /** Runs with the same key share `per_key`. */
  readonly key?: string;
  /** Ends the wait, not the run. */
  readonly signal?: AbortSignal;
  /** Set when the run may be paused. */
  readonly pausable?: Pausable | undefined;
}

/** Why a run was refused: `full` at once, `timeout` after the longest wait. */
export class LimiterRefusal extends Error {
  override readonly name = "LimiterRefusal";
  constructor(readonly reason: "full" | "timeout") {
    super(
      reason === "full"
        ? "Too many requests are already waiting."
        : "It waited too long for its turn.",
    );
  }
}

interface Waiting {
  readonly key: string;
  /** It has begun already. */
  readonly is_paused: boolean;
  readonly admit: () => void;
}
interface Active {
  readonly key: string;
  readonly pausable: Pausable | undefined;
  /** When its turn began. */
  since_ms: number;
  is_overflow: boolean;
  /** Set while it is paused. */
  waiting: Waiting | undefined;
}

/** Something to enter before a run and to leave after it. */
export abstract class Semaphore {
  /** Resolves when there is capacity, with the function to call at the end of the run. */
  abstract enter(entry?: LimiterEntry): Promise<() => void>;

  /** @throws what `work` throws, and as `enter` does. */
  async run<T>(work: () => Promise<T>, entry?: LimiterEntry): Promise<T> {
    const leave = await this.enter(entry);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

/** A semaphore with a queue, which may be bounded and fair. */
export class Limiter extends Semaphore {
  private readonly limits: () => LimiterOptions;
  private readonly waiting: Waiting[] = [];
  private readonly running_by_key = new Map<string, number>();
  private readonly served = new ServedLog();
  /** Without those beyond `concurrency`. */
  private running = 0;
  private overflow = 0;
  private paused = 0;

  /** A function is called whenever a run enters or leaves. */
  constructor(limits: LimiterOptions | (() => LimiterOptions)) {
    super();
    this.limits = typeof limits === "function" ? limits : () => limits;
  }

  /** A new run would have to wait. */
  get saturated(): boolean {
    return this.waiting.length > 0;
  }

  /**
   * See `Semaphore`. @throws LimiterRefusal, and the reason of the signal when that fires during
   * the wait.
   */
  override async enter({ key = "", signal, pausable }: LimiterEntry = {}): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.waiting.length >= (this.limits().waiting_max ?? Infinity))
      throw new LimiterRefusal("full");
    if (this.admits(key)) this.count(key, 1);
    else await this.wait(key, signal);
    return this.begin(key, pausable);
  }

  private admits(key: string): boolean {
    const { concurrency, per_key = Infinity } = this.limits();
    return this.running < concurrency && this.runsOf(key) < per_key;
  }

  private runsOf(key: string): number {
    return this.running_by_key.get(key) ?? 0;
  }

  private count(key: string, change: 1 | -1): void {
    this.running += change;
    const runs = this.runsOf(key) + change;
    if (change > 0 && this.limits().takes_turns) this.served.note(key);
    if (runs === 0) this.running_by_key.delete(key);
    else this.running_by_key.set(key, runs);
  }

  /** Resolves once the run is counted. */
  private async wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { key, is_paused: false, admit: resolve };
    const refuse = (reason: unknown): void => {
      const index = this.waiting.indexOf(waiting);
      if (index < 0) return;
      this.waiting.splice(index, 1);
      reject(reason);
    };
    const onAbort = (): void => refuse(signal!.reason);
    const { wait_ms_max } = this.limits();
    const timer =
      wait_ms_max === undefined
        ? undefined
        : setTimeout(() => refuse(new LimiterRefusal("timeout")), wait_ms_max);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.waiting.push(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Returns a function that ends the run. */
  private begin(key: string, pausable: Pausable | undefined): () => void {
    const { patience_ms } = this.limits();
    const since_ms = performance.now();
    const run: Active = { key, pausable, since_ms, is_overflow: false, waiting: undefined };
    const patience =
      patience_ms === undefined ? undefined : setInterval(() => this.makeRoom(run), patience_ms);
    return () => {
      clearInterval(patience);
      if (run.waiting) {
        this.waiting.splice(this.waiting.indexOf(run.waiting), 1);
        this.paused--;
        return;
      }
      this.giveBack(run);
      this.admitNext();
    };
  }

  /** It would help nobody while none waits; that may change later. */
  private makeRoom(run: Active): void {
    if (!this.saturated || run.waiting) return;
    const { overflow_max = 0 } = this.limits();
    if (run.is_overflow || this.overflow >= overflow_max) return this.giveWay(run);
    run.is_overflow = true;
    this.overflow++;
    this.running--;
    this.admitNext();
  }

  /** Pauses the run in favour of a key that has none, if its turn is over. */
  private giveWay(run: Active): void {
    const { slice_ms = Infinity } = this.limits();
    if (performance.now() - run.since_ms < slice_ms) return;
    const next = this.nextOfIdleKeys();
    if (next === undefined || !run.pausable?.pause()) return;
    this.giveBack(run);
    this.admit(next);
    this.paused++;
    run.waiting = { key: run.key, is_paused: true, admit: () => this.resume(run) };
    // Before those of its key that have not begun: they would be more to hold at the same time.
    this.waiting.unshift(run.waiting);
  }

  /** The next waiting run of those whose key has none that is active. */
  private nextOfIdleKeys(): Waiting | undefined {
    const { paused_max = Infinity } = this.limits();
    const paused = new Set(this.waiting.filter((one) => one.is_paused).map(({ key }) => key));
    const may_begin = this.paused < paused_max;
    return this.first(
      this.waiting.filter(
        ({ key, is_paused }) =>
          this.runsOf(key) === 0 && (is_paused || (may_begin && !paused.has(key))),
      ),
    );
  }

  private resume(run: Active): void {
    this.paused--;
    run.waiting = undefined;
    run.since_ms = performance.now();
    run.pausable!.resume();
  }

  /** The run is not active any more. */
  private giveBack(run: Active): void {
    if (run.is_overflow) {
      this.overflow--;
      this.running++;
      run.is_overflow = false;
    }
    this.count(run.key, -1);
  }

  private admitNext(): void {
    for (;;) {
      const next = this.next();
      if (next === undefined) return;
      this.admit(next);
    }
  }

  private admit(next: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(next), 1);
    this.count(next.key, 1);
    next.admit();
  }

  private next(): Waiting | undefined {
    return this.first(this.waiting.filter(({ key }) => this.admits(key)));
  }

  private first(waiting: readonly Waiting[]): Waiting | undefined {
    if (!this.limits().takes_turns) return waiting[0];
    let first: Waiting | undefined;
    for (const one of waiting)
      if (first === undefined || this.isBefore(one.key, first.key)) first = one;
    return first;
  }

  private isBefore(a_key: string, b_key: string): boolean {
    const { served } = this;
    const more_runs = this.runsOf(a_key) - this.runsOf(b_key);
    return (
      more_runs < 0 || (more_runs === 0 && served.lastServed(a_key) < served.lastServed(b_key))
    );
  }
}

/**
 * A limiter that admits one run per key: the next run of a key joins the queue when the previous
 * one has ended, so that a key with many runs does not delay others.
 */
export class FairLimiter {
  private readonly limiter: Limiter;
  private readonly per_key_max: number;
  /** By key: how many runs are active or waiting. */
  private readonly runs_by_key = new Map<string, number>();
  /** By key: settles when the last requested run has ended. */
  private readonly last = new Map<string, Promise<void>>();

  /** `per_key_max`: runs of one key that may exist at a time, including waiting ones. */
  constructor({
    per_key_max = Infinity,
    ...options
  }: Omit<LimiterOptions, "per_key"> & { readonly per_key_max?: number }) {
    this.limiter = new Limiter(options);
    this.per_key_max = per_key_max;
  }

  /**
   * @throws what `work` throws, LimiterRefusal, and the reason of the signal when that fires during
   * the wait.
   */
  run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const runs = this.runs_by_key.get(key) ?? 0;
    if (runs >= this.per_key_max) return Promise.reject(new LimiterRefusal("full"));
    this.runs_by_key.set(key, runs + 1);
    const before = this.last.get(key) ?? Promise.resolve();
    const result = before.then(() => this.limiter.run(work, { signal }));
    const ended: Promise<void> = result
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        this.runs_by_key.set(key, this.runs_by_key.get(key)! - 1);
        if (this.last.get(key) !== ended) return;
        this.last.delete(key);
        this.runs_by_key.delete(key);
      });
    this.last.set(key, ended);
    return result;
  }
}
