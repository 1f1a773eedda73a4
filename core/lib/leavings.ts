/** What large work leaves to the collector, which waits until that is as much as what is alive. */

/** Collected at a time: that takes some milliseconds. */
const collected_bytes = 24 * 2 ** 20;

/** Counts what is left by one kind of work, and has it collected before it is much. */
export class Leavings {
  #bytes = 0;

  /** About so many bytes more are used no longer. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < collected_bytes) return;
    this.#bytes = 0;
    setImmediate(() => Bun.gc(true));
  }
}
