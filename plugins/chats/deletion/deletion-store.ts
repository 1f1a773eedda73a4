/**
 * Every SQL statement about deleted sessions, including those that are gone for good and wait to be
 * purged. The database is the first parameter, so that the caller decides the transaction.
 */
import { sql, toNumber } from "../../../core/sdk";
import type { ChatRow, ChatsDb } from "../store";

/** In the wording of the partial indexes. */
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

/** It counts towards the quota of its owner. */
export const setCounted = async (tx: ChatsDb, id: string): Promise<void> => {
  await tx.updateTable("chats").set({ counted: 1 }).where("id", "=", id).execute();
};

/** From now on it is invisible, and waits to be purged. */
export const setGone = async (tx: ChatsDb, id: string, gone_at: number): Promise<void> => {
  await tx
    .updateTable("chats")
    .set((e) => ({ gone_at, deleted_at: e.fn.coalesce("deleted_at", e.val(gone_at)) }))
    .where("id", "=", id)
    .execute();
};

/** Some sessions deleted at or before this time, longest ago first. */
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
export async function chatsOf(db: ChatsDb, owner_id: string, limit: number): Promise<ChatRow[]> {
  const chats = db
    .selectFrom("chats")
    .selectAll()
    .where("owner_id", "=", owner_id)
    .where("gone_at", "is", null)
    .limit(limit);
  // Each has an index of its own.
  const live = await chats.where("deleted_at", "is", null).execute();
  return live.length > 0 ? live : chats.where(is_restorable).execute();
}

/** When the first restorable session was deleted; undefined when there is none. */
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

/** Sessions that were deleted while the clock was ahead count as deleted now. */
export const correctDeletions = async (tx: ChatsDb, now: number): Promise<void> => {
  await tx
    .updateTable("chats")
    .set({ deleted_at: now })
    .where(is_restorable)
    .where("deleted_at", ">", now)
    .execute();
};

/** A session that is deleted for good. */
export type GoneChat = Pick<ChatRow, "id" | "owner_id">;
/** Sessions that have waited to be purged since before this time. */
export const goneChats = (db: ChatsDb, before_ms: number): Promise<GoneChat[]> =>
  db
    .selectFrom("chats")
    .select(["id", "owner_id"])
    .where("gone_at", "is not", null)
    .where("gone_at", "<", before_ms)
    .execute();

const messagesOf = (db: ChatsDb, chat_id: string, limit: number) =>
  db.selectFrom("chats_messages").select("id").where("chat_id", "=", chat_id).limit(limit);

/** Some unfinished messages of a session. */
export const unfinishedMessages = async (
  db: ChatsDb,
  chat_id: string,
  limit: number,
): Promise<string[]> =>
  (await messagesOf(db, chat_id, limit).where(is_unfinished).execute()).map(({ id }) => id);

/** The ids of some messages of a session. */
export const messageIds = async (db: ChatsDb, chat_id: string, limit: number): Promise<string[]> =>
  (await messagesOf(db, chat_id, limit).execute()).map(({ id }) => id);

/** Including their citations. */
export const deleteMessages = async (tx: ChatsDb, ids: readonly string[]): Promise<void> => {
  await tx.deleteFrom("chats_messages").where("id", "in", ids).execute();
};

/** Deletes a session without messages, and what it uses. */
export const deleteChat = async (tx: ChatsDb, id: string): Promise<void> => {
  await tx.deleteFrom("chats").where("id", "=", id).where("gone_at", "is not", null).execute();
};
