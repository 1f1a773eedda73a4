/** Limits how many things are open at the same time for one key, such as a user's streams. */

/**
 * Asynchronous, because an implementation may count across processes. `LocalOpenLimit` does not.
 */
export interface OpenLimit {
  readonly max: number;
  /** Resolves with the function to call at the close; null when the key is at its limit. */
  acquire(key: string): Promise<(() => void) | null>;
}

/** Two limits: what is open counts towards that of its key, and towards the total. */
export class OpenLimits {
  constructor(
    readonly per_key: OpenLimit,
    private readonly total: OpenLimit,
  ) {}

  /** Resolves with the function to call at the close, or with the limit that is reached. */
  async acquire(key: string): Promise<(() => void) | "per_key" | "total"> {
    const releaseKey = await this.per_key.acquire(key);
    if (!releaseKey) return "per_key";
    const releaseTotal = await this.total.acquire("");
    if (releaseTotal)
      return () => {
        releaseKey();
        releaseTotal();
      };
    releaseKey();
    return "total";
  }
}

/** Counts in the memory of this process: for limits that protect it, or when it is the only one. */
export class LocalOpenLimit implements OpenLimit {
  private readonly open_by_key = new Map<string, number>();

  /** A function for a limit that may change. */
  constructor(private readonly limit: number | (() => number)) {}

  get max(): number {
    return typeof this.limit === "number" ? this.limit : this.limit();
  }

  async acquire(key: string): Promise<(() => void) | null> {
    const count = this.open_by_key.get(key) ?? 0;
    if (count >= this.max) return null;
    this.open_by_key.set(key, count + 1);
    return () => this.release(key);
  }

  private release(key: string): void {
    const count = this.open_by_key.get(key)! - 1;
    if (count > 0) this.open_by_key.set(key, count);
    else this.open_by_key.delete(key);
  }
}
