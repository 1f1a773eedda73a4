/**
 * Decides whose turn it is. Owners take turns; requests of one owner run in order, one at a time.
 */

/** Whose turn it is, and how urgent. */
export interface TakesTurns {
  readonly owner: string;
  /** Runs only when nothing else is ready. */
  readonly background: boolean;
}

/**
 * New and paused requests are served alternately: a short request need not wait until every long
 * one has had its turn, and no number of short ones keeps a long one from finishing.
 */
export class Turns<T extends TakesTurns> {
  /** By owner: waiting requests; the first may be running. Background work has separate queues. */
  private readonly queues = new Map<string, T[]>();
  /** Owners whose first request has not started, in the order of their turns. */
  private readonly fresh = new Set<string>();
  /** Owners whose first request has yielded. */
  private readonly paused = new Set<string>();
  private readonly background = new Set<string>();
  private last_was_fresh = false;
  private last_key: string | undefined;

  /** Adds an item to the queue of its owner. */
  add(item: T): void {
    const key = keyOf(item);
    const queue = this.queues.get(key);
    if (queue !== undefined) {
      queue.push(item);
      return;
    }
    this.queues.set(key, [item]);
    this.ringOf(item, this.fresh).add(key);
  }

  /** The next request to run; pass it to `giveWay` or `end` afterwards. */
  next(): T | undefined {
    const [longest_paused] = this.paused;
    const fresh_first = !this.last_was_fresh || longest_paused === this.last_key;
    const ring = [
      ...(fresh_first ? [this.fresh, this.paused] : [this.paused, this.fresh]),
      this.background,
    ].find(({ size }) => size > 0);
    if (ring === undefined) return undefined;
    const [key] = ring as ReadonlySet<string>;
    ring.delete(key!);
    this.last_was_fresh = ring === this.fresh;
    this.last_key = key;
    return this.queues.get(key!)![0];
  }

  /** It continues at its owner's next turn. */
  giveWay(item: T): void {
    this.ringOf(item, this.paused).add(keyOf(item));
  }

  /** It has ended: the next one of its owner may start. */
  end(item: T): void {
    const key = keyOf(item);
    const queue = this.queues.get(key)!;
    queue.shift();
    if (queue.length === 0) this.queues.delete(key);
    else this.ringOf(item, this.fresh).add(key);
  }

  /** Removes a request that has not started. */
  remove(item: T): void {
    const key = keyOf(item);
    const queue = this.queues.get(key);
    const at = queue?.indexOf(item) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    if (queue.length > 0) return;
    this.queues.delete(key);
    this.ringOf(item, this.fresh).delete(key);
  }

  private ringOf(item: T, otherwise: Set<string>): Set<string> {
    return item.background ? this.background : otherwise;
  }
}

const keyOf = ({ owner, background }: TakesTurns): string => `${background ? "b" : "f"} ${owner}`;
