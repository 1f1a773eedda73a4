/** A mutex, in order of arrival. */
export class Mutex {
  private last: Promise<void> = Promise.resolve();

  /** Waits for its turn, and returns the function that unlocks it. */
  async lock(): Promise<() => void> {
    const before = this.last;
    const turn = Promise.withResolvers<void>();
    this.last = turn.promise;
    await before;
    return turn.resolve;
  }
}
