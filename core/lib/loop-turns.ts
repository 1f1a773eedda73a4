/**
 * Turns of the event loop. Work that becomes ready at once, such as a thousand requests or
 * wake-ups, would run in one piece and delay everything after it. Here the loop continues after a
 * few milliseconds, and waiting work takes turns by subject.
 */

/**
 * Work that arrives earlier in the current iteration continues at once. Each iteration has its own
 * cost, so it is short only while several subjects have work.
 */
const turn_ms = { alone: 6, shared: 1 };
/** How long after a change of subject several are assumed to have work. */
const shared_ms = 100;
/**
 * How long waiting entries continue in one iteration, one after the other. A little longer while
 * there are a few subjects of which none has had its turn in this iteration.
 */
const round_ms = { min: 2, all_subjects: 6 };
/** A subject with so many waiting entries does work in bulk. */
const bulk_entries_min = 8;
/** The longest rest: see `rest`. */
const rest_ms_max = 8;

/** Divides an event loop among subjects, such as users. */
export class LoopTurns {
  /** By subject, in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** When the current iteration began; undefined when nothing has entered in it yet. */
  private began_ms: number | undefined;
  /** When the first work that did not wait entered in this iteration. */
  private entered_ms: number | undefined;
  private last_subject = "";
  /** When a subject other than the one before it entered. */
  private changed_ms = -Infinity;
  /** When a subject of which nothing waited entered while others waited. */
  private visited_ms = -Infinity;
  private is_resting = false;

  /** How long work may take before the event loop continues. */
  get turn_ms(): number {
    return this.turnMs(performance.now());
  }

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
    const is_bulk = comes_last || this.waiting.has(subject);
    if (!is_bulk && this.waiting.size > 0) this.visited_ms = performance.now();
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
    const took_ms = now_ms - this.began_ms!;
    this.began_ms = undefined;
    this.entered_ms = undefined;
    if (this.waiting.size === 0) return;
    const only_bulk = this.onlyBulkWaits();
    if (this.is_resting && only_bulk) return;
    if (only_bulk && now_ms - this.visited_ms < shared_ms) this.rest(took_ms);
    else this.startRound(now_ms);
  }

  private onlyBulkWaits(): boolean {
    return this.waiting.values().every(({ length }) => length >= bulk_entries_min);
  }

  /**
   * While others come and go, work in bulk gets half of the time. If it kept the loop and the
   * processors busy, each of the few steps of a short request would have to wait for them.
   */
  private rest(worked_ms: number): void {
    this.is_resting = true;
    setTimeout(
      () => {
        this.is_resting = false;
        this.startRound(performance.now());
      },
      Math.min(worked_ms, rest_ms_max),
    );
  }

  private startRound(now_ms: number): void {
    if (this.began_ms === undefined) this.begin(now_ms);
    const until_ms = now_ms + Math.max(round_ms.min, this.turnMs(now_ms));
    const all_until_ms = now_ms + round_ms.all_subjects;
    this.continueRound(this.waiting.size, { until_ms, all_until_ms });
  }

  /** `subjects` is how many of them have not had a turn in this round. */
  private continueRound(subjects: number, ends: RoundEnds): void {
    const [first] = this.waiting;
    if (!first) return;
    const [subject, waiting] = first;
    this.waiting.delete(subject);
    const resume = waiting.shift()!;
    if (waiting.length > 0) this.waiting.set(subject, waiting);
    resume();
    afterMicrotasks(() => {
      const now_ms = performance.now();
      const has_time = now_ms < ends.until_ms || (subjects > 1 && now_ms < ends.all_until_ms);
      if (has_time) this.continueRound(subjects - 1, ends);
    });
  }
}

interface RoundEnds {
  readonly until_ms: number;
  /** As long as there are subjects without a turn. */
  readonly all_until_ms: number;
}

/**
 * Calls `then` when everything has run that promises let continue now: how long that takes is not
 * known before.
 */
const afterMicrotasks = (then: () => void): void => queueMicrotask(() => process.nextTick(then));

// The runtime orders its very first call differently.
process.nextTick(() => undefined);

/** One for the process, which has one event loop. */
export const loop_turns = new LoopTurns();
