/**
 * Vectors: ten thousand of 768 numbers, searched as the index searches them, beside a plain loop
 * over one Float32Array.
 */
import { Database } from "bun:sqlite";
import { analyzer } from "../../plugins/search-index/analyzer";
import { ReadConnection } from "../../core/store/read-connection";
import { Searcher } from "../../plugins/search-index/searcher";
import { SqliteSegmentReader } from "../../plugins/search-index/segment-reader";
import { SegmentBuilder } from "../../plugins/search-index/segment";
import { normalised, packVectors } from "../../plugins/search-index/vectors";
import { median, type Row } from "./measure";

const count = 10_000,
  dimensions = 768,
  rounds = 15,
  per_segment = 10,
  set_id = 1;

export async function vectorRows(): Promise<Row[]> {
  const vectors = Array.from({ length: count }, () => random()),
    all = new Float32Array(count * dimensions),
    query = random();
  vectors.forEach((vector, at) => all.set(vector, at * dimensions));
  const database = databaseOf(vectors),
    searcher = new Searcher(new SqliteSegmentReader(new ReadConnection(database)), {
      analyzers: new Map([[analyzer.version, analyzer]]),
      analyzer_version: analyzer.version,
      cache_bytes_max: 2 ** 28,
    });
  // One after the other, so that both see the same machine; what the words cost is not what this
  // row is about.
  const loops: number[] = [],
    searches: number[] = [],
    words: number[] = [];
  for (let round = 0; round < rounds; round++) {
    loops.push(await timed(() => plainLoop(all, query)));
    searches.push(await timed(() => search(searcher, query)));
    words.push(await timed(() => search(searcher)));
  }
  database.close();
  const loop_ms = median(loops),
    search_ms = median(searches),
    ms = (value: number) => `${value.toFixed(1)} ms`;
  const measured =
    `${count.toLocaleString("en")} × ${dimensions}, median of ${rounds}: ${ms(search_ms)} with ` +
    `database, words and fusion (words alone: ${ms(median(words))}) beside ${ms(loop_ms)}`;
  return [
    {
      name: "vectors: hybrid search / plain loop",
      measured,
      value: search_ms / loop_ms,
      unit: "x",
      target: { most: 3 },
    },
  ];
}

const random = (): Float32Array =>
  normalised(Float32Array.from({ length: dimensions }, () => Math.random() - 0.5))!;
async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** What anyone would write first. */
function plainLoop(all: Float32Array, query: Float32Array): number[] {
  const scores = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    let sum = 0;
    for (let i = 0; i < dimensions; i++) sum += all[row * dimensions + i]! * query[i]!;
    scores[row] = sum;
  }
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, 100);
}

async function search(searcher: Searcher, vector?: Float32Array): Promise<void> {
  const { passages } = await searcher.search({
    owner_id: "usr_bench",
    query: "heron",
    folder_ids: ["fld_a"],
    limit: 10,
    ...(vector && { vector: { set_id, data: vector } }),
  });
  if (passages.length !== 10) throw new Error(`the search found ${passages.length} passages`);
}

/** A thousand documents of ten chunks, as the index keeps them. */
function databaseOf(vectors: readonly Float32Array[]): Database {
  const database = new Database(":memory:");
  for (const table of [
    "index_documents (document_id text primary key, edition, version, title)",
    "index_segments (id bigint primary key, edition, document_id, data blob)",
    "index_chunks (segment_id, ordinal, first_point, end_point, page, page_end, heading, " +
      "time_start, time_end, text, primary key (segment_id, ordinal))",
    "index_places (segment_id integer primary key, text_id, in_first_piece, data blob)",
    "texts_pieces (id integer primary key, first_unit, first_point, data)",
    "index_scope (folder_id, segment_id, primary key (folder_id, segment_id))",
    "index_vectors (id integer primary key, set_id, segment_id, data blob, " +
      "unique (set_id, segment_id))",
    "index_float_vectors (set_id, segment_id, data blob)",
    "index_packs (id, owner_id, head)",
    "index_pack_parts (pack_id, part, data)",
  ])
    database.run(`create table ${table}`);
  const builder = new SegmentBuilder();
  database.transaction(() => {
    for (let id = 1; id <= count / per_segment; id++) {
      for (let chunk = 0; chunk < per_segment; chunk++) {
        analyzer.tokenize(`heron number ${id}`, (hash) => builder.add(hash));
        builder.endChunk(3);
        database.run(
          "insert into index_chunks values (?, ?, 0, 5, null, null, null, null, null, 'heron')",
          [id, chunk],
        );
      }
      const data = builder.finish(analyzer.version),
        first = (id - 1) * per_segment;
      database.run("insert into index_documents values (?, ?, 1, 'Birds')", [`doc_${id}`, id]);
      database.run("insert into index_segments values (?, ?, ?, ?)", [
        id,
        id,
        `doc_${id}`,
        new Uint8Array(data.buffer),
      ]);
      database.run("insert into index_scope values ('fld_a', ?)", [id]);
      database.run("insert into index_vectors values (?, ?, ?, ?)", [
        id,
        set_id,
        id,
        packVectors(
          vectors.slice(first, first + per_segment).map((one) => [one]),
          dimensions,
        ),
      ]);
    }
  })();
  return database;
}
