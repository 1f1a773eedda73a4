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
 * transferred until it collects. The limit doubles, up to `max`, when little of that was garbage.
 */
const growth_bytes = { first: 8 * 2 ** 20, max: 24 * 2 ** 20 };
/**
 * All of the heap is collected only after this growth, and while the process uses this much: a heap
 * of 30 MB takes some 60 ms, several times as long while all processors are busy, and nothing else
 * runs in the thread meanwhile.
 */
const full_growth_bytes = 32 * 2 ** 20;
const full_process_bytes_min = 288 * 2 ** 20;
/** The share of the growth that a collection should free. */
const freed_share_min = 0.5;
/** More often while the process uses much, because a fast machine soon makes more. */
const check_every_ms = { usually: 250, at_much: 100 };
/**
 * The heap is measured only when the process has grown or shrunk by this much: it takes several
 * milliseconds, because the runtime counts block by block.
 */
const measured_change_bytes = 4 * 2 ** 20;

/** Caches should be small while the process uses more than this. */
const much_bytes = 224 * 2 ** 20;
/** Whether caches should be small for now. */
export const usesMuchMemory = (): boolean => residentBytes() > much_bytes;

let last_resident_bytes = 0;
/** How much memory the process uses; the last known value while it has too many files open. */
function residentBytes(): number {
  try {
    last_resident_bytes = process.memoryUsage.rss();
  } catch {
    // An error in a timer would end the thread.
  }
  return last_resident_bytes;
}

/** Called once in each thread whose heap may grow. Returns a function that ends it. */
export function guardMemory(): () => void {
  const guard = new MemoryGuard();
  let timer: NodeJS.Timeout;
  const checkLater = (): void => {
    timer = setTimeout(
      () => {
        guard.check();
        checkLater();
      },
      check_every_ms[last_resident_bytes > much_bytes ? "at_much" : "usually"],
    ).unref();
  };
  checkLater();
  return () => clearTimeout(timer);
}

class MemoryGuard {
  /** The smallest size of the process, and of the heap, since the last collection. */
  private process_low_bytes = Infinity;
  private heap_low_bytes = heapSize();
  /** The same of the heap since all of it was collected. */
  private full_low_bytes = this.heap_low_bytes;
  private growth_min = growth_bytes.first;
  /** The size of the process when the heap was last measured. */
  private measured_at_bytes = -Infinity;

  check(): void {
    const process_bytes = residentBytes();
    if (Math.abs(process_bytes - this.measured_at_bytes) < measured_change_bytes) return;
    this.measured_at_bytes = process_bytes;
    const heap_bytes = heapSize();
    // Growth of a small process doesn't count: it is measured from here.
    const is_small = process_bytes < process_bytes_max;
    const low = (last: number, now: number): number => (is_small ? now : Math.min(last, now));
    this.process_low_bytes = low(this.process_low_bytes, process_bytes);
    this.heap_low_bytes = low(this.heap_low_bytes, heap_bytes);
    this.full_low_bytes = low(this.full_low_bytes, heap_bytes);
    const heap_growth_bytes = heap_bytes - this.heap_low_bytes;
    const process_growth_bytes = process_bytes - this.process_low_bytes;
    if (heap_growth_bytes >= this.growth_min && process_growth_bytes >= this.growth_min)
      this.collect(process_bytes, heap_bytes, heap_growth_bytes);
  }

  private collect(process_bytes: number, heap_bytes: number, heap_growth_bytes: number): void {
    collector.collectNew();
    const has_grown = heapSize() >= this.full_low_bytes + full_growth_bytes;
    if (has_grown && process_bytes >= full_process_bytes_min) {
      collector.collect();
      this.full_low_bytes = heapSize();
    }
    const left_bytes = heapSize();
    const was_garbage = heap_bytes - left_bytes >= heap_growth_bytes * freed_share_min;
    this.growth_min = was_garbage
      ? growth_bytes.first
      : Math.min(growth_bytes.max, this.growth_min * 2);
    this.heap_low_bytes = left_bytes;
    this.process_low_bytes = residentBytes();
  }
}
