/**
 * The index in this process, on a temporary database: its own code for chunks, segments, rows and
 * ranking, without server and workers.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { openStore } from "../../core/store/open";
import { analyzer } from "../../plugins/search-index/analyzer";
import type { Passage } from "../../plugins/search-index/contract";
import { EditionRows } from "../../plugins/search-index/index-versions";
import { segmentsOf } from "../../plugins/search-index/encoder";
import { chunker_version } from "../../plugins/search-index/chunker";
import { migrations } from "../../plugins/search-index/migrations";
import { createSearcher } from "../../plugins/search-index/searcher";
import * as store_of from "../../plugins/search-index/store";
import { place } from "./server";

export interface OwnDocument {
  readonly document_id: string;
  readonly title: string;
  readonly text: string;
}
/** Documents that share a transaction: what is measured here is not how durable each of them is. */
const documents_together = 50;

/** `cache_bytes_max` is what the index may hold in memory. */
export async function openOwnIndex({
  cache_bytes_max = 256 * 2 ** 20,
}: { readonly cache_bytes_max?: number } = {}) {
  const here = place(),
    path = join(here.directory, "index.db");
  const store = openStore(path, { log: jsonLog("error") });
  await store.inTransaction(async (tx) => {
    for (const migration of migrations) await migration.up(tx);
  });
  const reader = new Database(path, { readonly: true });
  const searcher = createSearcher(reader, {
    analyzers: new Map([[analyzer.version, analyzer]]),
    running: analyzer.version,
    cache_bytes_max,
  });
  let last_id = 0,
    chunks = 0;

  async function insert(
    tx: store_of.IndexDb,
    { document_id, title, text }: OwnDocument,
    folder_id: string,
  ): Promise<void> {
    const rows = new EditionRows(document_id, text, () => ++last_id);
    for (const segment of segmentsOf({ title, text, pages: [] }, analyzer))
      for (const { row, chunks: some } of rows.add(segment))
        await store_of.insertSegment(tx, row, some);
    for (const { row, chunks: some } of rows.end()) await store_of.insertSegment(tx, row, some);
    chunks += rows.chunks;
    await store_of.upsertDocument(tx, {
      document_id,
      edition: rows.edition,
      version: 1,
      title,
      analyzer: analyzer.version,
      chunker: chunker_version,
      chunks: rows.chunks,
      headings: null,
      times: null,
    });
    await store_of.insertScope(tx, folder_id, rows.edition);
  }

  let waiting: { document: OwnDocument; folder_id: string }[] = [];
  async function flush(): Promise<void> {
    const some = waiting;
    waiting = [];
    if (some.length > 0)
      await store.inTransaction(async (tx) => {
        for (const { document, folder_id } of some) await insert(tx, document, folder_id);
      });
  }

  return {
    flush,
    /** Inserted with others, at the latest by `flush`. */
    async add(document: OwnDocument, folder_id: string): Promise<void> {
      waiting.push({ document, folder_id });
      if (waiting.length >= documents_together) await flush();
    },
    passages: (): number => chunks,
    search: (query: string, folder_ids: readonly string[], limit: number): readonly Passage[] =>
      searcher.search({ query, folder_ids, limit }).passages,
    async close(): Promise<void> {
      reader.close();
      await store.close();
      here.remove();
    },
  };
}
