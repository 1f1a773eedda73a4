/** Feedback on answers: given, withdrawn, and listed for its authors and administrators. */
import { conflict, optionalText, trimmed, type Listed, type PageRequest } from "../../../core/sdk";
import { notifyMessage, type ChatContext } from "../context";
import * as store from "./feedback-store";
import type { FeedbackFilter, AnswerFeedback } from "./feedback-store";
import { requireMessage } from "../service";
import type { FeedbackRow } from "../store";

/** The longest note, in characters. */
export const note_length_max = 4_000;

/** A rating with an optional note; null or missing: no note. */
export interface FeedbackInput {
  readonly rating: FeedbackRow["rating"];
  readonly note?: string | null | undefined;
}

/**
 * Replaces the owner's earlier feedback on this answer. @throws HttpError 400 on a note that is too
 * long; 404, 403, 410; 409 when there is no answer.
 */
export async function giveFeedback(
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  request_id: string,
  { rating, note: raw_note }: FeedbackInput,
): Promise<FeedbackRow> {
  const note = noteOf(raw_note);
  return ctx.inTransaction(async (tx) => {
    const message = await requireMessage(ctx, tx, owner_id, chat_id, request_id);
    if (message.status !== "COMPLETED")
      throw conflict(`This message has no answer to rate: its status is ${message.status}.`);
    const now = ctx.now_ms();
    await store.saveFeedback(tx, {
      message_id: message.id,
      owner_id,
      rating,
      note,
      created_at: now,
      updated_at: now,
    });
    notifyMessage(ctx, owner_id, message);
    return (await store.findFeedback(tx, [message.id])).get(message.id)!;
  });
}

/** A blank note counts as none. */
const noteOf = (note: string | null | undefined): string | null =>
  trimmed(note ?? "") === "" ? null : optionalText(trimmed(note!), "/note", note_length_max);

/** Does nothing when there is none. @throws HttpError 404, 403, 410. */
export const withdrawFeedback = (
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
  request_id: string,
): Promise<void> =>
  ctx.inTransaction(async (tx) => {
    const message = await requireMessage(ctx, tx, owner_id, chat_id, request_id);
    await store.deleteFeedback(tx, message.id);
    notifyMessage(ctx, owner_id, message);
  });

/** One page, newest first. */
export const listFeedback = (
  { db }: Pick<ChatContext, "db">,
  filter: FeedbackFilter,
  page: PageRequest,
): Promise<Listed<AnswerFeedback>> => store.listFeedback(db, filter, page);
