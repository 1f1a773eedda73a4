/**
 * Calls that are being worked on, so that `notifications/cancelled`, which comes in a request of
 * its own, ends them. Of this process: one that another has is worked on to its end.
 */

/** Who speaks: ids of messages are theirs alone. */
export interface Speaker {
  readonly key_id: string;
  /** `Mcp-Session-Id`, which tells clients with one key apart; null of those that send none. */
  readonly session: string | null;
}

export class RunningCalls {
  readonly #running = new Map<string, Set<AbortController>>();

  /** How many there are. */
  get size(): number {
    let size = 0;
    for (const some of this.#running.values()) size += some.size;
    return size;
  }

  /** Runs `work` with a signal that fires when this call is cancelled. */
  async run<R>(
    speaker: Speaker,
    id: unknown,
    work: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const key = keyOf(speaker, id);
    const cancelled = new AbortController();
    const others = this.#running.get(key) ?? new Set();
    this.#running.set(key, others.add(cancelled));
    try {
      return await work(cancelled.signal);
    } finally {
      others.delete(cancelled);
      if (others.size === 0) this.#running.delete(key);
    }
  }

  /** Two clients without sessions may use one id for different calls: then neither is ended. */
  cancel(speaker: Speaker, id: unknown): void {
    const found = this.#running.get(keyOf(speaker, id));
    if (found?.size === 1) for (const one of found) one.abort();
  }
}

const keyOf = ({ key_id, session }: Speaker, id: unknown): string =>
  JSON.stringify([key_id, session, id]);
