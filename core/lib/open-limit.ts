/** Limits how many of something are open at the same time for one key: streams of one user. */

/** Asynchronous, because one may count over several processes. `LocalOpenLimit` does not. */
export interface OpenLimit {
  readonly max: number;
  /** Resolves with what to call when it is closed; null when the key has the most already. */
  acquire(key: string): Promise<(() => void) | null>;
}

/** Counts in the memory of this process: for what protects it, or is the only one. */
export class LocalOpenLimit implements OpenLimit {
  private readonly open = new Map<string, number>();

  /** A function when it is a setting that changes. */
  constructor(private readonly most: number | (() => number)) {}

  get max(): number {
    return typeof this.most === "number" ? this.most : this.most();
  }

  async acquire(key: string): Promise<(() => void) | null> {
    const open = this.open.get(key) ?? 0;
    if (open >= this.max) return null;
    this.open.set(key, open + 1);
    return () => this.release(key);
  }

  private release(key: string): void {
    const left = this.open.get(key)! - 1;
    if (left > 0) this.open.set(key, left);
    else this.open.delete(key);
  }
}
