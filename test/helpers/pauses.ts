/**
 * The pauses between two polls of a condition. Each is a fifth of the time that has passed: fast
 * events are noticed fast, and slow ones are not polled a hundred times, which would take processor
 * time from the server.
 */
const pause_ms = { min: 5, max: 100 };

/** The pauses from now on. */
export class Pauses {
  private readonly begun_ms = performance.now();

  next(): Promise<void> {
    const passed_ms = performance.now() - this.begun_ms;
    return Bun.sleep(Math.min(pause_ms.max, Math.max(pause_ms.min, passed_ms / 5)));
  }
}
