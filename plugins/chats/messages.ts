/** The rules about messages: asking, polling, cancelling, and reading answers back. */
import {
  badRequest,
  conflict,
  newUuid,
  notFound,
  requiredText,
  type Change,
  type Db,
  type Notifier,
  type PageRequest,
} from "../../core/sdk";
import type { Documents } from "../documents/contract";
import { appendEvents } from "./event-rows";
import { fail, statusEvent } from "./events";
import { readable, type Message } from "./living";
import type { ChatService } from "./service";
import * as store from "./store";
import type { MessageRow } from "./store";
import { StatusChanged, Waiter } from "./waiter";

export const text_length_max = 32_000;
export const cancelled_sentence = "The answer was cancelled.";

export interface Wait {
  readonly timeout_ms: number;
  readonly signals: readonly AbortSignal[];
}

export interface MessageParts {
  readonly db: Db<store.ChatsTables>;
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly chats: ChatService;
  readonly documents: Documents;
  readonly notifier: Notifier;
  /** Tells polls and watchers that the message has another status. */
  readonly tell: (message_id: string) => void;
  readonly notify: (change: Change) => void;
  readonly enqueueAnswer: (tx: Db, message_id: string, owner_id: string) => Promise<void>;
  readonly cancelAnswer: (tx: Db, message_id: string) => Promise<void>;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function createMessages(parts: MessageParts) {
  const { db, inTransaction, now_ms, chats, documents, notifier } = parts;

  /** @throws HttpError 404, 403, 410 on the session, 404 on the message. */
  async function find(
    from: Db,
    owner_id: string,
    chat_id: string,
    request_id: string,
  ): Promise<MessageRow> {
    await chats.requireOpen(from, owner_id, chat_id);
    const row = await store.findMessage(from, chat_id, request_id.toLowerCase());
    if (!row) throw notFound("message");
    return row;
  }

  /** The row after at most one change, waited for without asking the database again and again. */
  async function findChanged(
    owner_id: string,
    chat_id: string,
    request_id: string,
    wait: Wait,
  ): Promise<MessageRow> {
    const arrival = await find(db, owner_id, chat_id, request_id);
    if (isFinal(arrival) || wait.timeout_ms === 0) return arrival;
    const waiter = new Waiter(notifier, StatusChanged, [arrival.id, chat_id]);
    try {
      // Read again: the change may have come between the first reading and the listening.
      const now = await find(db, owner_id, chat_id, request_id);
      if (now.status !== arrival.status) return now;
      await waiter.next(wait.timeout_ms, wait.signals);
    } finally {
      waiter.close();
    }
    return find(db, owner_id, chat_id, request_id);
  }

  return {
    /** How far the message is. @throws HttpError 404, 403, 410. */
    async progress(owner_id: string, chat_id: string, request_id: string): Promise<store.Progress> {
      await chats.requireOpen(db, owner_id, chat_id);
      const progress = await store.findProgress(db, chat_id, request_id.toLowerCase());
      if (!progress) throw notFound("message");
      return progress;
    },

    /**
     * Saves the message together with the job that answers it. The same request once more is the
     * message as it is now.
     * @throws HttpError 400 on a blank or too long text or a requestId that is no UUID; 404, 403,
     * 410 on the session; 409 when the request has another text.
     */
    async submit(
      owner_id: string,
      chat_id: string,
      input: { readonly text: string; readonly requestId?: string | null | undefined },
    ): Promise<MessageRow> {
      const text = requiredText(input.text, "/text", text_length_max);
      const request_id = input.requestId ?? newUuid();
      if (!uuid.test(request_id))
        throw badRequest("The field requestId must be a UUID.", "/requestId");
      return inTransaction(async (tx) => {
        await chats.requireOpen(tx, owner_id, chat_id);
        const now = now_ms();
        const message: MessageRow = {
          id: parts.newId("msg"),
          chat_id,
          request_id,
          request_key: request_id.toLowerCase(),
          text,
          status: "PENDING",
          created_at: now,
          started_at: null,
          completed_at: null,
          result: null,
          error_code: null,
          error_message: null,
          attempt: 0,
          last_event: 0,
        };
        if (!(await store.insertMessage(tx, message)))
          return sameRequest(await find(tx, owner_id, chat_id, request_id), text);
        await appendEvents(tx, message.id, [statusEvent("PENDING")], now);
        await store.countMessage(tx, chat_id, now);
        await parts.enqueueAnswer(tx, message.id, owner_id);
        for (const change of changesOf(owner_id, message, "created")) parts.notify(change);
        return message;
      });
    },

    /**
     * The message as it is now, or, when it is unfinished and `wait` has time, after its next
     * change. @throws HttpError 404, 403, 410.
     */
    async poll(
      owner_id: string,
      chat_id: string,
      request_id: string,
      wait: Wait,
    ): Promise<Message> {
      const [message] = await readable(db, documents, [
        await findChanged(owner_id, chat_id, request_id, wait),
      ]);
      return message!;
    },

    /** One page of the session's messages, newest first. @throws HttpError 404, 403, 410. */
    async list(
      owner_id: string,
      chat_id: string,
      page: PageRequest,
    ): Promise<{ messages: Message[]; total: number }> {
      await chats.requireOpen(db, owner_id, chat_id);
      const { rows, total } = await store.listMessages(db, chat_id, page);
      return { messages: await readable(db, documents, rows), total };
    },

    /**
     * Ends an unfinished message and takes its job away. @throws HttpError 404, 403, 410, or 409
     * when it is finished.
     */
    cancel: (owner_id: string, chat_id: string, request_id: string): Promise<MessageRow> =>
      inTransaction(async (tx) => {
        const message = await find(tx, owner_id, chat_id, request_id);
        const ending = {
          status: "CANCELLED",
          completed_at: now_ms(),
          error_code: "cancelled",
          error_message: cancelled_sentence,
        } as const;
        if (!(await store.endMessage(tx, message.id, ending)))
          throw conflict(
            `This message is finished: its status is ${message.status}. Only a running one can be cancelled.`,
          );
        await fail(tx, message.id, ending.completed_at);
        await parts.cancelAnswer(tx, message.id);
        parts.afterCommit(() => parts.tell(message.id));
        for (const change of changesOf(owner_id, message, "changed")) parts.notify(change);
        return { ...message, ...ending };
      }),
  };
}
export type MessageService = ReturnType<typeof createMessages>;

/** The message, and its session, which counts and shows it. */
export const changesOf = (
  owner_id: string,
  { chat_id, request_id }: Pick<MessageRow, "chat_id" | "request_id">,
  action: "created" | "changed",
): readonly Change[] => [
  { owner_id, kind: "message", id: request_id, action },
  { owner_id, kind: "chat", id: chat_id, action: "changed" },
];

export const isFinal = ({ status }: Pick<MessageRow, "status">): boolean =>
  status !== "PENDING" && status !== "PROCESSING";

function sameRequest(message: MessageRow, text: string): MessageRow {
  if (message.text !== text)
    throw conflict(
      "This requestId was used in this session for a message with another text. Use a new " +
        "requestId for a new message.",
    );
  return message;
}
