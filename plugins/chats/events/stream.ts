/**
 * Streams of answers: the stored events as server-sent events, from any position to the last one. A
 * stream holds a few events in memory and reads the next ones when those are sent.
 */
import { messageOf } from "../../../core/lib/error-message";
import { LocalOpenLimit, OpenLimits } from "../../../core/lib/open-limit";
import { HttpError, pullStream, unavailable } from "../../../core/sdk";
import type { Message } from "../citations/citation-updates";
import type { ChatContext } from "../context";
import type { AnswerResult } from "../contract";
import { events_at_once, readEvents, readState, type NumberedEvent } from "./event-store";
import { long_answer_chars } from "./answer-events";
import { FinishedMessages } from "./finished-messages";
import * as messageStore from "../message-store";
import type { EventKind } from "../store";
import { AnswerGrew, poll_interval_ms, Waiter } from "./waiter";

type StreamContext = Pick<
  ChatContext,
  "db" | "documents" | "log" | "notifier" | "public_url" | "reads" | "shared"
>;

/** How many streams can be open, and how they stay open. */
export interface StreamLimits {
  /**
   * How often a silent stream sends a comment. Well within the time after which the server, and
   * proxies in front of it, close a silent connection.
   */
  readonly heartbeat_ms: number;
  /** Open streams per owner, and in total in this process. Far more than people watch. */
  readonly streams_max: number;
  readonly total_max: number;
}
/** How long a client waits before it reconnects. */
const retry_ms = 1_000;

/** Opens streams of answers, within the limits. */
export class AnswerStreams {
  private readonly heartbeat_ms: number;
  private readonly open_limits: OpenLimits;
  private readonly finished: FinishedMessages;

  constructor(
    private readonly ctx: StreamContext,
    { heartbeat_ms = 15_000, streams_max = 256, total_max = 4_096 }: Partial<StreamLimits> = {},
  ) {
    this.heartbeat_ms = heartbeat_ms;
    this.open_limits = new OpenLimits(
      ctx.shared.openLimit("chats.streams", streams_max),
      new LocalOpenLimit(total_max),
    );
    this.finished = new FinishedMessages(ctx);
  }

  /**
   * The events of a message after `last_seen`, as they arrive; null when the last one was seen. It
   * ends after `done` or `error`, when the session is deleted, and when a signal fires. @throws
   * HttpError 429 when the owner has too many open streams, 503 when there are too many in total.
   */
  async open(
    owner_id: string,
    message: messageStore.Progress,
    last_seen: number,
    signals: readonly AbortSignal[],
    /** The request of the watcher, for the log. */
    request_id?: string,
  ): Promise<ReadableStream<Uint8Array> | null> {
    const from = await startingPoint(this.ctx, this.finished, message, last_seen);
    if (from === null) return null;
    const release = await this.acquire(owner_id);
    const stream = new AnswerStream(this.ctx, message, from, signals, {
      owner_id,
      finished: this.finished,
      heartbeat_ms: this.heartbeat_ms,
      request_id,
      onClose: release,
    });
    return pullStream(() => stream.next(), stream.close, `retry: ${retry_ms}\n\n`);
  }

  /** Returns the function to call when the stream is closed. @throws HttpError 429, 503 */
  private async acquire(owner_id: string): Promise<() => void> {
    const release = await this.open_limits.acquire(owner_id);
    if (release === "per_key") throw tooManyOfOwner(this.open_limits.per_key.max);
    if (release === "total")
      throw unavailable(
        "Too many answers are being streamed at the moment. Poll instead, or try again.",
        1,
      );
    return release;
  }
}

const tooManyOfOwner = (streams_max: number): HttpError =>
  new HttpError(
    429,
    "too_many_streams",
    `${streams_max} answers are already being streamed. Close one of the streams, or poll ` +
      "instead.",
    { headers: { "retry-after": String(retry_ms / 1_000) } },
  );

/** The state of one client reading the events of a message. */
class AnswerStream {
  private readonly waiter: Waiter;
  private has_ended = false;
  /** The rest of the final event, when that is long. */
  private end: AsyncGenerator<string, void> | undefined;
  private is_closed = false;
  /** Approximately how long nothing has been sent. */
  private quiet_ms = 0;

  constructor(
    private readonly ctx: StreamContext,
    private readonly message: messageStore.Progress,
    /** The number of the last event sent. */
    private cursor: number,
    private readonly signals: readonly AbortSignal[],
    private readonly options: {
      readonly owner_id: string;
      readonly finished: FinishedMessages;
      readonly heartbeat_ms: number;
      readonly request_id: string | undefined;
      readonly onClose: () => void;
    },
  ) {
    const ids = [message.id, message.chat_id];
    this.waiter = new Waiter(ctx.notifier, AnswerGrew, ids, options.owner_id);
    for (const signal of signals) signal.addEventListener("abort", this.close);
    if (signals.some((signal) => signal.aborted)) this.close();
  }

