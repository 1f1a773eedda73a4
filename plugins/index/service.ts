/** The index as other plugins use it: documents in, in one short transaction each; passages out. */
import type { Db, Log } from "../../core/sdk";
import { analyzer } from "./analyzer";
import { chunker_version } from "./chunker";
import type { IndexInput, Prepared, SearchIndex, SearchRequest, SearchResult } from "./contract";
import { rowsOf, type EditionSegment } from "./editions";
import type { Encoded, EncodeInput } from "./encode";
import * as store from "./store";
import type { IndexTables } from "./store";
import type { WorkerClient } from "./worker-client";

/** A document of more segments than this is written ahead of its publication, one segment a transaction. */
const segments_at_once_max = 4;

export interface IndexParts {
  readonly db: Db<IndexTables>;
  readonly inTransaction: <R>(work: (tx: Db<IndexTables>) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly scrub: () => void;
  readonly now_ms: () => number;
  readonly encoder: Pick<WorkerClient<EncodeInput, Encoded>, "ask">;
  readonly searcher: Pick<WorkerClient<SearchRequest, SearchResult>, "ask">;
  readonly log: Log;
  /** The version that `encoder` encodes with. */
  readonly analyzer_version?: number;
}

/** What `Prepared.parts` holds. */
interface Edition {
  readonly edition: number;
  readonly title: string;
  readonly chunks: number;
  readonly headings: string | null;
  /** Null when they are staged already. */
  readonly segments: readonly EditionSegment[] | null;
}

export function createIndex(parts: IndexParts) {
  const { db, inTransaction, afterCommit, scrub, encoder, searcher, log, analyzer_version = analyzer.version } = parts;
  /** What is being staged, by document: a removal stops it. */
  const staging = new Map<string, Set<AbortController>>();
  let last_id = 0;

  /** Grows for ever, across restarts too: a cached segment can't be mistaken for another. */
  const nextId = (): number => last_id = Math.max(last_id + 1, parts.now_ms() * 1_024);

  async function prepare(input: IndexInput, signal?: AbortSignal): Promise<Prepared> {
    const { document_id, version, title, text, pages, headings } = input;
    const { segments, language } = await encoder.ask({ title, text, pages, headings }, signal);
    const rows = rowsOf(document_id, text, segments, nextId);
    const edition: Edition = { edition: rows[0]?.row.edition ?? nextId(), title, chunks: rows.reduce((sum, one) => sum + one.chunks.length, 0), headings: headings?.length ? JSON.stringify(headings) : null, segments: rows };
    if (rows.length <= segments_at_once_max) return { document_id, version, language, parts: edition };
    await stage(document_id, edition, signal);
    return { document_id, version, language, parts: { ...edition, segments: null } };
  }

  /** Writes a large edition in small steps. Nothing finds it before it is published; what stops it takes it away again. */
  async function stage(document_id: string, { edition, segments }: Edition, signal?: AbortSignal): Promise<void> {
    const removal = new AbortController(), stop = signal ? AbortSignal.any([signal, removal.signal]) : removal.signal;
    staging.set(document_id, (staging.get(document_id) ?? new Set()).add(removal));
    try {
      await inTransaction(async (tx) => {
        await store.deleteEditions(tx, await store.stagedEditions(tx, [document_id]));
        await store.insertStaged(tx, { edition, document_id });
      });
      for (const segment of segments!) await inTransaction(async (tx) => {
        stop.throwIfAborted();
        await store.insertSegment(tx, segment.row, segment.chunks);
      });
      signal?.addEventListener("abort", () => void discard(edition), { once: true });
    } catch (error) {
      await discard(edition);
      throw error;
    } finally {
      staging.get(document_id)?.delete(removal);
      if (staging.get(document_id)?.size === 0) staging.delete(document_id);
    }
  }

  /** Takes a staged edition away, unless it was published meanwhile. */
  async function discard(edition: number): Promise<void> {
    try {
      await inTransaction(async (tx) => {
        if (!await store.deleteStaged(tx, edition)) return;
        await store.deleteEditions(tx, [edition]);
        afterCommit(scrub);
      });
    } catch (error) { log.warn("what was staged stays until the next start", { edition, error: String(error) }); }
  }

  async function publish(tx: Db, { document_id, version, parts: inside }: Prepared, folder_ids: readonly string[]): Promise<void> {
    const { edition, title, chunks, headings, segments } = inside as Edition;
    const before = await store.findDocument(tx, document_id);
    if (segments === null) { if (!await store.deleteStaged(tx, edition)) throw new Error(`What was prepared of ${document_id} is gone; prepare it again.`); }
    else for (const segment of segments) await store.insertSegment(tx, segment.row, segment.chunks);
    const others = await store.stagedEditions(tx, [document_id]);
    await store.deleteEditions(tx, before && before.edition !== edition ? [before.edition, ...others] : others);
    await store.upsertDocument(tx, { document_id, edition, version, title, analyzer: analyzer_version, chunker: chunker_version, chunks, headings });
    for (const folder_id of folder_ids) await store.insertScope(tx, folder_id, edition);
  }

  const index: SearchIndex = {
    prepare, publish,
    async link(tx, document_id, folder_id) {
      const document = await store.findDocument(tx, document_id);
      if (document) await store.insertScope(tx, folder_id, document.edition);
    },
    unlink: (tx, document_ids, folder_id) => store.deleteScope(tx, document_ids, folder_id),
    async remove(tx, document_ids) {
      for (const document_id of document_ids) for (const one of staging.get(document_id) ?? []) one.abort(new Error("The document was deleted."));
      await store.deleteDocuments(tx, document_ids);
    },
    async search(request, signal) {
      if (request.folder_ids.length === 0 || request.limit < 1 || request.document_ids?.length === 0) return { passages: [], terms: [] };
      return searcher.ask(request, signal);
    },
    analyze(text) {
      const terms: { term: string; start: number; end: number }[] = [];
      analyzer.walk(text, (_hash, start, end, term) => { terms.push({ term: term ?? text.slice(start, end), start, end }); });
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
      scrub();
    },
    /** Takes away what was prepared for nothing. */
    drop: async (tx: Db, { parts: inside }: Prepared): Promise<void> => store.deleteEditions(tx, [(inside as Edition).edition]),
    outdated: (): Promise<number> => store.countOutdated(db, analyzer_version, chunker_version),
  };
}
export type Index = ReturnType<typeof createIndex>;
