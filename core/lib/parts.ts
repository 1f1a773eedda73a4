/** Large work in small parts, between which the event loop is free for others. */

/** The longest pause between two parts: whoever waits for the end does not wait for pauses. */
const pause_ms_max = 20;

/** Lets everything that has arrived meanwhile be served. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Runs `part` until it answers false. Each pause is as long as the part before it: half of the time
 * is for others. @throws what a part throws, or the reason of the signal
 */
export async function inParts(part: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const begun_ms = performance.now();
    if (!(await part())) return;
    const pause_ms = Math.min(pause_ms_max, performance.now() - begun_ms);
    await (pause_ms < 1 ? nextTurn() : Bun.sleep(pause_ms));
  }
}

/** How many records a part may hold, so that it takes about as long as it should. */
export class PartSize {
  #size: number;

  constructor(
    private readonly limits: { readonly first: number; readonly max: number },
    private readonly part_ms: number,
  ) {
    this.#size = limits.first;
  }

  get size(): number {
    return this.#size;
  }

  /** The next part is half as large. False when it can't be smaller. */
  halve(): boolean {
    const is_smallest = this.#size === 1;
    this.#size = Math.max(1, this.#size >> 1);
    return !is_smallest;
  }

  /** A part of this size took so long. */
  took(ms: number): void {
    if (ms > this.part_ms) this.halve();
    else if (ms < this.part_ms / 3) this.#size = Math.min(this.limits.max, this.#size * 2);
  }
}
