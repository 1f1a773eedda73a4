/** Who was served last, for those that take turns. */

const remembered_max = 10_000;

/** When each key was served last, for the latest ten thousand. Each process knows only its own. */
export class ServedLog {
  private readonly last = new Map<string, number>();
  private count = 0;

  /** A count that is greater when it was served later; 0 when that is not known. */
  lastServed(key: string): number {
    return this.last.get(key) ?? 0;
  }

  note(key: string): void {
    this.last.delete(key);
    this.last.set(key, ++this.count);
    if (this.last.size > remembered_max) this.last.delete(this.last.keys().next().value!);
  }
}
