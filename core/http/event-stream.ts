/**
 * Server-sent events for as long as the client listens: news is read when the client is ready for
 * it, so that a slow client costs no memory, and the caller is authenticated again before anything
 * is sent.
 */
import { HttpError, unavailable } from "../base/errors";
import { LocalOpenLimit, OpenLimits, type OpenLimit } from "../lib/open-limit";
import { loop_turns } from "../lib/loop-turns";
import { pullStream } from "./pull-stream";

/** The source of a stream. */
export interface Feed {
  /** What is new since the last call, in the form in which it is sent; empty when nothing is. */
  read(): Promise<string> | string;
  /**
   * Calls `wake` when there may be something new; returns a function that ends the subscription.
   */
  subscribe(wake: () => void): () => void;
  /** News may come without a call of `wake`: it is read every few seconds too. */
  readonly polls?: boolean;
  /** What to send after a while without news. Default: a comment. */
  idle?(): Promise<string> | string;
  /** The last event for a caller who may not listen any more. */
  refusal(): string;
}

/** Which events are sent, to whom and for how long. */
export interface EventStreamOptions {
  readonly feed: Feed;
  /** The owner: when many streams are woken at once, owners take turns. */
  readonly owner_id: string;
  /** Whether the caller may still listen. */
  readonly isAllowed: () => Promise<boolean>;
  /**
   * The stream ends when one of them fires: the client has disconnected, or the server is stopping.
   */
  readonly signals: readonly AbortSignal[];
  /** How long to wait after news, so that what comes together is sent together. */
  readonly gather_ms?: number;
  /** A silent stream sends something at this interval. */
  readonly heartbeat_ms?: number;
  /** Called when the stream has ended. */
  readonly onClose?: () => void;
}

/** Well below the idle timeout of the server and of the proxies in front of it. */
const heartbeat_default_ms = 15_000;
/** A command may revoke a key or a session without a message to this process. */
const recheck_ms = 5_000;
/** How long a client waits before it reconnects. */
const retry_ms = 2_000;

/** Keeps proxies from caching, changing or buffering the stream. */
export const event_stream_headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** One event in its wire format. */
export const sentEvent = (id: string, event: string, data: string): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;

/** The `Last-Event-ID` sent by the client; null for a new stream. */
export const lastEventId = (request: Request, in_query?: string): string | null =>
  request.headers.get("last-event-id") || in_query || null;

/** The body of a response with `event_stream_headers`. */
export const eventStream = (options: EventStreamOptions): ReadableStream<Uint8Array> => {
  const stream = new EventStream(options);
  return pullStream(() => stream.next(), stream.close, `retry: ${retry_ms}\n\n`);
};

class EventStream {
  private readonly unsubscribe: () => void;
  private is_closed = false;
  private is_woken = true;
  private wake = (): void => undefined;
  private sent_at = performance.now();

  constructor(private readonly options: EventStreamOptions) {
    this.unsubscribe = options.feed.subscribe(() => {
      this.is_woken = true;
      this.wake();
    });
    for (const signal of options.signals) signal.addEventListener("abort", this.close);
    if (options.signals.some(({ aborted }) => aborted)) this.close();
  }

  readonly close = (): void => {
    if (this.is_closed) return;
    this.is_closed = true;
    for (const signal of this.options.signals) signal.removeEventListener("abort", this.close);
    this.unsubscribe();
    this.options.onClose?.();
    this.wake();
  };

  /** The next piece, after waiting for news; null at the end. One call at a time. */
  async next(): Promise<string | null> {
    const { feed, heartbeat_ms = heartbeat_default_ms, isAllowed, owner_id } = this.options;
    for (;;) {
      const idle_ms = performance.now() - this.sent_at;
      if (!this.is_woken) await this.waitForNews(Math.min(recheck_ms, heartbeat_ms - idle_ms));
      const may_have_more = this.is_woken || feed.polls === true;
      this.is_woken = false;
      if (this.is_closed) return null;
      await loop_turns.enter(owner_id);
      const text = may_have_more ? await feed.read() : "";
      const allowed = await isAllowed();
      if (this.is_closed) return null;
      if (!allowed) {
        this.close();
        return feed.refusal();
      }
      if (text !== "") {
        // There may be more than one piece.
        this.is_woken = true;
        return this.sending(text);
      }
      if (performance.now() - this.sent_at >= heartbeat_ms)
        return this.sending((await feed.idle?.()) ?? ":\n\n");
    }
  }

  /** Records that this text is sent now, and returns it. */
  private sending(text: string): string {
    this.sent_at = performance.now();
    return text;
  }

  /** Waits up to this long for news, and a moment longer for what comes with it. */
  private async waitForNews(wait_ms: number): Promise<void> {
    const { gather_ms = 0 } = this.options;
    await this.sleep(Math.max(0, wait_ms), () => this.is_woken);
    if (this.is_woken && gather_ms > 0) await this.sleep(gather_ms, () => this.is_closed);
  }

  /** Until the time is up, or it is woken and `isOver` holds. */
  private sleep(ms: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.wake = () => {
        if (isOver() || this.is_closed) end();
      };
      this.wake();
    });
  }
}

/** Limits the number of open streams: per owner, and in total. */
export class StreamLimit {
  private readonly limits: OpenLimits;

  /**
   * `what`: the subject of the streams, such as `answers`. `advice`: what to do when there are too
   * many. `of_owner`: a number counts in this process alone, a limit of `Context.shared` over all
   * processes. `total_max`: in this process.
   */
  constructor(
    private readonly words: { readonly what: string; readonly advice: string },
    of_owner: number | (() => number) | OpenLimit,
    total_max = 4_096,
  ) {
    this.limits = new OpenLimits(
      typeof of_owner === "object" ? of_owner : new LocalOpenLimit(of_owner),
      new LocalOpenLimit(total_max),
    );
  }

  /** Returns the function to call when the stream is closed. @throws HttpError 429, 503 */
  async acquire(owner_id: string): Promise<() => void> {
    const { what, advice } = this.words;
    const release = await this.limits.acquire(owner_id);
    if (release === "per_key")
      throw new HttpError(
        429,
        "too_many_streams",
        `This user already has ${this.limits.per_key.max} streams of ${what} open. ${advice}`,
        { headers: { "retry-after": "1" } },
      );
    if (release === "total")
      throw unavailable(`Too many streams of ${what} are open at the moment. ${advice}`, 1);
    return release;
  }
}
