/** What happens to the caller's records, as it happens; and who waits for one of them. */
import { DossierError } from "./errors.js";
import { follow } from "./event-stream.js";
import type { StreamEvent, StreamEventType } from "./schema.gen.js";
import { pause } from "./signals.js";
import type { CallOptions, Transport } from "./transport.js";

export interface EventsOptions extends CallOptions {
  /** Only these. Default: all. */
  readonly types?: readonly StreamEventType[];
  /** Only what happens in these folders and their subfolders, by their ids. */
  readonly folders?: readonly string[];
  /** Goes on after this event, as `lastEventId` of it has named it. */
  readonly lastEventId?: string;
}

/** Told apart by `event`. Those of plugins have names that these types don't know. */
export type DossierEvent = StreamEvent & {
  /** Go on after it: `events({ lastEventId })`. */
  readonly lastEventId: string;
};

/**
 * The caller's events from now on. It ends when the caller leaves it. @throws DossierError, such as
 * `unauthorized` when the key has ended.
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

/** Who waits for a document. What happens between two waits is not lost. */
export class DocumentListener {
  #rang = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly bell: DocumentBell,
    readonly documentId: string,
  ) {}

  ring(): void {
    this.#rang = true;
    this.#wake?.();
  }

  /** Until something has happened to the document, and `ms` at the longest. */
  async next(ms: number, signal?: AbortSignal): Promise<void> {
    this.bell.add(this);
    const waiting = new AbortController();
    const stop = (): void => waiting.abort();
    this.#wake = stop;
    signal?.addEventListener("abort", stop, { once: true });
    // What rang, and a signal, end the pause; only the signal is told.
    if (!this.#rang) await pause(ms, waiting.signal).catch(() => {});
    this.#rang = false;
    this.#wake = null;
    signal?.removeEventListener("abort", stop);
    signal?.throwIfAborted();
  }

  end(): void {
    this.bell.remove(this);
  }
}

/** One stream of events for all who wait, open while anybody does. */
export class DocumentBell {
  readonly #listeners = new Set<DocumentListener>();
  #stop: AbortController | null = null;
  /** Events come. Otherwise those who wait have to ask by themselves. */
  isLive = false;

  constructor(private readonly transport: Transport) {}

  add(listener: DocumentListener): void {
    if (this.#listeners.has(listener)) return;
    this.#listeners.add(listener);
    // What it knows is from before it listened.
    if (this.isLive) listener.ring();
    if (!this.#stop) void this.#listen((this.#stop = new AbortController()));
  }

  remove(listener: DocumentListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#stop?.abort();
    this.#stop = null;
    this.isLive = false;
  }

  async #listen(stop: AbortController): Promise<void> {
    const types = ["document.synced", "document.failed", "document.deleted"] as const;
    try {
      for await (const told of events(this.transport, { types, signal: stop.signal })) {
        this.isLive = true;
        const id = "document_id" in told ? told.document_id : null;
        // `ready` and `reset` say that something may have happened before.
        for (const one of this.#listeners) if (id === null || id === one.documentId) one.ring();
      }
    } catch {
      // It was stopped, or this server has no stream for it: then it is asked again and again.
    }
    if (this.#stop !== stop) return;
    this.isLive = false;
    for (const one of this.#listeners) one.ring();
  }
}
