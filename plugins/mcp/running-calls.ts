/**
 * Calls in progress. `notifications/cancelled` arrives as a separate request, maybe at another
 * process, and aborts them.
 */
import { topic, type Notifier } from "../../core/sdk";

/** A call is to be cancelled; the key identifies it. */
const CallCancelled = topic<null>("mcp.call_cancelled");

/** The caller: message ids are unique only per caller. */
export interface McpCaller {
  readonly key_id: string;
  /**
   * `Mcp-Session-Id`, which distinguishes clients that share a key; null if the client sends none.
   */
  readonly session: string | null;
}

/** Calls by key, session and id of the message. */
export class RunningCalls {
  private readonly running = new Map<string, Set<AbortController>>();

  constructor(private readonly notifier: Notifier) {}

  /** Their number. */
  get size(): number {
    let size = 0;
    for (const calls of this.running.values()) size += calls.size;
    return size;
  }

  /** Runs `work` with a signal that fires when the call is cancelled. */
  async run<R>(
    caller: McpCaller,
    id: unknown,
    work: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const key = keyOf(caller, id);
    const cancelled = new AbortController();
    const others = this.running.get(key) ?? new Set();
    this.running.set(key, others.add(cancelled));
    const end = this.notifier.subscribe(CallCancelled, [key], () => this.end(key));
    try {
      return await work(cancelled.signal);
    } finally {
      end();
      others.delete(cancelled);
      if (others.size === 0) this.running.delete(key);
    }
  }

  /** Without a session, another process may have a call of another client with the same id. */
  cancel(caller: McpCaller, id: unknown): void {
    const key = keyOf(caller, id);
    if (caller.session === null) this.end(key);
    else this.notifier.publish(CallCancelled, key, null);
  }

  /**
   * Two clients without sessions may use the same id for different calls: then neither is
   * cancelled.
   */
  private end(key: string): void {
    const controllers = this.running.get(key);
    if (controllers?.size === 1) for (const call of controllers) call.abort();
  }
}

const keyOf = ({ key_id, session }: McpCaller, id: unknown): string =>
  JSON.stringify([key_id, session, id]);
