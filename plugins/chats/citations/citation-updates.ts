/**
 * Updates the citations and related passages of saved answers: marks them as stale on reading when
 * their text has changed, redacts them when their document is deleted for good.
 */
import { basePathOf, type Db } from "../../../core/sdk";
import type { RelatedPassage } from "../../search/contract";
import type { DocumentName, Documents } from "../../documents/contract";
import { citingMessages, dropCitations, shownDocuments } from "./citation-store";
import type { ChatContext } from "../context";
import { completed, evidenceOf, type AnswerResult, type StoredAnswer } from "../contract";
import { voidAttempt } from "../events/event-store";
import { restartAnswer } from "../events/answer-events";
import type { ChatsTables, MessageRow } from "../store";
import { publishGrowth } from "../events/waiter";

/** The same result with other citations and related passages. */
const mapEvidence = <R extends Pick<AnswerResult, "citations" | "related">>(
  result: R,
  change: <P extends RelatedPassage>(passage: P) => P,
): R => ({
  ...result,
  citations: result.citations.map((citation) => change(citation)),
  related: result.related.map((passage) => change(passage)),
});

/** The same result without the text of these documents; the citations stay. */
export const redacted = <R extends Pick<AnswerResult, "citations" | "related">>(
  result: R,
  document_ids: ReadonlySet<string>,
): R =>
  mapEvidence(result, (passage) =>
    document_ids.has(passage.document_id) ? { ...passage, quote: "", stale: true } : passage,
  );

/** A message with its answer in its current form. */
export type Message = Omit<MessageRow, "result"> & { readonly result: AnswerResult | null };

/**
 * Decodes the results and checks their citations: one is stale when its document has another
 * version now that doesn't contain its quote. Citations of a missing document never show its text,
 * even if the stored answer still has it.
 */
export async function withFreshCitations(
  { db, documents, public_url }: Pick<ChatContext, "db" | "documents" | "public_url">,
  rows: readonly MessageRow[],
): Promise<Message[]> {
  const base_path = basePathOf(public_url());
  const messages = rows.map((row): Message => {
    const result = resultOf(row);
    return { ...row, result: result && withBasePath(result, base_path) };
  });
  const cited = messages
    .flatMap(({ result }) => (result ? evidenceOf(result) : []))
    .filter((passage) => passage.quote !== "" || !passage.stale);
  if (cited.length === 0) return messages;
  const document_ids = [...new Set(cited.map((passage) => passage.document_id))];
  const names = await documents.findNames(db, document_ids);
  const deleted_ids = new Set(document_ids.filter((id) => !names.has(id)));
  const stale = await staleAmong(db, documents, cited, names);
  if (stale.size === 0 && deleted_ids.size === 0) return messages;
  return messages.map((message) => ({
    ...message,
    result:
      message.result &&
      redacted(
        mapEvidence(message.result, (passage) =>
          stale.has(passage) ? { ...passage, stale: true } : passage,
        ),
        deleted_ids,
      ),
  }));
}

async function staleAmong(
  db: Db,
  documents: Documents,
  cited: readonly RelatedPassage[],
  names: ReadonlyMap<string, DocumentName>,
): Promise<ReadonlySet<RelatedPassage>> {
  const of_older_versions = cited.filter((passage) => {
    const document = names.get(passage.document_id);
    return !passage.stale && document && document.current_version !== passage.document_version;
  });
  const stale = new Set<RelatedPassage>();
  for (const [document_id, passages] of Map.groupBy(
    of_older_versions,
    (passage) => passage.document_id,
  )) {
    const quote_places = await documents.findQuotes(
      db,
      document_id,
      passages.map((passage) => passage.quote),
    );
    for (const passage of passages) if (!quote_places.has(passage.quote)) stale.add(passage);
  }
  return stale;
}

/** With the current URLs of the server; they are stored without its base path. */
export const withBasePath = (result: AnswerResult, base_path: string): AnswerResult =>
  mapEvidence(result, (passage) => ({ ...passage, url: base_path + passage.url }));

/** The stored answer of a message; null before it is finished. */
export const resultOf = ({ result }: Pick<MessageRow, "result">): AnswerResult | null =>
  result === null ? null : completed(JSON.parse(result) as StoredAnswer);

/** Messages redacted per transaction. */
const batch_size = 50;

/**
 * Removes the text of documents that are deleted for good from the answers that cite them, a batch
 * at a time; false when there are more. An unfinished answer that was shown from them starts over:
 * its text is deleted, and nothing more of that attempt is shown.
 */
export async function redactDocuments(
  ctx: Pick<ChatContext, "notifier" | "now_ms">,
  tx: Db<ChatsTables>,
  document_ids: readonly string[],
): Promise<boolean> {
  const deleted_ids = new Set(document_ids);
  const messages = await citingMessages(tx, document_ids, batch_size);
  for (const message of messages) {
    const result = resultOf(message);
    if (result)
      await dropCitations(
        tx,
        message.id,
        document_ids,
        JSON.stringify(redacted(result, deleted_ids)),
      );
    else await startOver(ctx, tx, message.id);
  }
  return messages.length < batch_size;
}

/**
 * Inside the transaction that deletes folders: unfinished answers that were shown from documents
 * that are gone now start over.
 */
export async function restartShown(
  ctx: Pick<ChatContext, "documents" | "notifier" | "now_ms">,
  tx: Db<ChatsTables>,
): Promise<void> {
  const shown = await shownDocuments(tx);
  const names = await ctx.documents.findNames(tx, [
    ...new Set(shown.map(({ document_id }) => document_id)),
  ]);
  const void_ids = new Set(
    shown.flatMap(({ message_id, document_id }) => (names.has(document_id) ? [] : [message_id])),
  );
  for (const message_id of void_ids) await startOver(ctx, tx, message_id);
}

async function startOver(
  ctx: Pick<ChatContext, "notifier" | "now_ms">,
  tx: Db<ChatsTables>,
  message_id: string,
): Promise<void> {
  await voidAttempt(tx, message_id);
  await restartAnswer(tx, message_id, ctx.now_ms());
  publishGrowth(ctx, message_id);
}
