/**
 * Triggers garbage collection early during large work: by itself the collector waits until there is
 * as much garbage as live memory.
 */
import { collector } from "./collector";

/** The amount collected at a time, which takes some milliseconds. */
const collected_bytes = 8 * 2 ** 20;

/**
 * Estimates the garbage produced by one kind of work, and has it collected before there is much.
 * `collected`: what was made a moment ago is collected in a fraction of the time with `new`.
 */
export class GarbageMeter {
  private bytes = 0;

  constructor(private readonly collected: "all" | "new" = "all") {}

  /** About this many bytes have become garbage. */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes < collected_bytes) return;
    this.bytes = 0;
    setImmediate(() => (this.collected === "new" ? collector.collectNew() : collector.collect()));
  }
}
