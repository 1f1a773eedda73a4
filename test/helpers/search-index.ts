/**
 * The index on a database file of its own, without threads: what its workers do is done at once.
 */
import { Database } from "bun:sqlite";
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { openStore } from "../../core/store/open";
import { analyzer as running, type Analyzer } from "../../plugins/search-index/analyzer";
import type { TimeSpan } from "../../plugins/extraction/contract";
import type { Passage, SearchRequest } from "../../plugins/search-index/contract";
import { segmentsOf } from "../../plugins/search-index/encoder";
import { languageOf } from "../../plugins/search-index/languages";
import { migrations } from "../../plugins/search-index/migrations";
import { createSearcher, type Searcher } from "../../plugins/search-index/searcher";
import { createIndex } from "../../plugins/search-index/service";

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

export interface TestIndexOptions {
  /** The analyzer that encodes, and every analyzer that searches. */
  readonly analyzer?: Analyzer;
  readonly analyzers?: ReadonlyMap<number, Analyzer>;
  /** The directory of an index that was opened before. */
  readonly directory?: string;
  readonly requireFreeSpace?: () => void;
}
export type TestIndex = Awaited<ReturnType<typeof openTestIndex>>;

export async function openTestIndex({
  analyzer = running,
  analyzers = new Map([[analyzer.version, analyzer]]),
  directory,
  requireFreeSpace = () => undefined,
}: TestIndexOptions = {}) {
  const at = directory ?? mkdtempSync(join(tmpdir(), "dossier-index-"));
  const path = join(at, "dossier.db"),
    log = jsonLog("error");
  const store = openStore(path, { log });
  if (directory === undefined)
    await store.inTransaction(async (tx) => {
      for (const migration of migrations) await migration.up(tx);
    });
  let searcher: Searcher | undefined;
  const reader = new Database(path, { readonly: true });
  const parts = createIndex({
    db: store.db,
    inTransaction: store.inTransaction,
    afterCommit: store.afterCommit,
    truncateWal: store.truncateWal,
    requireFreeSpace,
    log,
    now_ms: () => 1_700_000_000_000,
    analyzer_version: analyzer.version,
    encoder: {
      ask: async (input, options) => {
        for (const segment of segmentsOf(input, analyzer)) {
          options?.signal?.throwIfAborted();
          options?.onPart?.(segment);
          await Bun.sleep(0);
        }
        return languageOf(input.text);
      },
    },
    searcher: {
      ask: async (request: SearchRequest) =>
        (searcher ??= createSearcher(reader, {
          analyzers,
          running: analyzer.version,
          cache_bytes_max: 1 << 24,
        })).search(request),
    },
  });
  await parts.start();
  let open = true;
  const close = async (keep = false): Promise<void> => {
    if (!open) return;
    open = false;
    reader.close();
    await store.close();
    if (!keep) rmSync(at, { recursive: true, force: true });
  };
  closing.push(() => close());
  const { index } = parts;
  return {
    ...parts,
    store,
    path,
    directory: at,
    close,
    /** Prepares and publishes. */
    async add(
      document_id: string,
      text: string,
      folder_ids: readonly string[] = ["fld_a"],
      more: {
        readonly version?: number;
        readonly title?: string;
        readonly times?: readonly TimeSpan[];
      } = {},
    ): Promise<void> {
      const prepared = await index.prepare({
        document_id,
        version: more.version ?? 1,
        title: more.title ?? document_id,
        text,
        pages: [],
        times: more.times,
      });
      await store.inTransaction((tx) => index.publish(tx, prepared, folder_ids));
    },
    async find(
      query: string,
      folder_ids: readonly string[] = ["fld_a"],
      more: Partial<SearchRequest> = {},
    ): Promise<readonly Passage[]> {
      return (await index.search({ query, folder_ids, limit: 10, ...more })).passages;
    },
    /** Rows of a table. */
    count: async (table: string): Promise<number> =>
      (await store.db.selectFrom(table).selectAll().execute()).length,
  };
}
