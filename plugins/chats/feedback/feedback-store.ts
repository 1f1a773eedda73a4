/**
 * Every SQL statement about feedback on answers. The database is the first parameter, so that the
 * caller decides the transaction.
 */
import { listInStretches, pageWindow, type Listed, type PageRequest } from "../../../core/sdk";
import type { ChatsDb, FeedbackRow } from "../store";

/** Replaces earlier feedback; the time of the first one stays. */
export const saveFeedback = async (tx: ChatsDb, row: FeedbackRow): Promise<void> => {
  const { rating, note, updated_at } = row;
  await tx
    .insertInto("chats_feedback")
    .values(row)
    .onConflict((c) => c.column("message_id").doUpdateSet({ rating, note, updated_at }))
    .execute();
};

export const deleteFeedback = async (tx: ChatsDb, message_id: string): Promise<void> => {
  await tx.deleteFrom("chats_feedback").where("message_id", "=", message_id).execute();
};

/** By the ids of their messages; those without feedback are missing. */
export async function findFeedback(
  db: ChatsDb,
  message_ids: readonly string[],
): Promise<ReadonlyMap<string, FeedbackRow>> {
  if (message_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("chats_feedback")
    .selectAll()
    .where("message_id", "in", message_ids)
    .execute();
  return new Map(rows.map((row) => [row.message_id, row]));
}

/** Feedback on an answer, with the question and the answer. */
export interface AnswerFeedback extends FeedbackRow {
  readonly chat_id: string;
  readonly chat_name: string | null;
  readonly request_id: string;
  readonly text: string;
  readonly result: string | null;
}
/** Whose feedback, and which. */
export interface FeedbackFilter {
  /** Null for everybody's. */
  readonly owner_id: string | null;
  readonly rating?: FeedbackRow["rating"] | undefined;
}

/** One page, newest first, of sessions that are not deleted. */
export async function listFeedback(
  db: ChatsDb,
  { owner_id, rating }: FeedbackFilter,
  page: PageRequest,
): Promise<Listed<AnswerFeedback>> {
  let feedback = db.selectFrom("chats_feedback as f");
  if (owner_id !== null) feedback = feedback.where("f.owner_id", "=", owner_id);
  let visible = feedback
    .innerJoin("chats_messages as m", "m.id", "f.message_id")
    .innerJoin("chats as c", "c.id", "m.chat_id")
    .where("c.deleted_at", "is", null);
  if (rating !== undefined) visible = visible.where("f.rating", "=", rating);
  return listInStretches(
    visible.select([
      "f.message_id",
      "f.owner_id",
      "f.rating",
      "f.note",
      "f.created_at",
      "f.updated_at",
      "m.chat_id",
      "c.name as chat_name",
      "m.request_id",
      "m.text",
      "m.result",
    ]),
    feedback,
    {
      ...pageWindow(page),
      order: { columns: ["f.created_at", "f.message_id"], direction: "desc" },
    },
  );
}
