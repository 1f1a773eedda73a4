/**
 * For scripts that start other programs, which have to be stopped at the end of the script, even if
 * a signal ends it.
 */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What a script has started. */
export class StartedPrograms {
  private readonly stack = new AsyncDisposableStack();
  private readonly starting = new Set<Promise<unknown>>();

  /** `signal` aborts when the script has to end. */
  constructor(readonly signal: AbortSignal) {}

  /** Resolves when it has started. It is stopped at the end, even if it starts later than that. */
  async use<T extends AsyncDisposable | Disposable | null>(starting: Promise<T>): Promise<T> {
    const registered = starting.then((resource) => this.stack.use(resource));
    this.starting.add(registered);
    return registered.finally(() => this.starting.delete(registered));
  }

  /** Calls this at the end, in reverse order. */
  defer(stop: () => void | Promise<void>): void {
    this.stack.defer(stop);
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.starting);
    await this.stack.disposeAsync();
  }
}

/**
 * Runs a script, then stops whatever it has started. Resolves with the result of `work`; after a
 * signal with false, without waiting for `work`, which continues until the caller ends the process.
 */
export async function runInterruptible(
  work: (started: StartedPrograms) => Promise<boolean>,
): Promise<boolean> {
  const controller = new AbortController();
  const started = new StartedPrograms(controller.signal);
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
