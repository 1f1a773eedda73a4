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

/** The limits themselves; read at each change. */
export interface SharedLimits {
  /** Active runs at the same time. */
  readonly concurrency: number;
  /** Active runs with the same key. Default: no separate limit. */
  readonly per_key?: number;
  /** The longest wait before a run is refused, milliseconds. Default: unlimited. */
  readonly wait_ms_max?: number;
}
/** What all limits of a process share. */
export interface SharedLimiterOptions {
  readonly state: SharedState;
  readonly presence: Presence;
  readonly notifier: Notifier;
}

/** Another process has admitted a run; the key is the name of the limit. */
const RunsAdmitted = topic<null>("core.places_moved");

/** An active or waiting run, with its process and its key. */
type Ticket = readonly [id: string, node: string, key: string];
interface SharedQueue {
  readonly running: readonly Ticket[];
  readonly waiting: readonly Ticket[];
}
interface QueueChange {
  /** Active tickets of this process. */
  readonly running: ReadonlySet<string>;
  /** Whether runs of other processes were admitted. */
  readonly others: boolean;
}

const empty_queue: SharedQueue = { running: [], waiting: [] };
const keep_ms = 3_600_000;
/** The polling interval while waiting, and while only running. */
const poll_every_ms = 1_000;
const refresh_every_ms = keep_ms / 6;

/** The semaphore with this name: all processes have the same one. */
export class SharedLimiter extends Semaphore {
  /** Of this process: waiting runs with the function that admits them, and active runs. */
  private readonly waiting = new Map<
    string,
    { readonly key: string; readonly admit: () => void }
  >();
  private readonly running = new Map<string, string>();
  /** Runs that have ended; other processes may not know it yet. */
  private readonly ended = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private subscribed = false;
  private is_updating = false;
  private refreshed_at_ms = performance.now();

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
    const timer =
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
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
    return () => {
      if (this.running.delete(id)) this.leave(id);
    };
  }

  private leave(id: string): void {
    this.ended.add(id);
    this.update();
  }

  private subscribe(): void {
    if (this.subscribed) return;
    this.subscribed = true;
    this.options.notifier.subscribe(RunsAdmitted, [this.name], (_message, is_local) => {
      if (!is_local && this.waiting.size > 0) this.update();
    });
    this.options.presence.onDoubt(() => this.update());
  }

  /** Retries failures later. */
  private update(): void {
    this.move().catch(() => undefined);
  }

  /**
   * Publishes which runs of this process are active, waiting and finished, and learns which are
   * admitted.
   */
  private async move(): Promise<void> {
    this.setTimer();
    // Only without capacity it is necessary to know which processes are alive.
    const change_made = await this.change(null);
    if (this.admit(change_made) > 0 || this.waiting.size === 0 || this.is_updating) return;
    this.is_updating = true;
    try {
      this.admit(await this.change(await this.options.presence.alive()));
    } finally {
      this.is_updating = false;
    }
  }

  private async change(alive: ReadonlySet<string> | null): Promise<QueueChange> {
    const left = [...this.ended];
    const is_due = this.isDue();
    const moved = await this.options.state.change(this.name, "", this.queueStep(alive));
    for (const id of left) this.ended.delete(id);
    if (is_due) this.refreshed_at_ms = performance.now();
    if (moved.others) this.options.notifier.publish(RunsAdmitted, this.name, null);
    return moved;
  }

  /** Starts the admitted runs of this process; returns how many. */
  private admit({ running }: QueueChange): number {
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
  private queueStep(alive: ReadonlySet<string> | null): Step<SharedQueue, QueueChange> {
    const { id: node } = this.options.presence;
    return (queue = empty_queue) => {
      const isCurrent = ([id, node_id]: Ticket): boolean =>
        node_id === node
          ? this.running.has(id) || this.waiting.has(id)
          : alive === null || alive.has(node_id);
      const running = queue.running.filter(isCurrent);
      const waiting = queue.waiting.filter(isCurrent);
      const count = running.length + waiting.length;
      const known_ids = new Set([...running, ...waiting].map(([id]) => id));
      // Runs of a process that was taken for dead are still active.
      for (const [id, key] of this.running) if (!known_ids.has(id)) running.push([id, node, key]);
      for (const [id, { key }] of this.waiting)
        if (!known_ids.has(id)) waiting.push([id, node, key]);
      const admitted = admitWaiting(running, waiting, this.limits());
      const result: QueueChange = {
        running: new Set(running.filter(([, at]) => at === node).map(([id]) => id)),
        others: admitted.some(([, at]) => at !== node),
      };
      const total = running.length + waiting.length;
      if (total === 0) return { value: null, result };
      const is_same =
        admitted.length === 0 &&
        total === count &&
        total === queue.running.length + queue.waiting.length;
      return is_same && !this.isDue()
        ? { result }
        : { value: { running, waiting }, keep_ms, result };
    };
  }

  private setTimer(): void {
    const busy = this.waiting.size + this.running.size + this.ended.size > 0;
    if (!busy) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else
      this.timer ??= setInterval(() => {
        if (this.waiting.size + this.ended.size > 0 || this.isDue()) this.update();
      }, poll_every_ms).unref();
  }

  /** Whether the entry has to be refreshed before it expires. */
  private isDue(): boolean {
    return performance.now() - this.refreshed_at_ms > refresh_every_ms;
  }
}

/** Moves runs with capacity from the waiting to the active list. */
function admitWaiting(
  running: Ticket[],
  waiting: Ticket[],
  { concurrency, per_key = Infinity }: SharedLimits,
): Ticket[] {
  const running_by_key = new Map<string, number>();
  for (const [, , key] of running) running_by_key.set(key, (running_by_key.get(key) ?? 0) + 1);
  const admitted: Ticket[] = [];
  for (let at = 0; at < waiting.length && running.length < concurrency;) {
    const ticket = waiting[at]!;
    const runs = running_by_key.get(ticket[2]) ?? 0;
    if (runs >= per_key) at += 1;
    else {
      waiting.splice(at, 1);
      running.push(ticket);
      running_by_key.set(ticket[2], runs + 1);
      admitted.push(ticket);
    }
  }
  return admitted;
}
