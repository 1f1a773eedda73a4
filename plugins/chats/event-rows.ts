/**
 * Every SQL statement about the events of an answer: what those who watch it are told, in order.
 * The database comes first, so that the caller decides the transaction.
 */
import { sql } from "../../core/sdk";
import type { ChatsDb, MessageRow } from "./store";

export type EventKind = "status" | "delta" | "citation" | "done" | "error";
export interface NewEvent {
  readonly kind: EventKind;
  /**
   * status: the status; delta: the text; citation: its number; done and error: nothing, the message
   * itself has it.
   */
  readonly data: string;
}
/** An event as it is stored. Times are epoch milliseconds. */
export interface EventRow extends NewEvent {
  readonly message_id: string;
  /** From 1, growing within its message; a number is never given twice. */
  readonly seq: number;
  readonly created_at: number;
}

/** One statement names at most so many rows. */
const rows_at_once = 1_000;

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
  for (let from = 0; from < rows.length; from += rows_at_once)
    await tx
      .insertInto("chats_events")
      .values(rows.slice(from, from + rows_at_once))
      .execute();
}

/** Whether this attempt at an answer is still the one that counts. */
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

/** The text that watchers have, or will have once they have read what is stored. */
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

export const deleteDeltas = async (tx: ChatsDb, message_id: string): Promise<void> => {
  await tx
    .deleteFrom("chats_events")
    .where("message_id", "=", message_id)
    .where("kind", "=", "delta")
    .execute();
};

/** What the attempt under way writes from now on is not taken any more. */
export const voidAttempt = async (tx: ChatsDb, message_id: string): Promise<void> => {
  await tx
    .updateTable("chats_messages")
    .set((e) => ({ attempt: e("attempt", "+", 1) }))
    .where("id", "=", message_id)
    .execute();
};

/** The kinds that end a stream, spelled as the partial index has them. */
const is_last = sql<boolean>`kind in ('done', 'error')`;

/**
 * Deletes the events of up to `limit` messages that ended before this time; answers how many
 * messages that were.
 */
export async function pruneEvents(
  tx: ChatsDb,
  ended_before: number,
  limit: number,
): Promise<number> {
  const ended = await tx
    .selectFrom("chats_events")
    .select("message_id")
    .where(is_last)
    .where("created_at", "<", ended_before)
    .limit(limit)
    .execute();
  if (ended.length > 0)
    await tx
      .deleteFrom("chats_events")
      .where(
        "message_id",
        "in",
        ended.map(({ message_id }) => message_id),
      )
      .execute();
  return ended.length;
}
