/**
 * Has the garbage of large work collected early: by itself the collector waits until there is as
 * much of it as of what is alive.
 */

/** Collected at a time: that takes some milliseconds. */
const collected_bytes = 24 * 2 ** 20;

/** Counts the garbage of one kind of work, and has it collected before it is much. */
export class GarbageMeter {
  #bytes = 0;

  /** About so many bytes more are garbage now. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < collected_bytes) return;
    this.#bytes = 0;
    setImmediate(() => Bun.gc(true));
  }
}
