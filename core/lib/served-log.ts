/** Remembers who was served last, for fair scheduling. */

const remembered_max = 10_000;

/** When each key was served last, for the latest ten thousand. Local to the process. */
export class ServedLog {
  private readonly last = new Map<string, number>();
  private count = 0;

  /** A counter, greater when the key was served later; 0 when unknown. */
  lastServed(key: string): number {
    return this.last.get(key) ?? 0;
  }

  /** The key is being served. */
  note(key: string): void {
    this.last.delete(key);
    this.last.set(key, ++this.count);
    if (this.last.size > remembered_max) this.last.delete(this.last.keys().next().value!);
  }
}
