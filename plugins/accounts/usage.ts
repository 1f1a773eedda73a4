/**
 * When each key or session was last used: collected in memory, written now and then in one
 * transaction, so that no request waits for a write.
 */
import type { Log } from "../../core/sdk";

export const flush_every_ms = 30_000;

export interface UsageParts {
  /** Writes id → epoch ms, all or nothing. */
  readonly write: (uses: ReadonlyMap<string, number>) => Promise<void>;
  readonly log: Log;
}

export function createUsage({ write, log }: UsageParts) {
  let uses = new Map<string, number>();
  /** What is being written: not readable elsewhere yet. */
  let batch: ReadonlyMap<string, number> = new Map();
  let timer: ReturnType<typeof setInterval> | undefined;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    batch = uses;
    uses = new Map();
    try {
      await write(batch);
    } catch (error) {
      // What came in meanwhile is newer.
      uses = new Map([...batch, ...uses]);
      log.warn("the last use of keys and sessions could not be written yet", {
        error: String(error),
      });
    } finally {
      batch = new Map();
    }
  };

  /** Never fails: what can't be written is kept for the next time. */
  const flush = async (): Promise<void> => {
    while (writing) await writing;
    if (uses.size === 0) return;
    writing = writeAll().finally(() => {
      writing = undefined;
    });
    await writing;
  };

  return {
    note(id: string, at_ms: number): void {
      uses.set(id, at_ms);
    },
    /** Epoch ms of the last use that is not written yet. */
    lastOf: (id: string): number | undefined => uses.get(id) ?? batch.get(id),
    flush,
    start(): void {
      timer = setInterval(() => void flush(), flush_every_ms);
      timer.unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
