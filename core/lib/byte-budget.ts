/**
 * A memory budget shared by several owners: they take turns, and none takes more than its share.
 */

export interface ByteBudgetOptions {
  /** In use at the same time, bytes. */
  readonly bytes_max: number;
  /** … by one owner. */
  readonly per_owner_bytes_max: number;
  /** How many may wait in total, and per owner. */
  readonly waiting_max: number;
  readonly per_owner_waiting_max: number;
  /** The longest wait before a request is refused, milliseconds. */
  readonly wait_ms_max: number;
}

/** Too many are waiting already, or the wait took too long. */
export class BudgetRefusal extends Error {
  override readonly name = "BudgetRefusal";
}

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/** Hands out a fixed number of bytes to owners, and takes them back. */
export class ByteBudget {
  private used = 0;
  private readonly used_by = new Map<string, number>();
  private waiting_count = 0;
  /** No list is empty; the owner served last comes last. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly options: ByteBudgetOptions) {}

  /**
   * Reserves bytes and returns a function to release them, at once when there is room. More than
   * the whole budget counts as the whole budget. @throws BudgetRefusal, and the reason of `signal`
   * when that fires during the wait.
   */
  acquire(
    owner: string,
    requested: number,
    signal: AbortSignal,
  ): (() => void) | Promise<() => void> {
    return (
      this.tryAcquire(owner, requested) ??
      this.wait(owner, Math.min(requested, this.options.bytes_max), signal)
    );
  }

  /** The same, or null when it would have to wait. */
  tryAcquire(owner: string, requested: number): (() => void) | null {
    const bytes = Math.min(requested, this.options.bytes_max);
    const has_room = this.waiting_count === 0 && this.hasShare(owner, bytes) && this.hasRoom(bytes);
    return has_room ? this.grant(owner, bytes) : null;
  }

  /**
   * Counts bytes that are in use already, also beyond the budget; returns a function to release
   * them.
   */
  take(owner: string, bytes: number): () => void {
    return this.grant(owner, bytes);
  }

  /** Whether the owner has reserved or taken any. */
  isUsedBy(owner: string): boolean {
    return this.used_by.has(owner);
  }

  private hasRoom(bytes: number): boolean {
    return this.used + bytes <= this.options.bytes_max;
  }
  private hasShare(owner: string, bytes: number): boolean {
    const used = this.used_by.get(owner) ?? 0;
    return used === 0 || used + bytes <= this.options.per_owner_bytes_max;
  }

  private grant(owner: string, bytes: number): () => void {
    this.count(owner, bytes);
    let is_held = true;
    return () => {
      if (!is_held) return;
      is_held = false;
      this.count(owner, -bytes);
      this.admit();
    };
  }

  private count(owner: string, bytes: number): void {
    this.used += bytes;
    const used = (this.used_by.get(owner) ?? 0) + bytes;
    if (used === 0) this.used_by.delete(owner);
    else this.used_by.set(owner, used);
  }

  private async wait(owner: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { waiting_max, per_owner_waiting_max, wait_ms_max } = this.options;
    const queue = this.waiting.get(owner) ?? [];
    if (queue.length >= per_owner_waiting_max || this.waiting_count >= waiting_max)
      throw new BudgetRefusal("Too many requests are already waiting.");
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const waiting: Waiting = { bytes, admit: () => resolve(this.grant(owner, bytes)) };
    const refuse = (reason: unknown): void => {
      if (this.remove(owner, waiting)) reject(reason);
      this.admit();
    };
    const onAbort = (): void => refuse(signal.reason);
    const timer = setTimeout(
      () => refuse(new BudgetRefusal("It waited too long for its turn.")),
      wait_ms_max,
    );
    signal.addEventListener("abort", onAbort, { once: true });
    this.waiting.set(owner, [...queue, waiting]);
    this.waiting_count += 1;
    this.admit();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Admits those whose turn it is. An owner with an exhausted share is skipped; one that waits for
   * free bytes is not overtaken by others that need fewer.
   */
  private admit(): void {
    for (;;) {
      const next = [...this.waiting].find(([owner, [first]]) => this.hasShare(owner, first!.bytes));
      if (next === undefined) return;
      const [owner, [first]] = next;
      if (!this.hasRoom(first!.bytes)) return;
      this.remove(owner, first!);
      first!.admit();
    }
  }

  /** Returns whether it was still waiting. */
  private remove(owner: string, waiting: Waiting): boolean {
    const queue = this.waiting.get(owner);
    if (!queue?.includes(waiting)) return false;
    const remaining = queue.filter((other) => other !== waiting);
    this.waiting.delete(owner);
    if (remaining.length > 0) this.waiting.set(owner, remaining);
    this.waiting_count -= 1;
    return true;
  }
}
