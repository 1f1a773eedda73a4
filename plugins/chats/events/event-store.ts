/**
 * Every SQL statement about the events of an answer, which its streams send in order. The database
 * is the first parameter, so that the caller decides the transaction.
 */
import { batchesOf } from "../../../core/lib/batch";
import { sql, type PreparedReads } from "../../../core/sdk";
import type { ChatsDb, EventRow, MessageRow, MessageStatus, NewEvent } from "../store";

/** Rows per statement. */
const rows_at_once = 1_000;

/** Appends events to those of the message, numbered without gaps. */
export async function appendEvents(
  tx: ChatsDb,
  message_id: string,
  events: readonly NewEvent[],
  created_at: number,
): Promise<void> {
  if (events.length === 0) return;
  const { last_event } = await tx
    .updateTable("chats_messages")
    .set((e) => ({ last_event: e("last_event", "+", events.length) }))
    .where("id", "=", message_id)
    .returning("last_event")
    .executeTakeFirstOrThrow();
  const first = Number(last_event) - events.length + 1;
  const rows = events.map(({ kind, data }, at): EventRow => ({
    message_id,
    seq: first + at,
    kind,
    data,
    created_at,
  }));
  for (const batch of batchesOf(rows, rows_at_once))
    await tx.insertInto("chats_events").values(batch).execute();
}

/** Whether this attempt at an answer is still the current one. */
export const isCurrent = async (
  tx: ChatsDb,
  { id, attempt }: Pick<MessageRow, "id" | "attempt">,
): Promise<boolean> =>
  (await tx
    .selectFrom("chats_messages")
    .select("id")
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("status", "=", "PROCESSING")
    .executeTakeFirst()) !== undefined;

/** The text that watchers have received, or will receive from what is stored. */
export const shownText = async (tx: ChatsDb, message_id: string): Promise<string> =>
  (
    await tx
      .selectFrom("chats_events")
      .select("data")
      .where("message_id", "=", message_id)
      .where("kind", "=", "delta")
      .orderBy("seq")
      .execute()
  )
    .map(({ data }) => data)
    .join("");

/** Deletes the text of an answer that begins anew. */
export const deleteDeltas = async (tx: ChatsDb, message_id: string): Promise<void> => {
  await tx
    .deleteFrom("chats_events")
    .where("message_id", "=", message_id)
    .where("kind", "=", "delta")
    .execute();
};

/** From now on, nothing that the current attempt writes is accepted. */
export const voidAttempt = async (tx: ChatsDb, message_id: string): Promise<void> => {
  await tx
    .updateTable("chats_messages")
    .set((e) => ({ attempt: e("attempt", "+", 1) }))
    .where("id", "=", message_id)
    .execute();
};

/** The kinds that end a stream, in the wording of the partial index. */
const is_final = sql<boolean>`kind in ('done', 'error')`;

/** Up to `limit` messages whose answers ended before this time and that still have events. */
export const messagesWithOldEvents = async (
  db: ChatsDb,
  ended_before: number,
  limit: number,
): Promise<string[]> =>
  (
    await db
      .selectFrom("chats_events")
      .select("message_id")
      .where(is_final)
      .where("created_at", "<", ended_before)
      .limit(limit)
      .execute()
  ).map(({ message_id }) => message_id);

/**
 * Deletes all events of the first of these messages, and of further ones until about this many rows
 * are deleted: a message has all of its events or none. Returns the messages without events now.
 */
export async function deleteEvents(
  tx: ChatsDb,
  message_ids: readonly string[],
  rows_max: number,
): Promise<string[]> {
  const cleared_ids: string[] = [];
  let rows = 0;
  for (const message_id of message_ids) {
    if (rows >= rows_max) break;
    const deleted = await tx
      .deleteFrom("chats_events")
      .where("message_id", "=", message_id)
      .executeTakeFirst();
    rows += Number(deleted.numDeletedRows);
    cleared_ids.push(message_id);
  }
  return cleared_ids;
}

/** The part of an event that a stream sends. */
export type NumberedEvent = Pick<EventRow, "seq" | "kind" | "data">;

/** How many events a stream reads at a time. */
export const events_at_once = 32;
const events_sql =
  "select seq, kind, data from chats_events where message_id = ? and seq > ? " +
  `order by seq limit ${events_at_once}`;
/** The next few events of a message. */
export const readEvents = (
  reads: PreparedReads,
  message_id: string,
  after: number,
): Promise<NumberedEvent[]> => reads.all<NumberedEvent>(events_sql, message_id, after);

const state_sql =
  "select m.status, c.deleted_at from chats_messages m join chats c on c.id = m.chat_id " +
  "where m.id = ?";
/** The state of a message, and whether its session is deleted. */
export const readState = (
  reads: PreparedReads,
  message_id: string,
): Promise<{ readonly status: MessageStatus; readonly deleted_at: number | null } | undefined> =>
  reads.get(state_sql, message_id);
