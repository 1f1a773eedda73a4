/** The stream of changes to the caller's records, and waiting for one of them. */
import { DossierError } from "./errors.js";
import { follow } from "./event-stream.js";
import type { StreamEvent, StreamEventType } from "./schema.gen.js";
import { pause } from "./signals.js";
import type { CallOptions, Transport } from "./transport.js";

export interface EventsOptions extends CallOptions {
  /** Only these types. Default: all. */
  readonly types?: readonly StreamEventType[];
  /** Only events in these folders and their subfolders, by id. */
  readonly folders?: readonly string[];
  /** Resumes after this event, given by its `lastEventId`. */
  readonly lastEventId?: string;
}

/** Discriminated by `event`. Events of plugins have names that these types don't include. */
export type DossierEvent = StreamEvent & {
  /** To resume: `events({ lastEventId })`. */
  readonly lastEventId: string;
};

/**
 * The caller's events from now on, until the caller leaves the loop. @throws DossierError, such as
 * `unauthorized` when the key has been revoked.
 */
export async function* events(
  transport: Transport,
  { types, folders, lastEventId, ...options }: EventsOptions = {},
): AsyncGenerator<DossierEvent, void, undefined> {
  const query = { types, folders };
  for await (const { data, id } of follow(
    transport,
    { path: "/events", query },
    { ...options, lastEventId },
  ))
    yield { ...parsed(data), lastEventId: id };
}

function parsed(data: string): StreamEvent {
  try {
    return JSON.parse(data) as StreamEvent;
  } catch (cause) {
    throw new DossierError("An event is not JSON.", { code: "bad_answer", cause });
  }
}

/** A waiter for a document. Events between two waits are not lost. */
export class DocumentListener {
  private rang = false;
  private wake: (() => void) | null = null;

  constructor(
    private readonly bell: DocumentBell,
    readonly documentId: string,
  ) {}

  ring(): void {
    this.rang = true;
    this.wake?.();
  }

  /** Resolves when something has happened to the document, at the latest after `ms`. */
  async next(ms: number, signal?: AbortSignal): Promise<void> {
    this.bell.add(this);
    const waiting = new AbortController();
    const stop = (): void => waiting.abort();
    this.wake = stop;
    signal?.addEventListener("abort", stop, { once: true });
    // Both an event and the signal end the pause; only the signal throws.
    if (!this.rang) await pause(ms, waiting.signal).catch(() => {});
    this.rang = false;
    this.wake = null;
    signal?.removeEventListener("abort", stop);
    signal?.throwIfAborted();
  }

  end(): void {
    this.bell.remove(this);
  }
}

/** One stream of events shared by all waiters, open while there are any. */
export class DocumentBell {
  private readonly listeners = new Set<DocumentListener>();
  private stop: AbortController | null = null;
  /** Events arrive. Otherwise waiters have to poll. */
  isLive = false;

  constructor(private readonly transport: Transport) {}

  add(listener: DocumentListener): void {
    if (this.listeners.has(listener)) return;
    this.listeners.add(listener);
    // What is known may be outdated: it is from before the stream was open.
    if (this.isLive) listener.ring();
    if (!this.stop) void this.listen((this.stop = new AbortController()));
  }

  remove(listener: DocumentListener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.stop?.abort();
    this.stop = null;
    this.isLive = false;
  }

  private async listen(stop: AbortController): Promise<void> {
    const types = ["document.synced", "document.failed", "document.deleted"] as const;
    try {
      for await (const event of events(this.transport, { types, signal: stop.signal })) {
        this.isLive = true;
        const id = "document_id" in event ? event.document_id : null;
        // After `ready` and `reset`, earlier events may have been missed.
        for (const listener of this.listeners)
          if (id === null || id === listener.documentId) listener.ring();
      }
    } catch {
      // It was stopped, or this server has no stream for it: fall back to polling.
    }
    if (this.stop !== stop) return;
    this.isLive = false;
    for (const listener of this.listeners) listener.ring();
  }
}
