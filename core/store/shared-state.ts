/**
 * Small entries shared by all processes on one database: the use of a limit, who holds a place,
 * when a host may be contacted again. Not for data that must be kept: with a single process they
 * are in memory, and a crash of the database may lose the latest of them.
 */

/** The result of a step. Without `value` the entry stays as it is; null deletes it. */
export interface Stepped<V, R> {
  readonly result: R;
  /** JSON. */
  readonly value?: V | null;
  /** The lifetime from now on. Given with a value. */
  readonly keep_ms?: number;
}
/**
 * `now_ms`: epoch milliseconds, by the common clock of all processes. May be called several times
 * for one change: it must only compute.
 */
export type Step<V, R> = (value: V | undefined, now_ms: number) => Stepped<V, R>;

/** Reads and changes of entries, each identified by a scope and a key. */
export interface SharedState {
  /**
   * Changes of one entry are made one after another, in whichever process. Never call it inside a
   * transaction. @throws HttpError 503 when the database can't be reached
   */
  change<V, R>(scope: string, key: string, step: Step<V, R>): Promise<R>;
}

interface Entry {
  readonly value: unknown;
  readonly until_ms: number;
}

/** The maximum number of entries per scope; the longest unchanged are dropped first. */
const entries_max = 20_000;

/** In the memory of a single process. */
export class LocalState implements SharedState {
  private readonly scopes = new Map<string, Map<string, Entry>>();

  constructor(private readonly now_ms: () => number) {}

  async change<V, R>(scope: string, key: string, step: Step<V, R>): Promise<R> {
    const now_ms = this.now_ms();
    let entries = this.scopes.get(scope);
    if (!entries) this.scopes.set(scope, (entries = new Map()));
    const entry = entries.get(key);
    const is_valid = entry !== undefined && entry.until_ms > now_ms;
    const stepped = step(is_valid ? (entry.value as V) : undefined, now_ms);
    if (stepped.value !== undefined) {
      entries.delete(key);
      if (stepped.value !== null)
        entries.set(key, { value: stepped.value, until_ms: now_ms + (stepped.keep_ms ?? 0) });
      for (const [oldest, { until_ms }] of entries) {
        if (until_ms > now_ms && entries.size <= entries_max) break;
        entries.delete(oldest);
      }
    }
    return stepped.result;
  }

  /** How many entries a scope has. */
  size(scope: string): number {
    return this.scopes.get(scope)?.size ?? 0;
  }
}
