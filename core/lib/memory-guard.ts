/**
 * Bounds the garbage of a thread while the process uses much memory. By itself each thread collects
 * only when its own heap has about doubled, which is too late for all of them together.
 */
import { heapSize } from "bun:jsc";
import { collector } from "./collector";

/** Below this much in use by the process, the collector decides by itself. */
const process_bytes_max = 192 * 2 ** 20;
/**
 * A heap is collected when it and the process have grown by this much since their smallest size. A
 * heap alone may have grown by what was freed already: the collector counts a buffer that was
 * transferred until it collects.
 */
const garbage_bytes = 8 * 2 ** 20;
/**
 * A collection takes some ten milliseconds, and several times as long while all processors are
 * busy: nothing else runs in the thread meanwhile.
 */
const check_every_ms = 250;

/** Caches should be small while the process uses more than this. */
const much_bytes = 224 * 2 ** 20;
/** Whether caches should be small for now. */
export const usesMuchMemory = (): boolean => process.memoryUsage.rss() > much_bytes;

/** Called once in each thread whose heap may grow. Returns a function that ends it. */
export function guardMemory(): () => void {
  let live_bytes = heapSize();
  let used_bytes = Infinity;
  const timer = setInterval(() => {
    const bytes = heapSize();
    live_bytes = Math.min(live_bytes, bytes);
    const process_bytes = process.memoryUsage.rss();
    used_bytes = Math.min(used_bytes, process_bytes);
    if (process_bytes < Math.max(process_bytes_max, used_bytes + garbage_bytes)) return;
    if (bytes < live_bytes + garbage_bytes) return;
    collector.collect();
    live_bytes = heapSize();
    used_bytes = process.memoryUsage.rss();
  }, check_every_ms).unref();
  return () => clearInterval(timer);
}
