/** Tells waiting polls that a message changed, within this process: nobody polls the database. */

export interface Changes {
  /** Wakes everyone who waits for this message. */
  announce(message_id: string): void;
  /** Listens from now on; `next` answers at the first change since, at the time limit or when a signal fires, whichever is first. */
  listen(message_id: string): { next(timeout_ms: number, signals: readonly AbortSignal[]): Promise<void>; close(): void };
  /** Listeners that are not closed. */
  readonly count: number;
}

export function createChanges(): Changes {
  const listeners = new Map<string, Set<() => void>>();

  const listen: Changes["listen"] = (message_id) => {
    let changed = false;
    let wake = () => {};
    const hear = () => { changed = true; wake(); };
    const here = listeners.get(message_id) ?? new Set();
    listeners.set(message_id, here.add(hear));
    return {
      next: (timeout_ms, signals) => new Promise((resolve) => {
        const timer = setTimeout(end, timeout_ms);
        function end() {
          clearTimeout(timer);
          for (const signal of signals) signal.removeEventListener("abort", end);
          resolve();
        }
        wake = end;
        for (const signal of signals) signal.addEventListener("abort", end);
        if (changed || signals.some((signal) => signal.aborted)) end();
      }),
      close() {
        here.delete(hear);
        if (here.size === 0 && listeners.get(message_id) === here) listeners.delete(message_id);
      },
    };
  };

  return {
    announce(message_id) { for (const hear of [...listeners.get(message_id) ?? []]) hear(); },
    listen,
    get count() { return [...listeners.values()].reduce((sum, here) => sum + here.size, 0); },
  };
}
