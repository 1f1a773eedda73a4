/** Originals that nothing uses any more. */
import type { Context } from "../../core/sdk";

/** Deletes originals that nothing uses, in the background. */
export class UnusedFiles {
  #stopped = false;
  #sweeping: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ctx: Pick<Context, "afterCommit" | "files" | "log">,
    private readonly isUsed: (sha256: string) => Promise<boolean>,
    /** Those that documents use, of many at once. */
    private readonly findUsed: (sha256s: readonly string[]) => Promise<ReadonlySet<string>>,
  ) {}

  /** Those of these that nothing uses, once the surrounding transaction is on disk. */
  remove(sha256s: readonly string[]): void {
    if (sha256s.length > 0) this.ctx.afterCommit(() => void this.delete(sha256s));
  }

  /** The same now; never throws. Not inside a transaction. */
  async delete(sha256s: readonly string[]): Promise<void> {
    await this.ctx.files.remove(sha256s, this.#isUsed).catch(this.#report);
  }

  /** All that nothing uses, as a crash may have left them behind. */
  sweep(): void {
    this.#sweeping = this.ctx.files.sweep(this.#isUsed, this.#findUsed).catch(this.#report);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#sweeping;
  }

  readonly #isUsed = (sha256: string): Promise<boolean> => {
    this.#requireRunning();
    return this.isUsed(sha256);
  };
  readonly #findUsed = (sha256s: readonly string[]): Promise<ReadonlySet<string>> => {
    this.#requireRunning();
    return this.findUsed(sha256s);
  };
  #requireRunning(): void {
    if (this.#stopped) throw new Error("the server is stopping");
  }

  readonly #report = (error: unknown): void => {
    if (!this.#stopped)
      this.ctx.log.warn("unused originals could not be deleted; the next start tries again", {
        error: String(error),
      });
  };
}
