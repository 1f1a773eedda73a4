/**
 * Every SQL statement about sessions that are deleted, and those that are gone for good and wait to
 * be purged. The database comes first, so that the caller decides the transaction.
 */
import { sql, toNumber } from "../../core/sdk";
import type { ChatRow, ChatsDb } from "./store";

/** Spelled as the partial indexes have them. */
const is_restorable = sql<boolean>`deleted_at is not null and gone_at is null`;
const is_unfinished = sql<boolean>`status in ('PENDING', 'PROCESSING')`;

/** Deletes (a time) or restores (null). */
export const setDeleted = async (
  tx: ChatsDb,
  id: string,
  deleted_at: number | null,
): Promise<void> => {
  await tx.updateTable("chats").set({ deleted_at }).where("id", "=", id).execute();
};

/** It counts against the quota of its owner. */
export const setCounted = async (tx: ChatsDb, id: string): Promise<void> => {
  await tx.updateTable("chats").set({ counted: 1 }).where("id", "=", id).execute();
};

/** From now on nobody finds it: it waits to be purged. */
export const setGone = async (tx: ChatsDb, id: string, gone_at: number): Promise<void> => {
  await tx
    .updateTable("chats")
    .set((e) => ({ gone_at, deleted_at: e.fn.coalesce("deleted_at", e.val(gone_at)) }))
    .where("id", "=", id)
    .execute();
};

/** Some sessions that were deleted at or before this time, the longest deleted first. */
export const expiredChats = (
  db: ChatsDb,
  deleted_until: number,
  limit: number,
): Promise<ChatRow[]> =>
  db
    .selectFrom("chats")
    .selectAll()
    .where(is_restorable)
    .where("deleted_at", "<=", deleted_until)
    .orderBy("deleted_at")
    .limit(limit)
    .execute();

/** Some sessions of the owner that are not gone for good, deleted or not. */
export const chatsOf = (db: ChatsDb, owner_id: string, limit: number): Promise<ChatRow[]> =>
  db
    .selectFrom("chats")
    .selectAll()
    .where("owner_id", "=", owner_id)
    .where("gone_at", "is", null)
    .limit(limit)
    .execute();

/** When the first of those that can be restored was deleted; undefined when there is none. */
export async function firstDeletion(db: ChatsDb): Promise<number | undefined> {
  const row = await db
    .selectFrom("chats")
    .select("deleted_at")
    .where(is_restorable)
    .orderBy("deleted_at")
    .limit(1)
    .executeTakeFirst();
  return row && toNumber(row.deleted_at);
}

/** What was deleted while the clock was ahead is deleted now. */
export const correctDeletions = async (tx: ChatsDb, now: number): Promise<void> => {
  await tx
    .updateTable("chats")
    .set({ deleted_at: now })
    .where(is_restorable)
    .where("deleted_at", ">", now)
    .execute();
};

export type GoneChat = Pick<ChatRow, "id" | "owner_id">;
/** Those that wait to be purged since before this time. */
export const goneChats = (db: ChatsDb, before_ms: number): Promise<GoneChat[]> =>
  db
    .selectFrom("chats")
    .select(["id", "owner_id"])
    .where("gone_at", "is not", null)
    .where("gone_at", "<", before_ms)
    .execute();

const messagesOf = (db: ChatsDb, chat_id: string, limit: number) =>
  db.selectFrom("chats_messages").select("id").where("chat_id", "=", chat_id).limit(limit);

/** Some messages of a session that are unfinished. */
export const unfinishedMessages = async (
  db: ChatsDb,
  chat_id: string,
  limit: number,
): Promise<string[]> =>
  (await messagesOf(db, chat_id, limit).where(is_unfinished).execute()).map(({ id }) => id);

/** Some messages of a session. */
export const someMessages = async (
  db: ChatsDb,
  chat_id: string,
  limit: number,
): Promise<string[]> => (await messagesOf(db, chat_id, limit).execute()).map(({ id }) => id);

/** With their citations. */
export const deleteMessages = async (tx: ChatsDb, ids: readonly string[]): Promise<void> => {
  await tx.deleteFrom("chats_messages").where("id", "in", ids).execute();
};

/** A session whose messages are deleted, with what it uses. */
export const deleteChat = async (tx: ChatsDb, id: string): Promise<void> => {
  await tx.deleteFrom("chats").where("id", "=", id).where("gone_at", "is not", null).execute();
};
