/**
 * Starts what needs storage, also while nothing can be written: then the server serves what it can,
 * and the rest is started as soon as there is space again.
 */
import { errorFields, type Log } from "../base/log";
import { isStorageFault } from "../store/storage-errors";

const retry_ms = 2_000;

/** Tries again every two seconds what could not be started. */
export class DeferredStart {
  private readonly waiting = new Set<Promise<void>>();
  private readonly stopping = Promise.withResolvers<void>();
  private stopped = false;

  constructor(private readonly log: Log) {}

  /**
   * Returns when it is started, or is left for later: `start` may be called again after it threw.
   * @throws what it throws, other than a storage fault.
   */
  async start(name: string, start: () => Promise<void>): Promise<void> {
    try {
      await start();
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      this.log.error("the storage can't be written to; parts that need it will be started later", {
        name,
        ...errorFields(error),
      });
      const later = this.startLater(name, start).finally(() => this.waiting.delete(later));
      this.waiting.add(later);
    }
  }

  /** After it resolves, nothing is started any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.resolve();
    await Promise.all(this.waiting);
  }

  private async startLater(name: string, start: () => Promise<void>): Promise<void> {
    for (;;) {
      await Promise.race([Bun.sleep(retry_ms), this.stopping.promise]);
      if (this.stopped) return;
      try {
        await start();
        return this.log.info("started after the storage became writable", { name });
      } catch (error) {
        if (isStorageFault(error)) continue;
        return this.log.error("a part that waited for the storage can't be started", {
          name,
          ...errorFields(error),
        });
      }
    }
  }
}
