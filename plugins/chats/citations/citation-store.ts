/**
 * Every SQL statement about answers that cite deleted documents. The database is the first
 * parameter, so that the caller decides the transaction.
 */
import { sql } from "../../../core/sdk";
import type { ChatsDb } from "../store";

/** Up to `limit` answers that cite one of these documents, or are being streamed from one. */
export const citingMessages = async (
  tx: ChatsDb,
  document_ids: readonly string[],
  limit: number,
): Promise<{ id: string; result: string | null }[]> =>
  document_ids.length === 0
    ? []
    : tx
        .selectFrom("chats_messages")
        .select(["id", "result"])
        .where("id", "in", (e) =>
          e
            .selectFrom("chats_citations")
            .select("message_id")
            .where("document_id", "in", document_ids),
        )
        .limit(limit)
        .execute();

/** The documents from which unfinished answers have been streamed. */
export const shownDocuments = (
  tx: ChatsDb,
): Promise<{ readonly message_id: string; readonly document_id: string }[]> =>
  tx
    .selectFrom("chats_messages as m")
    .innerJoin("chats_citations as c", "c.message_id", "m.id")
    .select(["c.message_id", "c.document_id"])
    // In the wording of the partial index.
    .where(sql<boolean>`m.status in ('PENDING', 'PROCESSING')`)
    .execute();

/** Rewrites the result of an answer that no longer cites these documents. */
export async function dropCitations(
  tx: ChatsDb,
  message_id: string,
  document_ids: readonly string[],
  result: string | null,
): Promise<void> {
  await tx.updateTable("chats_messages").set({ result }).where("id", "=", message_id).execute();
  await tx
    .deleteFrom("chats_citations")
    .where("message_id", "=", message_id)
    .where("document_id", "in", document_ids)
    .execute();
}
