/**
 * Watching an answer: its stored events as server-sent events, from any place on, until the last
 * one. A watcher holds a few events in memory and reads on when those are sent.
 */
import {
  HttpError,
  streamOf,
  type Db,
  type PreparedReads,
  type Log,
  type Notifier,
} from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { EventKind, EventRow, NewEvent } from "./event-rows";
import { retold } from "./events";
import { readable, type Message } from "./living";
import { isFinal, type MessageService } from "./messages";
import * as store from "./store";
import { AnswerGrew, Waiter } from "./waiter";

export interface StreamingParts {
  readonly db: Db<store.ChatsTables>;
  readonly reads: PreparedReads;
  readonly documents: Documents;
  readonly messages: Pick<MessageService, "progress">;
  readonly notifier: Notifier;
  readonly log: Log;
  /** A silent stream sends a comment so often. */
  readonly heartbeat_ms?: number;
  /** Open streams of one owner at most. */
  readonly streams_max?: number;
}

/**
 * Well within the time after which the server, and the proxies before it, cut off a silent
 * connection.
 */
const heartbeat_every_ms = 15_000;
/** A client that was cut off waits so long before it comes back. */
const retry_ms = 1_000;
const events_at_once = 32;
/** Far more than people watch, far fewer than would keep the server from others. */
export const streams_of_owner_max = 256;

const state_sql =
  "select m.status, c.deleted_at from chats_messages m join chats c on c.id = m.chat_id where " +
  "m.id = ?";
const events_sql = `select seq, kind, data from chats_events where message_id = ? and seq > ? order by seq limit ${events_at_once}`;

type State = Pick<store.MessageRow, "status"> & { readonly deleted_at: number | null };
type Numbered = Pick<EventRow, "seq" | "kind" | "data">;

export function createStreaming({
  db,
  reads,
  documents,
  messages,
  notifier,
  log,
  heartbeat_ms = heartbeat_every_ms,
  streams_max = streams_of_owner_max,
}: StreamingParts) {
  /** Open streams by owner. */
  const open = new Map<string, number>();

  const eventsAfter = (message_id: string, seq: number): Promise<Numbered[]> =>
    reads.all<Numbered>(events_sql, message_id, seq);

  async function asItReads(message_id: string): Promise<Message> {
    const [message] = await readable(db, documents, [(await store.findById(db, message_id))!]);
    return message!;
  }

  /**
   * A finished message whose events were deleted tells its end once more, with numbers after those.
   */
  function retoldOf(message: Message): Numbered[] {
    return retold(message.result).map((event: NewEvent, at) => ({
      ...event,
      seq: message.last_event + 1 + at,
    }));
  }

  /**
   * The number to go on after: 0 is the beginning, also for a number that this message never gave;
   * null when the last event was seen.
   */
  async function placeOf(message: store.Progress, last_seen: number): Promise<number | null> {
    const { id, last_event } = message;
    if (last_seen > 0 && isFinal(message) && last_seen === last_event) return null;
    if (last_seen < last_event) return last_seen;
    if (!isFinal(message)) return last_seen === last_event ? last_seen : 0;
    const end =
      (await eventsAfter(id, 0)).length > 0
        ? last_event
        : retoldOf(await asItReads(id)).at(-1)!.seq;
    return last_seen === end ? null : last_seen < end ? last_seen : 0;
  }

  /** What there is to send next; null at the end. One call at a time. */
  function reader(
    message_id: string,
    from: number,
    next: () => Promise<boolean>,
    isOver: () => boolean,
  ): () => Promise<string | null> {
    let cursor = from;
    let over = false;
    const send = async (events: readonly Numbered[]): Promise<string> => {
      const last = events.at(-1)!;
      cursor = last.seq;
      over = isLast(last.kind);
      const message = events.some(({ kind }) => kind !== "status" && kind !== "delta")
        ? await asItReads(message_id)
        : null;
      return events.map((event) => written(event, message)).join("");
    };
    return async () => {
      while (!over && !isOver()) {
        const state = await reads.get<State>(state_sql, message_id);
        if (!state || state.deleted_at !== null) return null;
        const events = await eventsAfter(message_id, cursor);
        if (events.length > 0) return send(events);
        if (isFinal(state)) {
          const rest = retoldOf(await asItReads(message_id)).filter(({ seq }) => seq > cursor);
          return rest.length === 0 ? null : send(rest.slice(0, events_at_once));
        }
        // It may have been closed while the database was asked: then nothing wakes `next` any more.
        if (!isOver() && !(await next()) && !isOver()) return ":\n\n";
      }
      return null;
    };
  }

  return {
    /**
     * The events of a message after `last_seen`, as they come; null when the last one was seen.
     * It ends after `done` or `error`, when the session is deleted, and when a signal fires.
     * @throws HttpError 404, 403, 410; 429 when the owner has too many streams open.
     */
    async watch(
      owner_id: string,
      chat_id: string,
      request_id: string,
      last_seen: number,
      signals: readonly AbortSignal[],
    ): Promise<ReadableStream<Uint8Array> | null> {
      const message = await messages.progress(owner_id, chat_id, request_id);
      const { id } = message;
      const from = await placeOf(message, last_seen);
      if (from === null) return null;
      const others = open.get(owner_id) ?? 0;
      if (others >= streams_max) throw tooMany(streams_max);
      open.set(owner_id, others + 1);
      const waiter = new Waiter(notifier, AnswerGrew, [id, chat_id]);
      let closed = false;
      const close = () => {
        if (closed) return;
        closed = true;
        for (const signal of signals) signal.removeEventListener("abort", close);
        waiter.close();
        const left = open.get(owner_id)! - 1;
        if (left > 0) open.set(owner_id, left);
        else open.delete(owner_id);
      };
      for (const signal of signals) signal.addEventListener("abort", close);
      if (signals.some((signal) => signal.aborted)) close();
      const read = reader(
        id,
        from,
        () => waiter.next(heartbeat_ms, []),
        () => closed,
      );
      return streamOf(
        async () => {
          try {
            return await read();
          } catch (error) {
            log.error("an answer could not be shown to its end", {
              message_id: id,
              error: error instanceof Error ? error.message : String(error),
            });
            return null;
          }
        },
        close,
        `retry: ${retry_ms}\n\n`,
      );
    },
  };
}
export type Streaming = ReturnType<typeof createStreaming>;

const tooMany = (streams_max: number): HttpError =>
  new HttpError(
    429,
    "too_many_streams",
    `${streams_max} answers are being watched already. Close one of the streams, or poll.`,
    { headers: { "retry-after": String(retry_ms / 1_000) } },
  );
const isLast = (kind: EventKind): boolean => kind === "done" || kind === "error";

/** One event on the wire. `message` is there for events that quote it. */
function written({ seq, kind, data }: Numbered, message: Message | null): string {
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
