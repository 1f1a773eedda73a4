/** Splits large work into small parts, between which the event loop serves others. */
import { loop_turns } from "./loop-turns";

/** The longest pause between two parts, for the sake of those who wait for the end. */
const pause_ms_max = 20;

/** All work in parts takes turns as one subject, so that a lot of it delays requests no longer. */
const subject = "work in parts";

/** Lets the event loop handle everything that has arrived. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => {
      const turn = loop_turns.enter(subject, true);
      if (turn) void turn.then(resolve);
      else resolve();
    });
  });

/**
 * Runs `part` until it returns false. Each pause is as long as the part before it, so half of the
 * time is left to others. @throws what a part throws, or the reason of the signal
 */
export async function inParts(part: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const begun_ms = performance.now();
    if (!(await part())) return;
    const pause_ms = Math.min(pause_ms_max, performance.now() - begun_ms);
    if (pause_ms >= 1) await Bun.sleep(pause_ms);
    await nextTurn();
  }
}

/** How long the steps of a piece of work run together. */
const steps_ms = 4;

/** For work that consists of many short steps: lets others in when enough of them have run. */
export class StepPauses {
  private begun_ms = performance.now();

  /** Call between two steps. */
  async pause(): Promise<void> {
    if (performance.now() - this.begun_ms < steps_ms) return;
    await nextTurn();
    this.begun_ms = performance.now();
  }
}

/** The result of work in steps, between which requests are handled. */
export async function inSteps<T>(steps: Iterator<void, T>): Promise<T> {
  const pauses = new StepPauses();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pauses.pause();
  }
}

/** Adapts the number of records in a part, so that a part takes about the intended time. */
export class PartSize {
  private current: number;

  constructor(
    private readonly limits: { readonly first: number; readonly max: number },
    private readonly part_ms: number,
  ) {
    this.current = limits.first;
  }

  get size(): number {
    return this.current;
  }

  /** Halves the next part. False when it can't be smaller. */
  halve(): boolean {
    const is_smallest = this.current === 1;
    this.current = Math.max(1, this.current >> 1);
    return !is_smallest;
  }

  /** Records how long a part of this size took. */
  took(ms: number): void {
    if (ms > this.part_ms) this.halve();
    else if (ms < this.part_ms / 3) this.current = Math.min(this.limits.max, this.current * 2);
  }
}
