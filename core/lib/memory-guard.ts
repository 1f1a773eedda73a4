/**
 * Bounds the garbage of a thread while the process uses much memory. By itself each thread collects
 * only when its own heap has about doubled, which is too late for all of them together.
 */
import { heapSize } from "bun:jsc";
import { collector } from "./collector";

/** Below this much in use by the process, the collector decides by itself. */
const process_bytes_max = 192 * 2 ** 20;
/** A heap is collected when it has grown by this much since its smallest size. */
const garbage_bytes = 8 * 2 ** 20;
/** A collection takes some ten milliseconds: a twenty-fifth of the time at the most. */
const check_every_ms = 250;

/** Caches should be small while the process uses more than this. */
const much_bytes = 224 * 2 ** 20;
/** Whether caches should be small for now. */
export const usesMuchMemory = (): boolean => process.memoryUsage.rss() > much_bytes;

/** Called once in each thread whose heap may grow. Returns a function that ends it. */
export function guardMemory(limit_bytes: number = process_bytes_max): () => void {
  let live_bytes = heapSize();
  const timer = setInterval(() => {
    const bytes = heapSize();
    live_bytes = Math.min(live_bytes, bytes);
    if (bytes < live_bytes + garbage_bytes || process.memoryUsage.rss() < limit_bytes) return;
    collector.collect();
    live_bytes = heapSize();
  }, check_every_ms).unref();
  return () => clearInterval(timer);
}
