/**
 * The pauses between two looks at what a test waits for. Each is a fifth of the time that has
 * passed: what comes soon is seen soon, and what takes seconds is not asked for a hundred times,
 * which would take the processor from what is waited for.
 */
const pause_ms = { min: 5, max: 100 };

export class Pauses {
  readonly #begun_ms = performance.now();

  next(): Promise<void> {
    const passed_ms = performance.now() - this.#begun_ms;
    return Bun.sleep(Math.min(pause_ms.max, Math.max(pause_ms.min, passed_ms / 5)));
  }
}
