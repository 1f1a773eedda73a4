/** A mutex per key, in order of arrival. */
import { Mutex } from "./mutex";

export class KeyedMutex {
  private readonly locks = new Map<string, { readonly mutex: Mutex; users: number }>();

  /** Runs `work` exclusively for the key. */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const held = this.locks.get(key) ?? { mutex: new Mutex(), users: 0 };
    this.locks.set(key, held);
    held.users++;
    const unlock = await held.mutex.lock();
    try {
      return await work();
    } finally {
      held.users--;
      if (held.users === 0) this.locks.delete(key);
      unlock();
    }
  }
}
