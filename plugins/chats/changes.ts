/** Tells those who wait that something changed, within this process: nobody polls the database. */

export interface Changes {
  /** Wakes everyone who waits for a change of this record: a message or a session. */
  announce(id: string): void;
  /**
   * Listens from now on; `next` answers at the first change since it answered last, at the time
   * limit or when a signal fires, whichever is first:
   * true when there was a change. One `next` at a time.
   */
  listen(...ids: readonly string[]): {
    next(timeout_ms: number, signals: readonly AbortSignal[]): Promise<boolean>;
    close(): void;
  };
  /** Listeners that are not closed. */
  readonly count: number;
}

export function createChanges(): Changes {
  const listeners = new Map<string, Set<() => void>>();

  const listen: Changes["listen"] = (...ids) => {
    let changed = false;
    let wake = () => {};
    const hear = () => {
      changed = true;
      wake();
    };
    for (const id of ids) listeners.set(id, (listeners.get(id) ?? new Set()).add(hear));
    return {
      next: (timeout_ms, signals) =>
        new Promise((resolve) => {
          const timer = setTimeout(end, timeout_ms);
          function end() {
            clearTimeout(timer);
            for (const signal of signals) signal.removeEventListener("abort", end);
            wake = () => {};
            resolve(changed);
            changed = false;
          }
          wake = end;
          for (const signal of signals) signal.addEventListener("abort", end);
          if (changed || signals.some((signal) => signal.aborted)) end();
        }),
      close() {
        for (const id of ids) {
          const here = listeners.get(id);
          if (here?.delete(hear) && here.size === 0) listeners.delete(id);
        }
        wake();
      },
    };
  };

  return {
    announce(id) {
      for (const hear of [...(listeners.get(id) ?? [])]) hear();
    },
    listen,
    get count() {
      return new Set([...listeners.values()].flatMap((here) => [...here])).size;
    },
  };
}
