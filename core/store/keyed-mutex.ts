/** A mutex per key, in order of arrival. */
import { Mutex } from "./mutex";

/** Work with the same key runs one after another, work with different keys at the same time. */
export class KeyedMutex {
  private readonly locks = new Map<string, { readonly mutex: Mutex; users: number }>();

  /** Runs `work` exclusively for the key. */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const lock = this.locks.get(key) ?? { mutex: new Mutex(), users: 0 };
    this.locks.set(key, lock);
    lock.users++;
    try {
      return await lock.mutex.run(work);
    } finally {
      lock.users--;
      if (lock.users === 0) this.locks.delete(key);
    }
  }
}
