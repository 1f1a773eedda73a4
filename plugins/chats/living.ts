/** Answers as they read now: what became of the passages that they cite. */
import type { Db } from "../../core/sdk";
import type { Citation } from "../search/contract";
import type { Documents } from "../documents/contract";
import { blanked } from "./citations";
import type { AnswerResult } from "./contract";
import { voidAttempt } from "./event-rows";
import { restart } from "./events";
import * as store from "./store";
import type { MessageRow } from "./store";

/** A message with its answer as it reads now. */
export type Message = Omit<MessageRow, "result"> & { readonly result: AnswerResult | null };

/**
 * With results decoded. A citation whose document has another version now is looked for there: when
 * no place of it has the passage any more, it is stale.
 */
export async function readable(
  db: Db,
  documents: Documents,
  rows: readonly MessageRow[],
): Promise<Message[]> {
  const messages = rows.map((row) => ({ ...row, result: resultOf(row) }));
  const cited = messages
    .flatMap(({ result }) => result?.citations ?? [])
    .filter((citation) => !citation.stale);
  if (cited.length === 0) return messages;
  const stale = await staleAmong(db, documents, cited);
  return stale.size === 0
    ? messages
    : messages.map((message) => ({
        ...message,
        result: message.result && {
          ...message.result,
          citations: message.result.citations.map((citation) =>
            stale.has(citation) ? { ...citation, stale: true } : citation,
          ),
        },
      }));
}

async function staleAmong(
  db: Db,
  documents: Documents,
  cited: readonly Citation[],
): Promise<ReadonlySet<Citation>> {
  const names = await documents.names(db, [
    ...new Set(cited.map((citation) => citation.document_id)),
  ]);
  const of_older = cited.filter(
    (citation) => names.get(citation.document_id)?.current_version !== citation.document_version,
  );
  const stale = new Set<Citation>();
  for (const [document_id, citations] of Map.groupBy(
    of_older,
    (citation) => citation.document_id,
  )) {
    const said = await documents.saying(
      db,
      document_id,
      citations.map((citation) => citation.quote),
    );
    for (const citation of citations) if (!said.has(citation.quote)) stale.add(citation);
  }
  return stale;
}

const resultOf = ({ result }: Pick<MessageRow, "result">): AnswerResult | null =>
  result === null ? null : (JSON.parse(result) as AnswerResult);

const batch = 500;

export interface BlankingParts {
  readonly now_ms: () => number;
  readonly afterCommit: (work: () => void) => void;
  /** Tells those who watch this message. */
  readonly tellWatchers: (message_id: string) => void;
}

/**
 * Takes the text of documents that go for good out of every answer that cites them. An answer that
 * is being made and was shown from them is void so far:
 * its text goes, and nothing more of that attempt is shown.
 */
export const createBlanking =
  ({ now_ms, afterCommit, tellWatchers }: BlankingParts) =>
  async (tx: Db<store.ChatsTables>, document_ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < document_ids.length; from += batch) {
      const some = document_ids.slice(from, from + batch);
      const gone = new Set(some);
      for (
        let citing = await store.citingMessages(tx, some, batch);
        citing.length > 0;
        citing = await store.citingMessages(tx, some, batch)
      ) {
        for (const message of citing) {
          const result = resultOf(message);
          if (result)
            await store.dropCitations(tx, message.id, some, JSON.stringify(blanked(result, gone)));
          else {
            await voidAttempt(tx, message.id);
            await restart(tx, message.id, now_ms());
            afterCommit(() => tellWatchers(message.id));
          }
        }
      }
    }
  };
