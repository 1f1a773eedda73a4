/**
 * Turns of the event loop. What arrives at once, a thousand requests or the end of a thousand
 * waits, would be done in one piece, and whoever comes next would wait for all of it. Here the loop
 * goes round after a few milliseconds, and those who wait take turns by subject.
 */

/** Whoever comes while the loop has been at it for no longer goes on at once. */
const turn_ms = 6;
/** Of those who wait, so many go on in one round: fewer when the round before took longer. */
const each_round = { min: 1, first: 4, max: 64 };

export class LoopTurns {
  /** By subject, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** When the present round began; undefined when nobody has come in it yet. */
  #began_ms: number | undefined;
  #each = each_round.first;

  /** Undefined when there is time; otherwise settles when it is the turn of the subject. */
  enter(subject: string): Promise<void> | undefined {
    if (this.#waiting.size === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => {
      const before = this.#waiting.get(subject);
      if (before) before.push(resolve);
      else this.#waiting.set(subject, [resolve]);
    });
  }

  #hasTime(): boolean {
    const now_ms = performance.now();
    if (this.#began_ms === undefined) this.#begin(now_ms);
    return now_ms - this.#began_ms! < turn_ms;
  }

  #begin(now_ms: number): void {
    this.#began_ms = now_ms;
    setImmediate(() => this.#next());
  }

  #next(): void {
    const now_ms = performance.now();
    const took_ms = now_ms - this.#began_ms!;
    this.#began_ms = undefined;
    if (this.#waiting.size === 0) return;
    const { min, max } = each_round;
    this.#each = took_ms < turn_ms ? Math.min(max, this.#each * 2) : Math.max(min, this.#each >> 1);
    this.#begin(now_ms);
    for (let n = 0; n < this.#each; n++) {
      const [first] = this.#waiting;
      if (!first) return;
      const [subject, waiting] = first;
      this.#waiting.delete(subject);
      const goOn = waiting.shift()!;
      if (waiting.length > 0) this.#waiting.set(subject, waiting);
      goOn();
    }
  }
}

/** Those of this process, which has one event loop. */
export const loop_turns = new LoopTurns();
