/**
 * Small entries that all processes on one database share: what is used of a limit, who holds a
 * place, when a host may be asked again. Not for what has to be kept: where one process serves the
 * database they are in its memory, elsewhere a crash of the database may take the last of them.
 */

/** What a step makes of an entry. Without `value` it stays as it is; null: it is forgotten. */
export interface Stepped<V, R> {
  readonly result: R;
  /** JSON. */
  readonly value?: V | null;
  /** It is known for so long from now on. With a value. */
  readonly keep_ms?: number;
}
/**
 * `now_ms`: epoch milliseconds, by the one clock of all processes. May be called several times for
 * one change: it must only compute.
 */
export type Step<V, R> = (value: V | undefined, now_ms: number) => Stepped<V, R>;

export interface SharedState {
  /**
   * Changes of one entry follow each other, whichever process makes them. Never inside a
   * transaction. @throws HttpError 503 when the database can't be reached
   */
  change<V, R>(scope: string, key: string, step: Step<V, R>): Promise<R>;
}

interface Kept {
  readonly value: unknown;
  readonly until_ms: number;
}

/** Entries of one scope that are kept; the longest unchanged go first. */
const kept_max = 20_000;

/** In the memory of the only process. */
export class LocalState implements SharedState {
  readonly #scopes = new Map<string, Map<string, Kept>>();

  constructor(private readonly now_ms: () => number) {}

  async change<V, R>(scope: string, key: string, step: Step<V, R>): Promise<R> {
    const now_ms = this.now_ms();
    let entries = this.#scopes.get(scope);
    if (!entries) this.#scopes.set(scope, (entries = new Map()));
    const known = entries.get(key);
    const is_known = known !== undefined && known.until_ms > now_ms;
    const stepped = step(is_known ? (known.value as V) : undefined, now_ms);
    if (stepped.value !== undefined) {
      entries.delete(key);
      if (stepped.value !== null)
        entries.set(key, { value: stepped.value, until_ms: now_ms + (stepped.keep_ms ?? 0) });
      for (const [oldest, { until_ms }] of entries) {
        if (until_ms > now_ms && entries.size <= kept_max) break;
        entries.delete(oldest);
      }
    }
    return stepped.result;
  }

  /** How many entries of a scope are kept. */
  size(scope: string): number {
    return this.#scopes.get(scope)?.size ?? 0;
  }
}
