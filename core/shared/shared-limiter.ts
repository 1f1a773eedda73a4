/**
 * A limiter across all processes: one queue, in order of arrival, in a shared entry that every
 * process may update. A run that ends admits the next ones and notifies their processes; should the
 * notification be lost, they poll.
 */
import { topic, type Notifier } from "../base/notifier";
import { newUuid } from "../base/ids";
import { Semaphore, LimiterRefusal, type LimiterEntry } from "../lib/limiter";
import type { SharedState, Step } from "../store/shared-state";
import type { Presence } from "./presence";

export interface SharedLimits {
  /** Active runs at the same time. */
  readonly concurrency: number;
  /** Active runs with the same key. Default: no separate limit. */
  readonly per_key?: number;
  /** The longest wait before a run is refused, milliseconds. Default: unlimited. */
  readonly wait_ms_max?: number;
}
export interface SharedLimiterOptions {
  readonly state: SharedState;
  readonly presence: Presence;
  readonly notifier: Notifier;
}

/** Another process has admitted a run; the key is the name of the limit. */
const RunsAdmitted = topic<null>("core.places_moved");

/** An active or waiting run, with its process and its key. */
type Ticket = readonly [id: string, node: string, key: string];
interface Line {
  readonly running: readonly Ticket[];
  readonly waiting: readonly Ticket[];
}
interface Moved {
  /** Active tickets of this process. */
  readonly running: ReadonlySet<string>;
  /** Whether runs of other processes were admitted. */
  readonly others: boolean;
}

const nobody: Line = { running: [], waiting: [] };
const keep_ms = 3_600_000;
/** The polling interval while waiting, and while only running. */
const look_every_ms = 1_000;
const repeat_every_ms = keep_ms / 6;

export class SharedLimiter extends Semaphore {
  /** Of this process: waiting runs with the function that admits them, and active runs. */
  private readonly waiting = new Map<
    string,
    { readonly key: string; readonly admit: () => void }
  >();
  private readonly running = new Map<string, string>();
  /** Runs that have ended; other processes may not know it yet. */
  private readonly left = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private subscribed = false;
  private looking = false;
  private said_at_ms = performance.now();

  constructor(
    private readonly name: string,
    private readonly limits: () => SharedLimits,
    private readonly options: SharedLimiterOptions,
  ) {
    super();
  }

  /**
   * See `Semaphore`. @throws LimiterRefusal, HttpError 503, and the reason of the signal when that
   * fires during the wait.
   */
  override async enter({ key = "", signal }: LimiterEntry = {}): Promise<() => void> {
    signal?.throwIfAborted();
    this.subscribe();
    const id = newUuid().slice(0, 13);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.waiting.set(id, { key, admit: resolve });
    const onAbort = (): void => reject(signal!.reason as Error);
    signal?.addEventListener("abort", onAbort, { once: true });
    const { wait_ms_max } = this.limits();
    const late =
      wait_ms_max === undefined
        ? undefined
        : setTimeout(() => reject(new LimiterRefusal("timeout")), wait_ms_max);
    try {
      await Promise.race([promise, this.move().then(() => promise)]);
    } catch (error) {
      this.waiting.delete(id);
      this.running.delete(id);
      this.leave(id);
      throw error;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", onAbort);
    }
    return () => {
      if (this.running.delete(id)) this.leave(id);
    };
  }

  private leave(id: string): void {
    this.left.add(id);
    this.look();
  }

  private subscribe(): void {
    if (this.subscribed) return;
    this.subscribed = true;
    this.options.notifier.subscribe(RunsAdmitted, [this.name], (_message, is_local) => {
      if (!is_local && this.waiting.size > 0) this.look();
    });
    this.options.presence.onDoubt(() => this.look());
  }

  /** Retries failures later. */
  private look(): void {
    this.move().catch(() => undefined);
  }

  /**
   * Publishes which runs of this process are active, waiting and finished, and learns which are
   * admitted.
   */
  private async move(): Promise<void> {
    this.setTimer();
    // Only without capacity it is necessary to know which processes are alive.
    const moved = await this.change(null);
    if (this.admit(moved) > 0 || this.waiting.size === 0 || this.looking) return;
    this.looking = true;
    try {
      this.admit(await this.change(await this.options.presence.alive()));
    } finally {
      this.looking = false;
    }
  }

  private async change(alive: ReadonlySet<string> | null): Promise<Moved> {
    const left = [...this.left];
    const is_due = this.isDue();
    const moved = await this.options.state.change(this.name, "", this.moving(alive));
    for (const id of left) this.left.delete(id);
    if (is_due) this.said_at_ms = performance.now();
    if (moved.others) this.options.notifier.publish(RunsAdmitted, this.name, null);
    return moved;
  }

  /** Starts the admitted runs of this process; returns how many. */
  private admit({ running }: Moved): number {
    let admitted = 0;
    for (const [id, { key, admit }] of this.waiting)
      if (running.has(id)) {
        this.waiting.delete(id);
        this.running.set(id, key);
        admitted += 1;
        admit();
      }
    this.setTimer();
    return admitted;
  }

  /** A process knows its own runs; those of others are taken from the entry. */
  private moving(alive: ReadonlySet<string> | null): Step<Line, Moved> {
    const { id: node } = this.options.presence;
    return (before = nobody) => {
      const keep = ([id, at]: Ticket): boolean =>
        at === node
          ? this.running.has(id) || this.waiting.has(id)
          : alive === null || alive.has(at);
      const running = before.running.filter(keep);
      const waiting = before.waiting.filter(keep);
      const count = running.length + waiting.length;
      const known = new Set([...running, ...waiting].map(([id]) => id));
      // Runs of a process that was taken for dead are still active.
      for (const [id, key] of this.running) if (!known.has(id)) running.push([id, node, key]);
      for (const [id, { key }] of this.waiting) if (!known.has(id)) waiting.push([id, node, key]);
      const admitted = letIn(running, waiting, this.limits());
      const result: Moved = {
        running: new Set(running.filter(([, at]) => at === node).map(([id]) => id)),
        others: admitted.some(([, at]) => at !== node),
      };
      const now = running.length + waiting.length;
      if (now === 0) return { value: null, result };
      const is_same =
        admitted.length === 0 &&
        now === count &&
        now === before.running.length + before.waiting.length;
      return is_same && !this.isDue()
        ? { result }
        : { value: { running, waiting }, keep_ms, result };
    };
  }

  private setTimer(): void {
    const busy = this.waiting.size + this.running.size + this.left.size > 0;
    if (!busy) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else
      this.timer ??= setInterval(() => {
        if (this.waiting.size + this.left.size > 0 || this.isDue()) this.look();
      }, look_every_ms).unref();
  }

  /** Whether the entry has to be refreshed before it expires. */
  private isDue(): boolean {
    return performance.now() - this.said_at_ms > repeat_every_ms;
  }
}

/** Moves runs with capacity from the waiting to the active list. */
function letIn(
  running: Ticket[],
  waiting: Ticket[],
  { concurrency, per_key = Infinity }: SharedLimits,
): Ticket[] {
  const of_key = new Map<string, number>();
  for (const [, , key] of running) of_key.set(key, (of_key.get(key) ?? 0) + 1);
  const admitted: Ticket[] = [];
  for (let at = 0; at < waiting.length && running.length < concurrency;) {
    const ticket = waiting[at]!;
    const holds = of_key.get(ticket[2]) ?? 0;
    if (holds >= per_key) at += 1;
    else {
      waiting.splice(at, 1);
      running.push(ticket);
      of_key.set(ticket[2], holds + 1);
      admitted.push(ticket);
    }
  }
  return admitted;
}
