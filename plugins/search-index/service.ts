/** The index as other plugins use it: documents in, in one short transaction each; passages out. */
import type { Db, Log } from "../../core/sdk";
import { analyzer } from "./analyzer";
import { chunker_version } from "./chunker";
import type { Prepared, SearchIndex, SearchRequest, SearchResult } from "./contract";
import { createPreparing, type Edition, type PreparingParts } from "./preparer";
import type { SearchQuestion } from "./searcher";
import * as store from "./store";
import type { IndexTables } from "./store";
import type { QuestionVector } from "./vectors";
import type { WorkerClient } from "./worker-client";

export interface IndexParts {
  readonly db: Db<IndexTables>;
  readonly inTransaction: <R>(work: (tx: Db<IndexTables>) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly truncateWal: () => void;
  readonly requireFreeSpace: PreparingParts["requireFreeSpace"];
  readonly now_ms: () => number;
  readonly encoder: PreparingParts["encoder"];
  readonly searcher: Pick<WorkerClient<SearchQuestion, never, SearchResult>, "ask">;
  /**
   * The question as a vector; undefined when there is no embedder, or none that answers in time.
   */
  readonly vectorOf?: (
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ) => Promise<QuestionVector | undefined>;
  /** Told, inside the transaction that publishes it, of a new edition. */
  readonly published?: (tx: Db<IndexTables>, edition: number) => Promise<void>;
  readonly log: Log;
  /** The version that `encoder` encodes with. */
  readonly analyzer_version?: number;
}

export function createIndex(parts: IndexParts) {
  const {
    db,
    inTransaction,
    afterCommit,
    truncateWal,
    requireFreeSpace,
    encoder,
    searcher,
    log,
    analyzer_version = analyzer.version,
  } = parts;
  let last_id = 0;
  /** Grows for ever, across restarts too: a cached segment can't be mistaken for another. */
  const nextId = (): number => (last_id = Math.max(last_id + 1, parts.now_ms() * 1_024));
  const preparing = createPreparing({
    inTransaction,
    afterCommit,
    truncateWal,
    requireFreeSpace,
    encoder,
    nextId,
    log,
  });

  async function publish(
    tx: Db,
    { document_id, version, parts: inside }: Prepared,
    folder_ids: readonly string[],
  ): Promise<void> {
    const { edition, title, chunks, headings, times, segments } = inside as Edition;
    const before = await store.findDocument(tx, document_id);
    if (segments === null) {
      if (!(await store.deleteStaged(tx, edition)))
        throw new Error(`What was prepared of ${document_id} is gone; prepare it again.`);
    } else
      for (const segment of segments) await store.insertSegment(tx, segment.row, segment.chunks);
    const others = await store.stagedEditions(tx, [document_id]);
    await store.deleteEditions(
      tx,
      before && before.edition !== edition ? [before.edition, ...others] : others,
    );
    await store.upsertDocument(tx, {
      document_id,
      edition,
      version,
      title,
      analyzer: analyzer_version,
      chunker: chunker_version,
      chunks,
      headings,
      times,
    });
    for (const folder_id of folder_ids) await store.insertScope(tx, folder_id, edition);
    await parts.published?.(tx, edition);
  }

  const index: SearchIndex = {
    prepare: preparing.prepare,
    publish,
    async link(tx, document_id, folder_id) {
      const document = await store.findDocument(tx, document_id);
      if (document) await store.insertScope(tx, folder_id, document.edition);
    },
    unlink: (tx, document_ids, folder_id) => store.deleteScope(tx, document_ids, folder_id),
    async remove(tx, document_ids) {
      for (const document_id of document_ids) preparing.stop(document_id);
      await store.deleteDocuments(tx, document_ids);
    },
    async search(request, signal) {
      if (
        request.folder_ids.length === 0 ||
        request.limit < 1 ||
        request.document_ids?.length === 0
      )
        return { passages: [], terms: [] };
      const vector = await parts.vectorOf?.(request, signal);
      return searcher.ask(vector === undefined ? request : { ...request, vector }, { signal });
    },
    analyze(text) {
      const terms: { term: string; start: number; end: number }[] = [];
      analyzer.walk(text, (_hash, start, end, term) => {
        terms.push({ term: term ?? text.slice(start, end), start, end });
      });
      return terms;
    },
  };

  return {
    index,
    /** Before the first request: ids go on where they were, and what was never published goes. */
    async start(): Promise<void> {
      last_id = await store.largestSegment(db);
      const left = await store.stagedEditions(db, null);
      if (left.length === 0) return;
      for (const edition of left) await inTransaction((tx) => store.deleteEditions(tx, [edition]));
      truncateWal();
    },
    /** Takes away what was prepared for nothing. */
    drop: async (tx: Db, { parts: inside }: Prepared): Promise<void> =>
      store.deleteEditions(tx, [(inside as Edition).edition]),
    outdated: (): Promise<number> => store.countOutdated(db, analyzer_version, chunker_version),
  };
}
export type Index = ReturnType<typeof createIndex>;
