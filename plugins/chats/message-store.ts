/**
 * Every SQL statement about messages, and about what an answer cites. The database is the first
 * parameter, so that the caller decides the transaction.
 */
import { listInParts, pageWindow, sql, type ListedInParts, type PageRequest } from "../../core/sdk";
import type { ChatRow, ChatsDb, MessageRow, MessageStatus } from "./store";

const unfinished: readonly MessageStatus[] = ["PENDING", "PROCESSING"];

/** Whether the message has ended, with an answer or without. */
export const isFinal = ({ status }: Pick<MessageRow, "status">): boolean =>
  !unfinished.includes(status);

/** False when the session already has a message for this request. */
export const insertMessage = async (tx: ChatsDb, row: MessageRow): Promise<boolean> =>
  (await tx
    .insertInto("chats_messages")
    .values(row)
    .onConflict((c) => c.columns(["chat_id", "request_key"]).doNothing())
    .returning("id")
    .executeTakeFirst()) !== undefined;

/** The message of a session with this key, which is made of its `requestId`. */
export const findMessage = (
  db: ChatsDb,
  chat_id: string,
  request_key: string,
): Promise<MessageRow | undefined> =>
  db
    .selectFrom("chats_messages")
    .selectAll()
    .where("chat_id", "=", chat_id)
    .where("request_key", "=", request_key)
    .executeTakeFirst();

/** The progress of a message, without its text and its answer, which can be long. */
export type Progress = Pick<MessageRow, "id" | "chat_id" | "status" | "last_event">;

/** The same without its texts. */
export const findProgress = (
  db: ChatsDb,
  chat_id: string,
  request_key: string,
): Promise<Progress | undefined> =>
  db
    .selectFrom("chats_messages")
    .select(["id", "chat_id", "status", "last_event"])
    .where("chat_id", "=", chat_id)
    .where("request_key", "=", request_key)
    .executeTakeFirst();

export const findById = (db: ChatsDb, id: string): Promise<MessageRow | undefined> =>
  db.selectFrom("chats_messages").selectAll().where("id", "=", id).executeTakeFirst();

/** The owner of an unfinished message; undefined when it is finished, or its session is gone. */
export const findOwner = async (db: ChatsDb, message_id: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom("chats_messages")
      .innerJoin("chats", "chats.id", "chats_messages.chat_id")
      .select("chats.owner_id")
      .where("chats_messages.id", "=", message_id)
      .where("chats_messages.status", "in", unfinished)
      .where("chats.gone_at", "is", null)
      .executeTakeFirst()
  )?.owner_id;

/** One page of a session's messages, newest first, and their total number. */
export const listMessages = (
  db: ChatsDb,
  { id, message_count }: Pick<ChatRow, "id" | "message_count">,
  page: PageRequest,
): Promise<ListedInParts<MessageRow>> =>
  listInParts(db.selectFrom("chats_messages").where("chat_id", "=", id).selectAll(), {
    ...pageWindow(page),
    total: message_count,
  });

/** The beginning of the first message of each of these sessions of the owner that has one. */
export async function findFirstQuestions(
  db: ChatsDb,
  owner_id: string,
  chat_ids: readonly string[],
  length_max: number,
): Promise<{ chat_id: string; text: string }[]> {
  const rows = await db
    .selectFrom("chats")
    .select((chat) => [
      "chats.id as chat_id",
      chat
        .selectFrom("chats_messages")
        .select(sql<string>`substr(${sql.ref("text")}, 1, ${length_max})`.as("text"))
        .whereRef("chats_messages.chat_id", "=", "chats.id")
        .orderBy("created_at")
        .orderBy("id")
        .limit(1)
        .as("text"),
    ])
    .where("chats.id", "in", chat_ids)
    .where("owner_id", "=", owner_id)
    .where("gone_at", "is", null)
    .execute();
  return rows.flatMap(({ chat_id, text }) => (text === null ? [] : [{ chat_id, text }]));
}

/**
 * Marks an unfinished message as being answered, again if necessary; undefined when it is finished.
 * The time of the first start is kept.
 */
export const startMessage = (
  tx: ChatsDb,
  id: string,
  now: number,
): Promise<MessageRow | undefined> =>
  tx
    .updateTable("chats_messages")
    .set((e) => ({
      status: "PROCESSING",
      started_at: e.fn.coalesce("started_at", e.val(now)),
      attempt: e("attempt", "+", 1),
    }))
    .where("id", "=", id)
    .where("status", "in", unfinished)
    .returningAll()
    .executeTakeFirst();

/** The columns that the end of a message sets. */
export type Ending = Pick<MessageRow, "completed_at"> & {
  readonly status: MessageStatus;
} & Partial<Pick<MessageRow, "result" | "error_code" | "error_message">>;

/** Ends an unfinished message. False, without a change, when it is finished already. */
export const endMessage = async (tx: ChatsDb, id: string, ending: Ending): Promise<boolean> =>
  (await tx
    .updateTable("chats_messages")
    .set(ending)
    .where("id", "=", id)
    .where("status", "in", unfinished)
    .returning("id")
    .executeTakeFirst()) !== undefined;

/** The last answered messages before this one, oldest first. */
export async function turnsBefore(
  db: ChatsDb,
  { id, chat_id, created_at }: MessageRow,
  limit: number,
): Promise<{ text: string; result: string | null }[]> {
  const newest_first = await db
    .selectFrom("chats_messages")
    .select(["text", "result"])
    .where("chat_id", "=", chat_id)
    .where("created_at", "<=", created_at)
    .where("id", "<", id)
    .where("status", "=", "COMPLETED")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return newest_first.reverse();
}

/** Records that the answer quotes these documents, so that their deletion finds it. */
export async function insertCitations(
  tx: ChatsDb,
  message_id: string,
  document_ids: readonly string[],
): Promise<void> {
  if (document_ids.length === 0) return;
  await tx
    .insertInto("chats_citations")
    .values(document_ids.map((document_id) => ({ message_id, document_id })))
    .onConflict((c) => c.columns(["message_id", "document_id"]).doNothing())
    .execute();
}

export const deleteCitations = async (tx: ChatsDb, message_id: string): Promise<void> => {
  await tx.deleteFrom("chats_citations").where("message_id", "=", message_id).execute();
};
