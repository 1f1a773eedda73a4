/**
 * The tables of this plugin, and every SQL statement about chat sessions. The database is the first
 * parameter, so that the caller decides the transaction.
 */
import { batchesOf } from "../../core/lib/batch";
import { StepPauses } from "../../core/lib/chunked-work";
import { sql, type Db } from "../../core/sdk";
import { isGone } from "../folders/contract";

/** A stored session. Times are epoch milliseconds. */
export interface ChatRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string | null;
  readonly message_count: number;
  readonly last_message_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deleted_at: number | null;
  /** When it was deleted for good; it is invisible from then on, and exists until it is purged. */
  readonly gone_at: number | null;
  /** 1 when it counts towards the quota. */
  readonly counted: number;
  /** 1 when its owner has pinned it above the others. */
  readonly pinned: number;
  /** 1 when it asks every folder of its owner, including future ones. */
  readonly all_folders: number;
}

/** The state of a message; the last three are final. */
export type MessageStatus = "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED";

/** A stored message. Times are epoch milliseconds. */
export interface MessageRow {
  readonly id: string;
  readonly chat_id: string;
  /** As given by the caller. */
  readonly request_id: string;
  /** The same in lower case: UUIDs that differ only in case are equal. */
  readonly request_key: string;
  readonly text: string;
  readonly status: MessageStatus;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  /** JSON of an `AnswerResult`. */
  readonly result: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /**
   * How often the answer was started; also increased when what an attempt has shown becomes void.
   */
  readonly attempt: number;
  /** The number of the last event; it stays when the events are deleted. */
  readonly last_event: number;
}

/** The kind of a stream's event, also its name. */
export type EventKind = "status" | "delta" | "citation" | "done" | "error";

/** An event before it has a number. */
export interface NewEvent {
  readonly kind: EventKind;
  /**
   * status: the status; delta: the text; citation: its number; done and error: empty, because the
   * message contains it.
   */
  readonly data: string;
}

/** A stored event of an answer. Times are epoch milliseconds. */
export interface EventRow extends NewEvent {
  readonly message_id: string;
  /** Starting at 1, ascending within its message; a number is never reused. */
  readonly seq: number;
  readonly created_at: number;
}

/** Stored feedback on an answer. Times are epoch milliseconds. */
export interface FeedbackRow {
  readonly message_id: string;
  readonly owner_id: string;
  readonly rating: "up" | "down";
  readonly note: string | null;
  /** When it was first given. */
  readonly created_at: number;
  readonly updated_at: number;
}

export interface ChatsTables {
  chats: ChatRow;
  chats_folders: { chat_id: string; folder_id: string; position: number };
  chats_prompts: { chat_id: string; prompt_id: string; position: number };
  chats_messages: MessageRow;
  /** Documents that an answer cites or, while it is made, was shown from. */
  chats_citations: { message_id: string; document_id: string };
  chats_events: EventRow;
  chats_feedback: FeedbackRow;
}

export type ChatsDb = Db<ChatsTables>;

/** What a session uses, in the given order. */
export interface Uses {
  readonly folder_ids: readonly string[];
  readonly prompt_ids: readonly string[];
}

/** A session with its folders and prompts. */
export type Chat = ChatRow & Uses;

export const insertChat = async (tx: ChatsDb, row: ChatRow): Promise<void> => {
  await tx.insertInto("chats").values(row).execute();
};

/** Unless it is gone for good. */
export const findChat = (db: ChatsDb, id: string): Promise<ChatRow | undefined> =>
  db
    .selectFrom("chats")
    .selectAll()
    .where("id", "=", id)
    .where("gone_at", "is", null)
    .executeTakeFirst();

/** Sessions at a time: each may have hundreds of folders. */
const chats_at_once = 10;

/** The same rows with what they use, read when they are asked for. */
export async function* partsWithUses(
  db: ChatsDb,
  rows: readonly ChatRow[],
): AsyncGenerator<Chat[], void> {
  const pauses = new StepPauses();
  for (const batch of batchesOf(rows, chats_at_once)) {
    yield await usesOfBatch(db, batch);
    await pauses.pause();
  }
}

