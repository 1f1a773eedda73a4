/**
 * The index on its own database file, without threads: the work of its workers runs immediately.
 */
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import type { StoredText } from "../../core/lib/text-pieces";
import { readWhole } from "../../core/lib/text-reader";
import { OnlyNode } from "../../core/store/nodes";
import { SqliteStore } from "../../core/store/sqlite-store";
import {
  openReadConnection,
  type ReadConnection,
  type FileSpec,
} from "../../core/store/read-connection";
import { analyzer as current, type Analyzer } from "../../plugins/search-index/analysis/analyzer";
import type { PageSpan, TimeSpan } from "../../plugins/extraction/contract";
import type { Passage, SearchRequest } from "../../plugins/search-index/contract";
import { encodeDocument, inputWithText } from "../../plugins/search-index/indexing/encoder";
import { TextService } from "../../plugins/texts/service";
import { migrations as textMigrations } from "../../plugins/texts/migrations";
import { piecesOfConnection } from "../../plugins/texts/worker-contract";
import { languageOf } from "../../plugins/search-index/analysis/languages";
import { migrations } from "../../plugins/search-index/migrations";
import {
  searchHandler,
  type SearchProtocol,
} from "../../plugins/search-index/ranking/search-handler";
import { Searcher } from "../../plugins/search-index/ranking/searcher";
import { SqliteSegmentReader } from "../../plugins/search-index/segments/segment-reader";
import { IndexService } from "../../plugins/search-index/service";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import type { RequestHandler } from "../../plugins/search-index/workers/worker-server";

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/** A searcher in this process, on its own read connection that the caller closes. */
export function openSearcher(
  spec: FileSpec,
  analyzers: ReadonlyMap<number, Analyzer> = new Map([[current.version, current]]),
  analyzer_version = current.version,
): {
  readonly searcher: Searcher;
  /** As the worker does, with its own searcher. */
  readonly handleRequest: RequestHandler<SearchProtocol>;
  readonly connection: ReadConnection;
} {
  const connection = openReadConnection(spec);
  const reader = new SqliteSegmentReader(connection);
  const options = { analyzers, analyzer_version, cache_bytes_max: 1 << 24 };
  return {
    searcher: new Searcher(reader, options),
    handleRequest: searchHandler(reader, options),
    connection,
  };
}

const partsOf = (store: SqliteStore) => ({
  db: store.db,
  inTransaction: store.inTransaction,
  inDeletion: store.inDeletion,
  afterCommit: store.afterCommit,
  truncateWal: store.truncateWal,
  node: new OnlyNode(() => 0),
});

/** How the index is opened. */
export interface TestIndexOptions {
  /** The analyzer for indexing, and every analyzer for searching. */
  readonly analyzer?: Analyzer;
  readonly analyzers?: ReadonlyMap<number, Analyzer>;
  /** The directory of an index that was opened before. */
  readonly directory?: string;
  readonly requireFreeSpace?: () => void;
}
/** An open index. */
export type TestIndex = Awaited<ReturnType<typeof openTestIndex>>;

/** Opens an index in a temporary directory, or in the given one. */
export async function openTestIndex({
  analyzer = current,
  analyzers = new Map([[analyzer.version, analyzer]]),
  directory,
  requireFreeSpace = () => undefined,
}: TestIndexOptions = {}) {
  const index_directory = directory ?? mkdtempSync(join(tmpdir(), "dossier-index-"));
  const path = join(index_directory, "dossier.db");
  const log = jsonLog("error");
  const store = new SqliteStore(path, { log });
  if (directory === undefined)
    await store.inTransaction(async (tx) => {
      for (const migration of [...textMigrations, ...migrations]) await migration.up(tx);
    });
  const opened = openSearcher(store.read_connection, analyzers, analyzer.version);
  const now_ms = () => 1_700_000_000_000;
  const files = { requireFreeSpace };
  const texts = new TextService({
    ...partsOf(store),
    log,
    now_ms,
    files: { requireFreeSpace() {} },
  });
  await texts.start();
  const pieces = piecesOfConnection(opened.connection);
  const index = new IndexService({
    ...partsOf(store),
    files,
    log,
    now_ms,
    analyzer_version: analyzer.version,
    encoder: {
      ask: async (request, options) => {
        const text = request.text ?? (await readWhole(pieces, request.stored!));
        for (const segment of encodeDocument(inputWithText(request, text), analyzer)) {
          options?.signal?.throwIfAborted();
          options?.onPart?.(segment);
          await Bun.sleep(0);
        }
        return languageOf(text);
      },
    },
    searcher: {
      ask: async (request, { onPart }) =>
        opened.handleRequest(request, { ...no_pauses, sendPart: (part) => onPart?.(part) }),
    },
  });
  await index.start();
  const storeText = async (text: string): Promise<StoredText> => {
    const written = await texts.prepare(text);
    await store.inTransaction((tx) => written.keep(tx));
    return written.stored;
  };
  let open = true;
  const close = async (keeps_data = false): Promise<void> => {
    if (!open) return;
    open = false;
    await index.stop();
    await texts.stop();
    opened.connection.close();
    await store.close();
    if (!keeps_data) rmSync(index_directory, { recursive: true, force: true });
  };
  closing.push(() => close());
  return {
    index,
    texts,
    store,
    path,
    directory: index_directory,
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
        readonly pages?: readonly PageSpan[];
        /** The index stores the text itself, as it does for text outside the text store. */
        readonly keeps_text?: boolean;
      } = {},
    ): Promise<void> {
      const stored = more.keeps_text ? undefined : await storeText(text);
      const prepared = await index.prepare({
        owner_id: "usr_ada",
        document_id,
        version: more.version ?? 1,
        title: more.title ?? document_id,
        text: stored === undefined ? text : null,
        stored,
        pages: more.pages ?? [],
        times: more.times === undefined ? null : JSON.stringify(more.times),
      });
      await store.inTransaction((tx) => index.publish(tx, prepared, folder_ids));
    },
    /** Many at once. */
    async addAll(
      documents: readonly {
        readonly document_id: string;
        readonly text: string;
        readonly folder_id: string;
      }[],
    ): Promise<void> {
      const prepared = await Promise.all(
        documents.map(({ document_id, text }) =>
          index.prepare({
            owner_id: "usr_ada",
            document_id,
            version: 1,
            title: document_id,
            text,
            pages: [],
          }),
        ),
      );
      await store.inTransaction(async (tx) => {
        for (const [at, document] of prepared.entries())
          await index.publish(tx, document, [documents[at]!.folder_id]);
      });
    },
    async find(
      query: string,
      folder_ids: readonly string[] = ["fld_a"],
      more: Partial<SearchRequest> = {},
    ): Promise<readonly Passage[]> {
      return (await index.search({ owner_id: "usr_ada", query, folder_ids, limit: 10, ...more }))
        .passages;
    },
    /** Rows of a table. */
    count: async (table: string): Promise<number> =>
      (await store.db.selectFrom(table).selectAll().execute()).length,
  };
}
