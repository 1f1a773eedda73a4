/**
 * For scripts that start other programs: those are stopped at the end of the script, also when it
 * is ended by a signal.
 */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What a script has started. */
export class Started {
  private readonly stack = new AsyncDisposableStack();
  private readonly starting = new Set<Promise<unknown>>();

  /** `signal` aborts when the script is to end. */
  constructor(readonly signal: AbortSignal) {}

  /** Resolves when it has started, and stops it at the end: also if the end comes first. */
  async use<T extends AsyncDisposable | Disposable | null>(starting: Promise<T>): Promise<T> {
    const registered = starting.then((resource) => this.stack.use(resource));
    this.starting.add(registered);
    return registered.finally(() => this.starting.delete(registered));
  }

  /** At the end, the last first. */
  defer(stop: () => void | Promise<void>): void {
    this.stack.defer(stop);
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.starting);
    await this.stack.disposeAsync();
  }
}

/**
 * Runs a script, then stops whatever it has started. Resolves with what `work` says; after a signal
 * with false, without waiting for `work`, which goes on until the caller ends the process.
 */
export async function succeeds(work: (started: Started) => Promise<boolean>): Promise<boolean> {
  const controller = new AbortController();
  const started = new Started(controller.signal);
  const interrupted = Promise.withResolvers<false>();
  const end = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) return;
    console.error(`Ended early by ${signal}.`);
    controller.abort();
    interrupted.resolve(false);
  };
  for (const signal of signals) process.on(signal, end);
  try {
    return await Promise.race([work(started), interrupted.promise]);
  } finally {
    await started.stop();
  }
}
