/** When each key was last used: collected in memory, written now and then in one transaction, so that no request waits for a write. */
import type { Log } from "../../core/sdk";

export const flush_every_ms = 30_000;

export interface UsageParts {
  /** Writes key → epoch ms, all or nothing. */
  readonly write: (uses: ReadonlyMap<string, number>) => Promise<void>;
  readonly log: Log;
}

export function createUsage({ write, log }: UsageParts) {
  let uses = new Map<string, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    const batch = uses;
    uses = new Map();
    try {
      await write(batch);
    } catch (error) {
      // What came in meanwhile is newer.
      uses = new Map([...batch, ...uses]);
      log.warn("the last use of keys could not be written yet", { error: String(error) });
    }
  };

  /** Never fails: what can't be written is kept for the next time. */
  const flush = async (): Promise<void> => {
    while (writing) await writing;
    if (uses.size === 0) return;
    writing = writeAll().finally(() => { writing = undefined; });
    await writing;
  };

  return {
    note(key_id: string, at_ms: number): void { uses.set(key_id, at_ms); },
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