/** All of them at once. */
export async function withUses(db: ChatsDb, rows: readonly ChatRow[]): Promise<Chat[]> {
  const chats: Chat[] = [];
  for await (const part of partsWithUses(db, rows)) chats.push(...part);
  return chats;
}

async function usesOfBatch(db: ChatsDb, rows: readonly ChatRow[]): Promise<Chat[]> {
  const ids = rows.map((row) => row.id);
  const folders = await db
    .selectFrom("chats_folders")
    .select(["chat_id", "folder_id as used_id"])
    .where("chat_id", "in", ids)
    .where(sql<boolean>`not ${isGone("chats_folders.folder_id")}`)
    .orderBy("position")
    .execute();
  const prompts = await db
    .selectFrom("chats_prompts")
    .select(["chat_id", "prompt_id as used_id"])
    .where("chat_id", "in", ids)
    .orderBy("position")
    .execute();
  const folders_of = Map.groupBy(folders, (use) => use.chat_id);
  const prompts_of = Map.groupBy(prompts, (use) => use.chat_id);
  return rows.map((row) => ({
    ...row,
    folder_ids: (folders_of.get(row.id) ?? []).map((use) => use.used_id),
    prompt_ids: (prompts_of.get(row.id) ?? []).map((use) => use.used_id),
  }));
}

/** Sets the given fields, and the time of the change. */
export const updateChat = async (
  tx: ChatsDb,
  id: string,
  values: Partial<Pick<ChatRow, "name" | "pinned" | "all_folders">>,
  updated_at: number,
): Promise<void> => {
  await tx
    .updateTable("chats")
    .set({ ...values, updated_at })
    .where("id", "=", id)
    .execute();
};

/** Counts one more message, sent now. */
export const countMessage = async (
  tx: ChatsDb,
  id: string,
  last_message_at: number,
): Promise<void> => {
  await tx
    .updateTable("chats")
    .set((e) => ({ message_count: e("message_count", "+", 1), last_message_at }))
    .where("id", "=", id)
    .execute();
};

/** Sets the folders of the session, in this order. */
export async function replaceFolders(
  tx: ChatsDb,
  chat_id: string,
  folder_ids: readonly string[],
): Promise<void> {
  await tx.deleteFrom("chats_folders").where("chat_id", "=", chat_id).execute();
  if (folder_ids.length > 0)
    await tx
      .insertInto("chats_folders")
      .values(folder_ids.map((folder_id, position) => ({ chat_id, folder_id, position })))
      .execute();
}

/** Sets the prompts of the session, in this order. */
export async function replacePrompts(
  tx: ChatsDb,
  chat_id: string,
  prompt_ids: readonly string[],
): Promise<void> {
  await tx.deleteFrom("chats_prompts").where("chat_id", "=", chat_id).execute();
  if (prompt_ids.length > 0)
    await tx
      .insertInto("chats_prompts")
      .values(prompt_ids.map((prompt_id, position) => ({ chat_id, prompt_id, position })))
      .execute();
}

const uses_at_once = 500;

/** Removes folders from some sessions; false when there were none. */
export const removeFolderUses = async (
  tx: ChatsDb,
  folder_ids: readonly string[],
): Promise<boolean> =>
  (
    await tx
      .deleteFrom("chats_folders")
      .where("folder_id", "in", folder_ids)
      .where("chat_id", "in", (e) =>
        e
          .selectFrom("chats_folders")
          .select("chat_id")
          .where("folder_id", "in", folder_ids)
          .limit(uses_at_once),
      )
      .returning("chat_id")
      .execute()
  ).length > 0;

/** Removes a deleted prompt from every session. */
export const removePromptUses = async (tx: ChatsDb, prompt_id: string): Promise<void> => {
  await tx.deleteFrom("chats_prompts").where("prompt_id", "=", prompt_id).execute();
};
