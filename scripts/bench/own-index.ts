/**
 * The index in this process, on a temporary database: its own code for chunks, segments, rows and
 * ranking, without server and workers.
 */
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { SqliteStore } from "../../core/store/sqlite-store";
import { pieceCount, piecesOf } from "../../core/lib/text-pieces";
import type { Db } from "../../core/store/store";
import { openReadConnection, type ReadConnection } from "../../core/store/read-connection";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { chunker_version } from "../../plugins/search-index/chunks/chunker";
import type { Passage } from "../../plugins/search-index/contract";
import { encodeDocument } from "../../plugins/search-index/indexing/encoder";
import { IndexVersionRows } from "../../plugins/search-index/index-versions";
import { migrations } from "../../plugins/search-index/migrations";
import { insertPack } from "../../plugins/search-index/segments/pack-store";
import { packLoose } from "../../plugins/search-index/segments/loose-packs";
import { Searcher } from "../../plugins/search-index/ranking/searcher";
import { SqliteSegmentReader } from "../../plugins/search-index/segments/segment-reader";
import {
  insertScopes,
  insertSegment,
  upsertDocument,
  type IndexDb,
} from "../../plugins/search-index/store";
import { migrations as text_migrations } from "../../plugins/texts/migrations";
import { insertPiece } from "../../plugins/texts/store";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import { temporaryDirectory } from "./server";

/** A document to add to the index. */
export interface OwnDocument {
  readonly document_id: string;
  readonly title: string;
  readonly text: string;
}
const owner_id = "usr_bench";
/** Documents per transaction: durability is not measured here. */
const documents_together = 50;

/** The index. Deleted with its database by `close`. */
export class OwnIndex {
  /** Chunks in the index. */
  passages = 0;
  private last_id = 0;
  private waiting: { readonly document: OwnDocument; readonly folder_id: string }[] = [];
  private readonly connection: ReadConnection;
  private readonly reader: SqliteSegmentReader;
  private readonly searcher: Searcher;

  private constructor(
    private readonly store: SqliteStore,
    private readonly remove: () => void,
    cache_bytes_max: number,
  ) {
    this.connection = openReadConnection(store.read_connection);
    this.reader = new SqliteSegmentReader(this.connection);
    this.searcher = new Searcher(this.reader, {
      analyzers: new Map([[analyzer.version, analyzer]]),
      analyzer_version: analyzer.version,
      cache_bytes_max,
    });
  }

  /** `cache_bytes_max` limits the memory of the index. */
  static async open(cache_bytes_max = 256 * 2 ** 20): Promise<OwnIndex> {
    const { directory, remove } = temporaryDirectory();
    const store = new SqliteStore(join(directory, "index.db"), { log: jsonLog("error") });
    await store.inTransaction(async (tx) => {
      for (const migration of [...text_migrations, ...migrations]) await migration.up(tx);
    });
    return new OwnIndex(store, remove, cache_bytes_max);
  }

  /** Inserted in batches, at the latest by `flush`. */
  async add(document: OwnDocument, folder_id: string): Promise<void> {
    this.waiting.push({ document, folder_id });
    if (this.waiting.length >= documents_together) await this.flush();
  }

  async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    if (batch.length > 0)
      await this.store.inTransaction(async (tx) => {
        for (const { document, folder_id } of batch) await this.insert(tx, document, folder_id);
      });
  }

  /** Builds packs, as the server does in the background. Returns their number. */
  async pack(folder_ids: readonly string[]): Promise<number> {
    const scope = await this.searcher.scopeOf({ owner_id, folder_ids }, no_pauses);
    let packs = 0;
    for await (const pack of packLoose(this.reader, scope, analyzer.version, no_pauses)) {
      await this.store.inTransaction((tx) => insertPack(tx, ++this.last_id, owner_id, pack));
      packs++;
    }
    return packs;
  }

  async search(
    query: string,
    folder_ids: readonly string[],
    limit: number,
  ): Promise<readonly Passage[]> {
    return (await this.searcher.search({ owner_id, query, folder_ids, limit })).passages;
  }

  async close(): Promise<void> {
    this.connection.close();
    await this.store.close();
    this.remove();
  }

  private async insert(
    tx: IndexDb,
    { document_id, title, text }: OwnDocument,
    folder_id: string,
  ): Promise<void> {
    const text_id = this.last_id + 1;
    for (const piece of piecesOf(text, text_id)) await insertPiece(tx as Db, piece);
    this.last_id += pieceCount(text.length) + 1;
    const rows = new IndexVersionRows(document_id, text_id, () => ++this.last_id);
    for (const segment of encodeDocument({ title, text, pages: [] }, analyzer))
      for (const segment_rows of rows.add(segment)) await insertSegment(tx, segment_rows);
    for (const segment_rows of rows.end()) await insertSegment(tx, segment_rows);
    this.passages += rows.chunks;
    await upsertDocument(tx, {
      document_id,
      edition: rows.index_version,
      version: 1,
      title,
      analyzer: analyzer.version,
      chunker: chunker_version,
      chunks: rows.chunks,
      headings: null,
      times: null,
      owner_id: "usr_bench",
    });
    await insertScopes(tx, [folder_id], rows.index_version);
  }
}
