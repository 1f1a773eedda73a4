/** Every SQL statement about sessions exported to another server, or coming from one. */
import { sql, toNumber } from "../../../core/sdk";
import type { MessagePlace } from "../contract";
import type { ChatRow, ChatsDb, MessageRow } from "../store";

const is_ended = sql<boolean>`status not in ('PENDING', 'PROCESSING')`;

/** The live sessions that ask one of these folders. */
export const chatsAsking = (
  db: ChatsDb,
  owner_id: string,
  folder_ids: readonly string[],
): Promise<ChatRow[]> =>
  db
    .selectFrom("chats")
    .selectAll()
    .where("owner_id", "=", owner_id)
    .where("deleted_at", "is", null)
    .where("id", "in", (e) =>
      e.selectFrom("chats_folders").select("chat_id").where("folder_id", "in", folder_ids),
    )
    .execute();

/** The finished messages of a session, oldest first. */
export const endedMessages = (
  db: ChatsDb,
  chat_id: string,
  after: MessagePlace | null,
  limit: number,
): Promise<MessageRow[]> =>
  db
    .selectFrom("chats_messages")
    .selectAll()
    .where("chat_id", "=", chat_id)
    .where(is_ended)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after!.created_at}, ${after!.id})`),
    )
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();

/** How many messages of the session have no final status yet. */
export const countUnfinished = async (db: ChatsDb, chat_id: string): Promise<number> =>
  toNumber(
    (
      await db
        .selectFrom("chats_messages")
        .select((e) => e.fn.countAll().as("n"))
        .where("chat_id", "=", chat_id)
        .where(sql<boolean>`not ${is_ended}`)
        .executeTakeFirstOrThrow()
    ).n,
  );

/** Reveals staged sessions; returns the ids of those that were staged. */
export const revealChats = async (db: ChatsDb, ids: readonly string[]): Promise<string[]> =>
  (
    await db
      .updateTable("chats")
      .set({ gone_at: null, deleted_at: null, counted: 1 })
      .where("id", "in", ids)
      .where("gone_at", "is not", null)
      .returning("id")
      .execute()
  ).map(({ id }) => id);
