/** Numbers that name rows, in ascending order. */

/**
 * Made in memory. Safe in one process only: two processes over one database could give the same
 * number to different rows.
 */
export class AscendingIds {
  private last = 0;
  constructor(private readonly now_ms: () => number) {}

  /** Before the first `next`: they continue after the largest stored one. */
  continueAfter(largest_stored: number): void {
    this.last = largest_stored;
  }

  /** Ascends for ever, across restarts too: nothing cached can be mistaken for another. */
  readonly next = (): number => this.reserve(1);

  /** The first of `count` numbers in a row. */
  reserve(count: number): number {
    const first = Math.max(this.last + 1, this.now_ms() * 1_024);
    this.last = first + count - 1;
    return first;
  }
}
