/** Deletes leftovers in the background, one pass at a time. */

export interface CleanerOptions {
  /** Deletes everything there is, in parts, until the signal fires. */
  readonly clean: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Runs `clean` when there is something to delete, never twice at the same time. */
export class Cleaner {
  private running: Promise<void> | undefined;
  private is_requested = false;
  private readonly stopping = new AbortController();

  constructor(private readonly options: CleanerOptions) {}

  /** Starts a pass, because there may be something to delete. Returns at once. */
  readonly start = (): void => {
    this.is_requested = true;
    this.running ??= this.run().finally(() => (this.running = undefined));
  };

  /** The rest is left to the next run. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error("The server is stopping."));
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (this.is_requested && !signal.aborted) {
      this.is_requested = false;
      try {
        await this.options.clean(signal);
      } catch (error) {
        if (!signal.aborted) this.options.onError(error);
      }
    }
  }
}
