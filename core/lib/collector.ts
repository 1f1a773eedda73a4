/** The garbage collector of this thread. */
import { edenGC, gcAndSweep } from "bun:jsc";

/** Runs a collection, and counts its time. */
function timed(collection: () => unknown): void {
  const begun_ms = performance.now();
  collection();
  collector.spent_ms += performance.now() - begun_ms;
}

/** An object, so that a test can replace its methods. */
export const collector = {
  /** How long collections have taken so far in total, milliseconds. */
  spent_ms: 0,
  /**
   * Collects at once, which takes some 2 ms per MB of the heap. `Bun.gc` gives back hardly more
   * memory, but drops all compiled code as well: it takes several times as long, and what runs next
   * is slow until it is compiled again.
   */
  collect(): void {
    timed(gcAndSweep);
  },
  /** Collects only what was allocated since the last collection: a fraction of the time. */
  collectNew(): void {
    timed(edenGC);
  },
};
