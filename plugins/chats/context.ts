/**
 * The context passed to the functions of this plugin, and the ways in which they report that a
 * message has changed.
 */
import type { Change, Context, Db, Hooks } from "../../core/sdk";
import { ChatChanged, ChatCreated, ChatDeleted } from "../events/contract";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Prompts } from "../prompts/contract";
import type { Quotas } from "../quotas/contract";
import type { Retrieval } from "../search/contract";
import type { Answerer, AskedQuestion } from "./contract";
import type { AnswerLimiter } from "./answers/answer-limiter";
import type { ChatLists } from "./list-store";
import type { ChatRow, MessageRow } from "./store";

/** What the functions of this plugin need besides `Context`. */
export interface ChatContext extends Pick<
  Context,
  | "cancelJobs"
  | "certain_now_ms"
  | "db"
  | "emit"
  | "enqueue"
  | "inDeletion"
  | "inTransaction"
  | "log"
  | "newId"
  | "node"
  | "notifier"
  | "notify"
  | "now_ms"
  | "public_url"
  | "reads"
  | "shared"
  | "truncateWal"
> {
  readonly documents: Documents;
  readonly folders: Folders;
  readonly prompts: Prompts;
  readonly quotas: Quotas;
  readonly retrieval: Retrieval;
  /** Complete once every plugin is set up. */
  readonly answerers: () => readonly Answerer[];
  /** The hooks that may refuse a question. */
  readonly before_question: Hooks<AskedQuestion>;
  readonly answer_limiter: AnswerLimiter;
  readonly lists: ChatLists;
  /** How long a deleted session can be restored, milliseconds. */
  readonly restore_ms: () => number;
  /** Enqueues the purge of a session that is gone: jobs.ts. */
  readonly enqueuePurge: (tx: Db, chat: Pick<ChatRow, "id" | "owner_id">) => Promise<void>;
  /** Enqueues the next search for expired sessions, unless one is enqueued. */
  readonly enqueueExpiry: (tx: Db, at_ms: number) => Promise<void>;
  readonly cancelExpiry: (tx: Db) => Promise<void>;
}

/** Notifies clients that watch the message, or its session, which counts and shows it. */
export function notifyMessage(
  { notify }: Pick<ChatContext, "notify">,
  owner_id: string,
  { chat_id, request_id }: Pick<MessageRow, "chat_id" | "request_id">,
  action: Change["action"] = "changed",
): void {
  notify({ owner_id, kind: "message", id: request_id, action });
  notify({ owner_id, kind: "chat", id: chat_id, action: "changed" });
}

const chat_events = { created: ChatCreated, changed: ChatChanged, deleted: ChatDeleted };

/** The session has changed: notifies clients that watch it, and emits the event. */
export async function emitChat(
  { emit, notify }: Pick<ChatContext, "emit" | "notify">,
  tx: Db,
  { id, owner_id }: Pick<ChatRow, "id" | "owner_id">,
  action: Change["action"],
): Promise<void> {
  notify({ owner_id, kind: "chat", id, action });
  await emit(tx, chat_events[action], { owner_id, chat_id: id });
}
