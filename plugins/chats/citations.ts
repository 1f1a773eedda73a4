/**
 * What becomes of an answer's citations: numbered when it is saved, marked as stale when it is read
 * and their text has changed, redacted when their document is deleted for good.
 */
import { basePathOf, type Db } from "../../core/sdk";
import type { Citation } from "../search/contract";
import type { DocumentName, Documents } from "../documents/contract";
import { citingMessages, dropCitations, shownDocuments } from "./citation-store";
import type { ChatContext } from "./context";
import type { AnswerResult } from "./contract";
import { voidAttempt } from "./event-store";
import { restartAnswer } from "./events";
import type { ChatsTables, MessageRow } from "./store";
import { publishGrowth } from "./waiter";

export interface Cited {
  readonly answer: string;
  readonly citations: readonly Citation[];
}

const marker = /\[(\d+)\]/g;
/** Adjacent markers, and the spaces before them. */
const marker_group = /([ \t]*)((?:\[\d+\][ \t]*)*\[\d+\])/g;

/**
 * Drops the citations that `holds` refuses and every marker that names none, then numbers the rest
 * from 1 by first use; citations without a marker follow in their order. What is kept is marked as
 * verified.
 */
export function renumbered(
  { answer, citations }: Cited,
  holds: (citation: Citation) => boolean,
): { answer: string; citations: Citation[] } {
  const kept = new Map<number, Citation>();
  for (const citation of citations)
    if (!kept.has(citation.id) && holds(citation)) kept.set(citation.id, citation);
  const numbers = new Map<number, number>();
  const used = [...answer.matchAll(marker)].map((match) => Number(match[1]));
  for (const id of [...used, ...kept.keys()])
    if (kept.has(id) && !numbers.has(id)) numbers.set(id, numbers.size + 1);
  return {
    answer: answer
      .replace(marker_group, (_whole, spaces: string, group: string) => {
        const ids = [...group.matchAll(marker)].flatMap(
          (match) => numbers.get(Number(match[1])) ?? [],
        );
        return ids.length === 0 ? "" : spaces + ids.map((id) => `[${id}]`).join("");
      })
      .trim(),
    citations: [...numbers].map(([id, number]) => ({
      ...kept.get(id)!,
      id: number,
      verified: true,
      stale: false,
    })),
  };
}

/** The same result without the text of these documents; their citations stay. */
export const redacted = <R extends { readonly citations: readonly Citation[] }>(
  result: R,
  document_ids: ReadonlySet<string>,
): R => ({
  ...result,
  citations: result.citations.map((citation) =>
    document_ids.has(citation.document_id) ? { ...citation, quote: "", stale: true } : citation,
  ),
});

/** A message with its answer as it reads now. */
export type Message = Omit<MessageRow, "result"> & { readonly result: AnswerResult | null };

/**
 * Decodes the results, and checks their citations: one is stale when its document has another
 * version now and its quote stands nowhere in that. Of a document that is gone none keeps its text,
 * whether the stored answer has lost it by now or not.
 */
export async function withFreshCitations(
  { db, documents, public_url }: Pick<ChatContext, "db" | "documents" | "public_url">,
  rows: readonly MessageRow[],
): Promise<Message[]> {
  const base_path = basePathOf(public_url());
  const messages = rows.map((row) => ({ ...row, result: located(resultOf(row), base_path) }));
  const cited = messages
    .flatMap(({ result }) => result?.citations ?? [])
    .filter((citation) => citation.quote !== "" || !citation.stale);
  if (cited.length === 0) return messages;
  const document_ids = [...new Set(cited.map((citation) => citation.document_id))];
  const names = await documents.findNames(db, document_ids);
  const gone = new Set(document_ids.filter((id) => !names.has(id)));
  const stale = await staleAmong(db, documents, cited, names);
  if (stale.size === 0 && gone.size === 0) return messages;
  return messages.map((message) => ({
    ...message,
    result:
      message.result &&
      redacted(
        {
          ...message.result,
          citations: message.result.citations.map((citation) =>
            stale.has(citation) ? { ...citation, stale: true } : citation,
          ),
        },
        gone,
      ),
  }));
}

async function staleAmong(
  db: Db,
  documents: Documents,
  cited: readonly Citation[],
  names: ReadonlyMap<string, DocumentName>,
): Promise<ReadonlySet<Citation>> {
  const of_older_versions = cited.filter((citation) => {
    const document = names.get(citation.document_id);
    return !citation.stale && document && document.current_version !== citation.document_version;
  });
  const stale = new Set<Citation>();
  for (const [document_id, citations] of Map.groupBy(
    of_older_versions,
    (citation) => citation.document_id,
  )) {
    const said = await documents.findQuotes(
      db,
      document_id,
      citations.map((citation) => citation.quote),
    );
    for (const citation of citations) if (!said.has(citation.quote)) stale.add(citation);
  }
  return stale;
}

/** As the addresses of the server are now; stored are those without its base path. */
const located = (result: AnswerResult | null, base_path: string): AnswerResult | null =>
  result && {
    ...result,
    citations: result.citations.map((one) => ({ ...one, url: base_path + one.url })),
  };

const resultOf = ({ result }: Pick<MessageRow, "result">): AnswerResult | null =>
  result === null ? null : (JSON.parse(result) as AnswerResult);

/** Messages that one transaction redacts. */
const batch = 50;

/**
 * Removes the text of documents that are deleted for good from the answers that cite them, some at
 * a time; false when there are more. An answer that is being made and was shown from them starts
 * over: its text is deleted, and nothing more of that attempt is shown.
 */
export async function redactDocuments(
  ctx: Pick<ChatContext, "notifier" | "now_ms">,
  tx: Db<ChatsTables>,
  document_ids: readonly string[],
): Promise<boolean> {
  const gone = new Set(document_ids);
  const citing = await citingMessages(tx, document_ids, batch);
  for (const message of citing) {
    const result = resultOf(message);
    if (result)
      await dropCitations(tx, message.id, document_ids, JSON.stringify(redacted(result, gone)));
    else await startOver(ctx, tx, message.id);
  }
  return citing.length < batch;
}

/**
 * Inside the transaction that deletes folders: answers that are being made, and were shown from
 * documents that are gone now, start over.
 */
export async function restartShown(
  ctx: Pick<ChatContext, "documents" | "notifier" | "now_ms">,
  tx: Db<ChatsTables>,
): Promise<void> {
  const shown = await shownDocuments(tx);
  const found = await ctx.documents.findNames(tx, [
    ...new Set(shown.map(({ document_id }) => document_id)),
  ]);
  const void_ids = new Set(
    shown.flatMap(({ message_id, document_id }) => (found.has(document_id) ? [] : [message_id])),
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
