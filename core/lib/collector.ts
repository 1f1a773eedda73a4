/** The garbage collector of this thread. */
import { gcAndSweep } from "bun:jsc";

/** An object, so that a test can replace its method. */
export const collector = {
  /** How long `collect` has taken so far in total, milliseconds. */
  spent_ms: 0,
  /**
   * Collects at once, which takes some milliseconds. `Bun.gc` gives back hardly more memory, but
   * drops all compiled code as well: it takes several times as long, and what runs next is slow
   * until it is compiled again.
   */
  collect(): void {
    const begun_ms = performance.now();
    gcAndSweep();
    this.spent_ms += performance.now() - begun_ms;
  },
};
