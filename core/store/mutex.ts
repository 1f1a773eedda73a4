/** One at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits for everyone before, and returns the function that lets the next one in. */
  async lock(): Promise<() => void> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    await before;
    return turn.resolve;
  }
}
