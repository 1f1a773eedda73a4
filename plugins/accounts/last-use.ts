/**
 * When each key or session was last used: collected in memory and written now and then in one
 * transaction, so that no request waits for a write.
 */
import type { Context } from "../../core/sdk";

const flush_every_ms = 30_000;

/** Where the times are written. */
export interface LastUseContext extends Pick<Context, "log"> {
  /** Writes id → epoch ms, all or nothing. */
  readonly write: (uses: ReadonlyMap<string, number>) => Promise<void>;
}

/** Times that are newer than the database. A crash loses those of the last moments. */
export class LastUseBuffer {
  private uses = new Map<string, number>();
  /** Being written: not visible to readers yet. */
  private batch: ReadonlyMap<string, number> = new Map();
  private timer: ReturnType<typeof setInterval> | undefined;
  private writing: Promise<void> | undefined;

  constructor(private readonly ctx: LastUseContext) {}

  note(id: string, at_ms: number): void {
    this.uses.set(id, at_ms);
  }

  /** Epoch ms of the last unwritten use. */
  lastOf(id: string): number | undefined {
    return this.uses.get(id) ?? this.batch.get(id);
  }

  /** Begins to write at an interval. */
  start(): void {
    this.timer = setInterval(() => void this.flush(), flush_every_ms);
    this.timer.unref();
  }

  /** Stops the interval and writes what is left. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Never rejects: what can't be written is kept for the next time. */
  async flush(): Promise<void> {
    while (this.writing) await this.writing;
    if (this.uses.size === 0) return;
    this.writing = this.writeAll().finally(() => {
      this.writing = undefined;
    });
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    this.batch = this.uses;
    this.uses = new Map();
    try {
      await this.ctx.write(this.batch);
    } catch (error) {
      // Uses since then are newer.
      this.uses = new Map([...this.batch, ...this.uses]);
      this.ctx.log.warn("the last use of keys and sessions could not be saved yet", {
        error: String(error),
      });
    } finally {
      this.batch = new Map();
    }
  }
}