  readonly close = (): void => {
    if (this.is_closed) return;
    this.is_closed = true;
    for (const signal of this.signals) signal.removeEventListener("abort", this.close);
    this.waiter.close();
    this.options.onClose();
  };

  /** What to send next; null at the end. One call at a time. */
  async next(): Promise<string | null> {
    try {
      return await this.read();
    } catch (error) {
      this.ctx.log.error("the stream of an answer ended early", {
        request_id: this.options.request_id,
        message_id: this.message.id,
        error: messageOf(error),
      });
      return null;
    }
  }

  private async read(): Promise<string | null> {
    const { ctx, message } = this;
    if (this.end && !this.is_closed) return (await this.end.next()).value ?? null;
    while (!this.has_ended && !this.is_closed) {
      const state = await readState(ctx.reads, message.id);
      if (!state || state.deleted_at !== null) return null;
      const events = await readEvents(ctx.reads, message.id, this.cursor);
      if (events.length > 0) return this.chunkOf(events);
      if (messageStore.isFinal(state)) {
        const replay = await this.options.finished.replay(message.id, message.last_event);
        const unsent = replay.filter(({ seq }) => seq > this.cursor);
        return unsent.length === 0 ? null : this.chunkOf(unsent.slice(0, events_at_once));
      }
      // It may have been closed during the query: then nothing would wake the waiter.
      if (this.is_closed) return null;
      const { heartbeat_ms } = this.options;
      const wait_ms = ctx.shared.is_distributed
        ? Math.min(poll_interval_ms, heartbeat_ms)
        : heartbeat_ms;
      this.quiet_ms += wait_ms;
      if (await this.waiter.next(wait_ms, [])) this.quiet_ms = 0;
      else if (this.quiet_ms >= heartbeat_ms && !this.is_closed) {
        this.quiet_ms = 0;
        return ":\n\n";
      }
    }
    return null;
  }

  private async chunkOf(events: readonly NumberedEvent[]): Promise<string> {
    const last = events.at(-1)!;
    this.cursor = last.seq;
    this.has_ended = last.kind === "done" || last.kind === "error";
    const quotes_message = events.some(({ kind }) => kind !== "status" && kind !== "delta");
    const { finished } = this.options;
    const message = quotes_message ? await finished.read(this.message.id, last.seq) : null;
    if (last.kind !== "done" || !isLong(message)) return serializedEvents(events, message);
    this.end = finished.longEnd(message.id, last.seq, message.result);
    return serializedEvents(events.slice(0, -1), message) + (await this.end.next()).value;
  }
}

/**
 * The number of the event to continue after: 0 is the beginning, also for a number that this
 * message never used; null when the last event was seen.
 */
async function startingPoint(
  ctx: StreamContext,
  finished: FinishedMessages,
  message: messageStore.Progress,
  last_seen: number,
): Promise<number | null> {
  const { id, last_event } = message;
  const is_final = messageStore.isFinal(message);
  if (last_seen > 0 && is_final && last_seen === last_event) return null;
  if (last_seen < last_event) return last_seen;
  if (!is_final) return last_seen === last_event ? last_seen : 0;
  const is_stored = (await readEvents(ctx.reads, id, 0)).length > 0;
  const end = is_stored ? last_event : (await finished.replay(id, last_event)).at(-1)!.seq;
  return last_seen === end ? null : last_seen < end ? last_seen : 0;
}

const isLong = (message: Message | null): message is Message & { readonly result: AnswerResult } =>
  (message?.result?.answer.length ?? 0) > long_answer_chars;

/** In the wire format. `message` is given for events that quote it. */
const serializedEvents = (events: readonly NumberedEvent[], message: Message | null): string =>
  events.map((event) => serialized(event, message)).join("");
function serialized({ seq, kind, data }: NumberedEvent, message: Message | null): string {
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(dataOf(kind, data, message))}\n\n`;
}
function dataOf(kind: EventKind, data: string, message: Message | null): unknown {
  switch (kind) {
    case "status":
      return { status: data };
    case "delta":
      return { text: data };
    case "citation":
      return message?.result?.citations.find(({ id }) => id === Number(data));
    case "done":
      return message?.result;
    case "error":
      return { code: message?.error_code, message: message?.error_message };
  }
}
