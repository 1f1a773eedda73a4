/**
 * Calls that are being worked on, so that `notifications/cancelled`, which comes in a request of
 * its own, and maybe to another process, ends them.
 */
import { topic, type Notifier } from "../../core/sdk";

/** A call is to end; the key is what it is kept by. */
const CallCancelled = topic<null>("mcp.call_cancelled");

/** Who speaks: ids of messages are theirs alone. */
export interface Speaker {
  readonly key_id: string;
  /** `Mcp-Session-Id`, which tells clients with one key apart; null of those that send none. */
  readonly session: string | null;
}

export class RunningCalls {
  readonly #running = new Map<string, Set<AbortController>>();

  constructor(private readonly notifier: Notifier) {}

  /** How many there are. */
  get size(): number {
    let size = 0;
    for (const some of this.#running.values()) size += some.size;
    return size;
  }

  /** Runs `work` with a signal that fires when this call is cancelled. */
  async run<R>(
    speaker: Speaker,
    id: unknown,
    work: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const key = keyOf(speaker, id);
    const cancelled = new AbortController();
    const others = this.#running.get(key) ?? new Set();
    this.#running.set(key, others.add(cancelled));
    const end = this.notifier.subscribe(CallCancelled, [key], () => this.#end(key));
    try {
      return await work(cancelled.signal);
    } finally {
      end();
      others.delete(cancelled);
      if (others.size === 0) this.#running.delete(key);
    }
  }

  /** Without a session it may be another client's id that another process knows. */
  cancel(speaker: Speaker, id: unknown): void {
    const key = keyOf(speaker, id);
    if (speaker.session === null) this.#end(key);
    else this.notifier.publish(CallCancelled, key, null);
  }

  /** Two clients without sessions may use one id for different calls: then neither is ended. */
  #end(key: string): void {
    const found = this.#running.get(key);
    if (found?.size === 1) for (const one of found) one.abort();
  }
}

const keyOf = ({ key_id, session }: Speaker, id: unknown): string =>
  JSON.stringify([key_id, session, id]);
