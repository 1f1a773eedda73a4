/**
 * Turns of the event loop. Work that becomes ready at once, such as a thousand requests or
 * wake-ups, would run in one piece and delay everything after it. Here the loop continues after a
 * few milliseconds, and waiting work takes turns by subject.
 */

/**
 * Work that arrives earlier in the current iteration continues at once. Each iteration has its own
 * cost, so it is short only while several subjects have work.
 */
const turn_ms = { alone: 6, shared: 2 };
/** How long after a change of subject several are assumed to have work. */
const shared_ms = 100;
/** How many waiting entries continue in one iteration: fewer when the previous one took longer. */
const batch_sizes = { min: 1, first: 4, max: 64 };

/** Divides an event loop among subjects, such as users. */
export class LoopTurns {
  /** By subject, in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** When the current iteration began; undefined when nothing has entered in it yet. */
  private began_ms: number | undefined;
  /** When the first work that did not wait entered in this iteration. */
  private entered_ms: number | undefined;
  private batch_size = batch_sizes.first;
  private last_subject = "";
  /** When a subject other than the one before it entered. */
  private changed_ms = -Infinity;

  /**
   * Undefined when the work may continue at once; otherwise settles when it is the subject's turn.
   * A subject of which nothing waits doesn't queue behind the others, so that a single request is
   * not delayed by the many of another user. With `comes_last` it does, for background work.
   */
  enter(subject: string, comes_last = false): Promise<void> | undefined {
    if (subject !== this.last_subject) {
      this.last_subject = subject;
      this.changed_ms = performance.now();
    }
    const waits = comes_last ? this.waiting.size > 0 : this.waiting.has(subject);
    if (!waits && this.hasTime()) return undefined;
    return new Promise((resolve) => {
      const before = this.waiting.get(subject);
      if (before) before.push(resolve);
      else this.waiting.set(subject, [resolve]);
    });
  }

  private hasTime(): boolean {
    const now_ms = performance.now();
    if (this.began_ms === undefined) this.begin(now_ms);
    this.entered_ms ??= now_ms;
    return now_ms - this.entered_ms < this.turnMs(now_ms);
  }

  private turnMs(now_ms: number): number {
    return now_ms - this.changed_ms < shared_ms ? turn_ms.shared : turn_ms.alone;
  }

  private begin(now_ms: number): void {
    this.began_ms = now_ms;
    setImmediate(() => this.next());
  }

  private next(): void {
    const now_ms = performance.now();
    const is_short = now_ms - this.began_ms! < this.turnMs(now_ms);
    this.began_ms = undefined;
    this.entered_ms = undefined;
    if (this.waiting.size === 0) return;
    const { min, max } = batch_sizes;
    this.batch_size = is_short
      ? Math.min(max, this.batch_size * 2)
      : Math.max(min, this.batch_size >> 1);
    this.begin(now_ms);
    for (let n = 0; n < this.batch_size; n++) {
      const [first] = this.waiting;
      if (!first) return;
      const [subject, waiting] = first;
      this.waiting.delete(subject);
      const resume = waiting.shift()!;
      if (waiting.length > 0) this.waiting.set(subject, waiting);
      resume();
    }
  }
}

/** One for the process, which has one event loop. */
export const loop_turns = new LoopTurns();
