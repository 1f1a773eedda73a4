/** The garbage collector of this thread. */
import { gcAndSweep } from "bun:jsc";

/** While the process uses more than this, memory counts for more than speed. */
const much_bytes = 300 * 2 ** 20;

export const collector = {
  /**
   * Collects at once, which takes some milliseconds. `Bun.gc` gives back more memory, but drops all
   * compiled code as well: it takes several times as long, and what runs next is slow until it is
   * compiled again.
   */
  collect(): void {
    if (process.memoryUsage.rss() > much_bytes) Bun.gc(true);
    else gcAndSweep();
  },
};
