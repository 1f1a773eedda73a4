/**
 * The rules about chat sessions and their messages. Knows nothing of HTTP requests and contains no
 * SQL.
 */
import {
  badRequest,
  checkedName,
  conflict,
  newUuid,
  notFound,
  requiredText,
  trimmed,
  type Db,
  type ListedInParts,
  type PageRequest,
} from "../../core/sdk";
import { requireOpenChat, restorableAfter } from "./access";
import type { AskedQuestion } from "./contract";
import { withFreshCitations, type Message } from "./citations/citation-updates";
import { emitChat, notifyMessage, type ChatContext } from "./context";
import { AnswerCancelled, AnswerStarted } from "../events/contract";
import { appendEvents } from "./events/event-store";
import { cancelledAt, failAnswer, statusEvent } from "./events/answer-events";
import { findFeedback } from "./feedback/feedback-store";
import { enqueueAnswer } from "./jobs";
import type { ChatFilter } from "./list-store";
import * as messageStore from "./message-store";
import * as store from "./store";
import type { Chat, ChatRow, MessageRow } from "./store";
import { poll_interval_ms, publishStatus, StatusChanged, Waiter } from "./events/waiter";

/** Folders that a session can use. */
export const folders_max = 200;
/** Saved prompts that a session can use. */
export const prompts_max = 20;
/** The longest question, in characters. */
export const question_length_max = 32_000;

/** Absent fields stay as they are on a change; null clears them. */
export interface ChatInput {
  readonly name?: string | null | undefined;
  readonly usedFolders?: readonly string[] | null | undefined;
  readonly usedPrompts?: readonly string[] | null | undefined;
  readonly all_folders?: boolean | null | undefined;
  readonly pinned?: boolean | null | undefined;
}
/** Selects the sessions of a list. */
export interface ChatListing extends Pick<ChatFilter, "pinned" | "words"> {
  readonly deleted: boolean;
}
/** A question. A second one with the same `requestId` is the same message. */
export interface MessageInput {
  readonly text: string;
  readonly requestId?: string | null | undefined;
}
/** How long a poll may wait for a change, and the signals that end it early. */
export interface PollWait {
  readonly timeout_ms: number;
  readonly signals: readonly AbortSignal[];
}

/** One page of live sessions, or of the deleted ones that can be restored. */
export async function listChats(
  ctx: ChatContext,
  owner_id: string,
  { deleted, pinned, words }: ChatListing,
  page: PageRequest,
  signal: AbortSignal,
): Promise<ListedInParts<Chat>> {
  const filter = { deleted_after: deleted ? restorableAfter(ctx) : null, pinned, words };
  const { rows, total } = await ctx.lists.list(owner_id, filter, page, signal);
  return { parts: store.partsWithUses(ctx.db, rows), total };
}

/** @throws HttpError 404, 403, 410. */
export async function getChat(ctx: ChatContext, owner_id: string, chat_id: string): Promise<Chat> {
  return withUses(ctx.db, await requireOpenChat(ctx, ctx.db, owner_id, chat_id));
}

/**
 * @throws HttpError 400 on a name that is too long, 404 or 403 on a folder or prompt, 403 when the
 * quota is reached.
 */
export async function createChat(
  ctx: ChatContext,
  owner_id: string,
  input: ChatInput,
): Promise<Chat> {
  const now = ctx.now_ms();
  const row: ChatRow = {
    id: ctx.newId("chs"),
    owner_id,
    name: nameOf(input.name),
    message_count: 0,
    last_message_at: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    gone_at: null,
    counted: 1,
    pinned: input.pinned ? 1 : 0,
    all_folders: input.all_folders ? 1 : 0,
  };
  return ctx.inTransaction(async (tx) => {
    await store.insertChat(tx, row);
    await setUses(ctx, tx, row, input);
    // Last: a folder or prompt that is missing is 404, whatever the quota.
    await ctx.quotas.charge(tx, owner_id, "chats", 1);
    await emitChat(ctx, tx, row, "created");
    return withUses(tx, row);
  });
}

