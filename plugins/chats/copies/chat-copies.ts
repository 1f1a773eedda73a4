/** Exports sessions to another server, and inserts those that come from one. */
import { batchesOf } from "../../../core/lib/batch";
import { StepPauses } from "../../../core/lib/chunked-work";
import { toNumber, type Db } from "../../../core/sdk";
import { withFreshCitations, type Message } from "../citations/citation-updates";
import { emitChat, type ChatContext } from "../context";
import type { ChatCopy, Chats, MessageCopy, MessagePlace } from "../contract";
import * as copyStore from "./copy-store";
import * as messageStore from "../message-store";
import * as store from "../store";
import type { Chat, ChatRow, MessageRow } from "../store";

/** Ids per statement. */
const ids_at_once = 500;

/** Sessions for folder archives: copies of them, and inserting copies. */
export class ChatCopies implements Chats {
  constructor(private readonly ctx: ChatContext) {}

  async findAsking(
    db: Db,
    owner_id: string,
    folder_ids: readonly string[],
  ): Promise<{ chats: ChatCopy[]; mixed_count: number }> {
    const requested = new Set(folder_ids);
    const rows = new Map<string, ChatRow>();
    const asking: Chat[] = [];
    const pauses = new StepPauses();
    for (const batch of batchesOf(folder_ids, ids_at_once)) {
      for (const row of await copyStore.chatsAsking(db, owner_id, batch)) rows.set(row.id, row);
      await pauses.pause();
    }
    for (const batch of batchesOf([...rows.values()], ids_at_once)) {
      asking.push(...(await store.withUses(db, batch)));
      await pauses.pause();
    }
    const chats = asking
      .filter((chat) => chat.folder_ids.every((id) => requested.has(id)))
      .map(chatCopyOf)
      .sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
    return { chats, mixed_count: asking.length - chats.length };
  }

  async listEnded(
    chat_id: string,
    after: MessagePlace | null,
    limit: number,
  ): Promise<{ messages: MessageCopy[]; last: MessagePlace | null }> {
    const rows = await copyStore.endedMessages(this.ctx.db, chat_id, after, limit);
    const last = rows.at(-1);
    // URLs as they are stored: without the base path of this server.
    const at_root = { ...this.ctx, public_url: () => "http://localhost" };
    const messages = await withFreshCitations(at_root, rows);
    return {
      messages: messages.map(messageCopyOf),
      last: last ? { id: last.id, created_at: toNumber(last.created_at) } : null,
    };
  }

  countUnfinished(db: Db, chat_id: string): Promise<number> {
    return copyStore.countUnfinished(db, chat_id);
  }

  async stage(tx: Db, owner_id: string, chat: ChatCopy): Promise<void> {
    const now = this.ctx.now_ms();
    const { id, name, created_at, updated_at } = chat;
    await store.insertChat(tx, {
      id,
      owner_id,
      name,
      created_at,
      updated_at,
      message_count: 0,
      last_message_at: null,
      deleted_at: now,
      gone_at: now,
      counted: 0,
      pinned: 0,
      all_folders: 0,
    });
    await store.replaceFolders(tx, id, chat.folder_ids);
    await store.replacePrompts(tx, id, chat.prompt_ids);
  }

  async stageMessage(
    tx: Db,
    chat_id: string,
    message: MessageCopy,
    document_ids: readonly string[],
  ): Promise<void> {
    const { request_id, text, status, result, error } = message;
    const { created_at, started_at, completed_at } = message;
    const row: MessageRow = {
      text,
      status,
      created_at,
      started_at,
      completed_at,
      id: this.ctx.newId("msg"),
      chat_id,
      request_id,
      request_key: request_id.toLowerCase(),
      result: result && JSON.stringify(result),
      error_code: error?.code ?? null,
      error_message: error?.message ?? null,
      attempt: 1,
      last_event: 0,
    };
    if (!(await messageStore.insertMessage(tx, row)))
      throw new Error(`the request ${request_id} is there twice`);
    await messageStore.insertCitations(tx, row.id, document_ids);
    await store.countMessage(tx, chat_id, message.created_at);
  }

  async reveal(tx: Db, owner_id: string, chat_ids: readonly string[]): Promise<void> {
    for (const batch of batchesOf(chat_ids, ids_at_once))
      if ((await copyStore.revealChats(tx, batch)).length < batch.length)
        throw new Error("a session that should be revealed is not there");
    await this.ctx.quotas.charge(tx, owner_id, "chats", chat_ids.length);
    for (const id of chat_ids) await emitChat(this.ctx, tx, { id, owner_id }, "created");
  }

  async abandon(tx: Db, owner_id: string, chat_ids: readonly string[]): Promise<void> {
    for (const id of chat_ids) await this.ctx.enqueuePurge(tx, { id, owner_id });
  }
}

const chatCopyOf = ({
  id,
  name,
  folder_ids,
  prompt_ids,
  created_at,
  updated_at,
}: Chat): ChatCopy => ({
  id,
  name,
  folder_ids,
  prompt_ids,
  created_at: toNumber(created_at),
  updated_at: toNumber(updated_at),
});

const numberOrNull = (value: number | null): number | null =>
  value === null ? null : toNumber(value);

const messageCopyOf = (message: Message): MessageCopy => ({
  request_id: message.request_id,
  text: message.text,
  status: message.status as MessageCopy["status"],
  created_at: toNumber(message.created_at),
  started_at: numberOrNull(message.started_at),
  completed_at: numberOrNull(message.completed_at),
  result: message.result,
  error:
    message.error_code === null
      ? null
      : { code: message.error_code, message: message.error_message ?? "" },
});
