/**
 * An index of any size whose vectors are made up, on a temporary database, searched in this process
 * as the search worker searches it.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { openReadConnection } from "../../core/store/read-connection";
import { SqliteStore } from "../../core/store/sqlite-store";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { migrations } from "../../plugins/search-index/migrations";
import { Searcher } from "../../plugins/search-index/ranking/searcher";
import { SegmentBuilder } from "../../plugins/search-index/segments/segment";
import { SqliteSegmentReader } from "../../plugins/search-index/segments/segment-reader";
import { toStored } from "../../plugins/search-index/segments/stored-segment";
import { packBlock, rowsAt } from "../../plugins/search-index/vectors/vector-block";
import { migrations as text_migrations } from "../../plugins/texts/migrations";
import { temporaryDirectory } from "./server";

const set_id = 1;
/** One segment in this many contains the word that is searched. */
const found_in = 50;
const word = "heron";

/** How large the index is, and how much of it is kept in memory. */
export interface VectorIndexOptions {
  readonly passages: number;
  readonly per_segment: number;
  readonly dimensions: number;
  readonly cache_bytes_max: number;
  /** The vectors of a segment; chance, when absent. */
  readonly blockOf?: (segment: number) => Uint8Array;
}

/** Fills an index and opens it for searching. */
export async function openVectorIndex(options: VectorIndexOptions) {
  const { directory, remove } = temporaryDirectory();
  const path = join(directory, "index.db");
  const store = new SqliteStore(path, { log: jsonLog("error") });
  await store.inTransaction(async (tx) => {
    for (const migration of [...text_migrations, ...migrations]) await migration.up(tx);
  });
  await store.close();
  fill(path, options);
  const connection = openReadConnection({ path });
  const searcher = new Searcher(new SqliteSegmentReader(connection), {
    analyzers: new Map([[analyzer.version, analyzer]]),
    analyzer_version: analyzer.version,
    cache_bytes_max: 2 ** 28,
    vector_cache_bytes_max: options.cache_bytes_max,
  });
  return {
    /** Milliseconds, by words alone or with a vector. */
    async timed(vector?: Float32Array): Promise<number> {
      const started = performance.now();
      const { passages } = await searcher.search({
        owner_id: "usr_bench",
        query: word,
        folder_ids: ["fld_a"],
        limit: 10,
        ...(vector && { vector: { set_id, data: vector } }),
      });
      const time = performance.now() - started;
      if (passages.length !== 10) throw new Error(`the search found ${passages.length} passages`);
      return time;
    },
    close(): void {
      connection.close();
      remove();
    },
  };
}

function fill(path: string, options: VectorIndexOptions): void {
  const {
    passages,
    per_segment,
    dimensions,
    blockOf = chanceOf(per_segment, dimensions),
  } = options;
  const database = new Database(path);
  const builder = new SegmentBuilder();
  database.run("pragma synchronous = off");
  const insert = (table: string, columns: string) =>
    database.prepare(
      `insert into ${table} (${columns}) values (${columns.replaceAll(/\w+/g, "?")})`,
    );
  const chunk = insert("index_chunks", "segment_id, ordinal, first_point, end_point, text");
  const document = insert(
    "index_documents",
    "document_id, owner_id, edition, version, title, analyzer, chunker, chunks",
  );
  const segment = insert("index_segments", "id, edition, document_id, data");
  const scope = insert("index_scope", "folder_id, segment_id");
  const vectors = insert("index_vectors", "id, set_id, segment_id, data");
  database.transaction(() => {
    for (let id = 1; id <= passages / per_segment; id++) {
      for (let at = 0; at < per_segment; at++) {
        const text = at === 0 && id % found_in === 0 ? word : "duck";
        analyzer.tokenize(text, (hash) => builder.add(hash));
        builder.endChunk(1);
        chunk.run(id, at, 0, text.length, text);
      }
      document.run(`doc_${id}`, "usr_bench", id, 1, "Birds", analyzer.version, 1, per_segment);
      segment.run(id, id, `doc_${id}`, toStored(builder.finish(analyzer.version)));
      scope.run("fld_a", id);
      vectors.run(id, set_id, id, blockOf(id));
    }
  })();
  database.run("pragma wal_checkpoint(truncate)");
  database.close();
}

/** Random numbers: as quick to search as those of a model, and quicker to make. */
function chanceOf(rows: number, dimensions: number): () => Uint8Array {
  const vector = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
  const block = packBlock(
    Array.from({ length: rows }, (_, at) => ({ chunk: at, vector })),
    dimensions,
  );
  const numbers = block.subarray(rowsAt(rows));
  const at_once = 65_536;
  return () => {
    for (let at = 0; at < numbers.length; at += at_once)
      crypto.getRandomValues(numbers.subarray(at, at + at_once));
    return block;
  };
}