/** Replaces the given fields. @throws HttpError 400, 403, 404, or 410 when it is deleted. */
export async function changeChat(
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  input: ChatInput,
): Promise<Chat> {
  const values = {
    ...(input.name === undefined ? {} : { name: nameOf(input.name) }),
    ...(input.pinned === undefined ? {} : { pinned: input.pinned ? 1 : 0 }),
    ...(input.all_folders === undefined ? {} : { all_folders: input.all_folders ? 1 : 0 }),
  };
  return ctx.inTransaction(async (tx) => {
    const before = await requireOpenChat(ctx, tx, owner_id, chat_id);
    const is_empty =
      Object.keys(values).length === 0 &&
      input.usedFolders === undefined &&
      input.usedPrompts === undefined;
    if (is_empty) return withUses(tx, before);
    const updated_at = ctx.now_ms();
    await setUses(ctx, tx, before, input);
    await store.updateChat(tx, chat_id, values, updated_at);
    await emitChat(ctx, tx, before, "changed");
    return withUses(tx, { ...before, ...values, updated_at });
  });
}

const withUses = async (db: Db, row: ChatRow): Promise<Chat> =>
  (await store.withUses(db, [row]))[0]!;

/** Replaces the given lists. @throws HttpError 404 or 403 on a folder or prompt. */
async function setUses(
  { folders, prompts }: ChatContext,
  tx: Db,
  { id, owner_id }: ChatRow,
  { usedFolders, usedPrompts }: ChatInput,
): Promise<void> {
  const folder_ids = usedFolders && unique(usedFolders);
  const prompt_ids = usedPrompts && unique(usedPrompts);
  if (folder_ids?.length)
    await folders.requireWithSubfolders(tx, owner_id, folder_ids, "/usedFolders");
  if (prompt_ids?.length) await prompts.require(tx, owner_id, prompt_ids, "/usedPrompts");
  if (folder_ids !== undefined) await store.replaceFolders(tx, id, folder_ids ?? []);
  if (prompt_ids !== undefined) await store.replacePrompts(tx, id, prompt_ids ?? []);
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** A name is optional: null and blank ones mean none. */
const nameOf = (name: string | null | undefined): string | null =>
  name === undefined || name === null || trimmed(name) === "" ? null : checkedName(name, "/name");

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Saves the message together with the job that answers it. A repeated request returns the message
 * in its current state. @throws HttpError 400 on a blank or too long text or a requestId that is
 * not a UUID; 404, 403, 410 on the session; 409 when the request has another text.
 */
export async function submitMessage(
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  input: MessageInput,
  signal?: AbortSignal,
): Promise<MessageRow> {
  const text = requiredText(input.text, "/text", question_length_max);
  const request_id = input.requestId ?? newUuid();
  if (!uuid.test(request_id)) throw badRequest("The field requestId must be a UUID.", "/requestId");
  if (ctx.before_question.any) {
    const question = { owner_id, chat_id, request_id, text };
    const existing = await runBeforeQuestion(ctx, question, signal);
    if (existing) return sameRequest(existing, text);
  }
  return ctx.inTransaction(async (tx) => {
    await requireOpenChat(ctx, tx, owner_id, chat_id);
    const now = ctx.now_ms();
    const message: MessageRow = {
      id: ctx.newId("msg"),
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
    if (!(await messageStore.insertMessage(tx, message)))
      return sameRequest(await requireMessage(ctx, tx, owner_id, chat_id, request_id), text);
    await appendEvents(tx, message.id, [statusEvent("PENDING")], now);
    await store.countMessage(tx, chat_id, now);
    await enqueueAnswer(ctx, tx, message.id, owner_id);
    await ctx.emit(tx, AnswerStarted, { owner_id, chat_id, request_id });
    notifyMessage(ctx, owner_id, message, "created");
    return message;
  });
}

/** Returns the message of a repeated request, for which the hooks are not called again. */
async function runBeforeQuestion(
  ctx: ChatContext,
  question: Pick<AskedQuestion, "owner_id" | "text"> & Pick<MessageRow, "chat_id" | "request_id">,
  signal?: AbortSignal,
): Promise<MessageRow | undefined> {
  const { owner_id, chat_id, request_id } = question;
  const chat = await requireOpenChat(ctx, ctx.db, owner_id, chat_id);
  const existing = await messageStore.findMessage(ctx.db, chat_id, request_id.toLowerCase());
  if (existing) return existing;
  const { folder_ids: chosen_ids, prompt_ids } = await withUses(ctx.db, chat);
  const folder_ids =
    chat.all_folders === 1 ? await ctx.folders.listIds(ctx.db, owner_id) : chosen_ids;
  await ctx.before_question.run({ ...question, folder_ids, prompt_ids }, signal);
  return undefined;
}

function sameRequest(message: MessageRow, text: string): MessageRow {
  if (message.text !== text)
    throw conflict(
      "This requestId was already used in this session for a message with a different " +
        "text. Use a new requestId for each new message.",
    );
  return message;
}

/** A message with its owner's feedback on the answer. */
export interface RatedMessage {
  readonly message: Message;
  readonly feedback: store.FeedbackRow | undefined;
}
/** One page of the session's messages, newest first. @throws HttpError 404, 403, 410. */
export async function listMessages(
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  page: PageRequest,
): Promise<ListedInParts<RatedMessage>> {
  const chat = await requireOpenChat(ctx, ctx.db, owner_id, chat_id);
  const { parts, total } = await messageStore.listMessages(ctx.db, chat, page);
  return { parts: withFeedback(ctx, parts), total };
}

async function* withFeedback(
  ctx: ChatContext,
  parts: AsyncIterable<readonly MessageRow[]>,
): AsyncGenerator<RatedMessage[], void> {
  for await (const rows of parts) {
    const ids = rows.map(({ id }) => id);
    const feedback = await findFeedback(ctx.db, ids);
    const messages = await withFreshCitations(ctx, rows);
    yield messages.map((message) => ({ message, feedback: feedback.get(message.id) }));
  }
}

/**
 * The message in its current state, or, if it is unfinished and `wait` allows, after its next
 * change of status. @throws HttpError 404, 403, 410.
 */
export async function pollMessage(
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  request_id: string,
  wait: PollWait,
): Promise<Message> {
  const row = await waitForChange(ctx, owner_id, wait, () =>
    requireMessage(ctx, ctx.db, owner_id, chat_id, request_id),
  );
  const [message] = await withFreshCitations(ctx, [row]);
  return message!;
}

/** The row after at most one change, waited for without polling the database. */
async function waitForChange(
  { notifier, shared }: ChatContext,
  owner_id: string,
  { timeout_ms, signals }: PollWait,
  read: () => Promise<MessageRow>,
): Promise<MessageRow> {
  const before = await read();
  if (messageStore.isFinal(before) || timeout_ms === 0) return before;
  const waiter = new Waiter(notifier, StatusChanged, [before.id, before.chat_id], owner_id);
  const ends_at_ms = performance.now() + timeout_ms;
  try {
    for (;;) {
      // Read again: the change may have come between the first read and the subscription.
      const now = await read();
      const left_ms = ends_at_ms - performance.now();
      const is_over = left_ms <= 0 || signals.some(({ aborted }) => aborted);
      if (now.status !== before.status || is_over) return now;
      const wait_ms = shared.is_distributed ? Math.min(poll_interval_ms, left_ms) : left_ms;
      // The next change may be the announcement, by another process, of one already read.
      await waiter.next(wait_ms, signals);
    }
  } finally {
    waiter.close();
  }
}

/** The progress of the message. @throws HttpError 404, 403, 410. */
export async function messageProgress(
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  request_id: string,
): Promise<messageStore.Progress> {
  await requireOpenChat(ctx, ctx.db, owner_id, chat_id);
  const progress = await messageStore.findProgress(ctx.db, chat_id, request_id.toLowerCase());
  if (!progress) throw notFound("message");
  return progress;
}

/**
 * Ends an unfinished message and cancels its job. @throws HttpError 404, 403, 410, or 409 when it
 * is finished.
 */
export async function cancelMessage(
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  request_id: string,
): Promise<MessageRow> {
  return ctx.inDeletion(async (tx) => {
    const message = await requireMessage(ctx, tx, owner_id, chat_id, request_id);
    const ending = cancelledAt(ctx.now_ms());
    if (!(await messageStore.endMessage(tx, message.id, ending)))
      throw conflict(
        `This message has already finished: its status is ${message.status}. Only running ` +
          "messages can be cancelled.",
      );
    await failAnswer(tx, message.id, ending.completed_at);
    await ctx.cancelJobs(tx, [message.id]);
    await ctx.emit(tx, AnswerCancelled, { owner_id, chat_id, request_id: message.request_id });
    publishStatus(ctx, message.id);
    notifyMessage(ctx, owner_id, message);
    return { ...message, ...ending };
  });
}

/** @throws HttpError 404, 403, 410 on the session, 404 on the message. */
export async function requireMessage(
  ctx: ChatContext,
  db: Db,
  owner_id: string,
  chat_id: string,
  request_id: string,
): Promise<MessageRow> {
  await requireOpenChat(ctx, db, owner_id, chat_id);
  const row = await messageStore.findMessage(db, chat_id, request_id.toLowerCase());
  if (!row) throw notFound("message");
  return row;
}
