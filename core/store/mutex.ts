/** A mutex, in order of arrival. */
export class Mutex {
  private last: Promise<void> = Promise.resolve();
  /** Holders and those who wait. */
  private users = 0;

  /** Whether `lock` would wait. */
  get is_held(): boolean {
    return this.users > 0;
  }

  /** Waits for its turn, and returns the function that unlocks it, to be called once. */
  async lock(): Promise<() => void> {
    const previous = this.last;
    const turn = Promise.withResolvers<void>();
    this.last = turn.promise;
    this.users++;
    await previous;
    return () => {
      this.users--;
      turn.resolve();
    };
  }

  /** Runs `work` when its turn has come, and unlocks however it ends. */
  async run<R>(work: () => R | Promise<R>): Promise<R> {
    const unlock = await this.lock();
    try {
      return await work();
    } finally {
      unlock();
    }
  }
}
