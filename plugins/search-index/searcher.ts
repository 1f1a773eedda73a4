/**
 * One search: the segments in scope, ranked by words and, where there are vectors, by meaning; and
 * the text of the best. Reads with prepared statements, in one transaction.
 */
import type { Database } from "bun:sqlite";
import type { Analyzer } from "./analyzer";
import type { Passage, SearchRequest, SearchResult } from "./contract";
import { queryOf } from "./query";
import { rank, type Hit } from "./bm25";
import { looked_at_max, refine } from "./reranker";
import { analyzerOf, chunkCount, type Segment } from "./segment";
import { SegmentCache } from "./segment-cache";
import type { ChunkRow } from "./store";
import { fused, fused_max, nearest, type QuestionVector } from "./vectors";

export interface SearcherOptions {
  /** Every analyzer that rows may carry, by version. */
  readonly analyzers: ReadonlyMap<number, Analyzer>;
  /** The version that names the terms of the answer. */
  readonly running: number;
  readonly cache_bytes_max: number;
  /** The same for vectors; nothing is held before a question has one. */
  readonly vector_cache_bytes_max?: number;
}
/**
 * With `vector` the ranking is fused with that of the vectors; without, it is that of the words
 * alone.
 */
export interface SearchQuestion extends SearchRequest {
  readonly vector?: QuestionVector;
}
export interface Searcher {
  search(question: SearchQuestion): SearchResult;
}

interface Found {
  readonly document_id: string;
  readonly version: number;
  readonly title: string;
}

export function createSearcher(
  database: Database,
  {
    analyzers,
    running,
    cache_bytes_max,
    vector_cache_bytes_max = cache_bytes_max,
  }: SearcherOptions,
): Searcher {
  const cache = new SegmentCache(cache_bytes_max);
  let vectors = { set_id: 0, cache: new SegmentCache<Float32Array>(vector_cache_bytes_max) };
  const of = {
    folder: database.prepare<unknown, [string]>(
      "select segment_id from index_scope where folder_id = ? order by segment_id",
    ),
    document: database.prepare<unknown, [string]>(
      "select s.id from index_documents d join index_segments s on s.edition = d.edition where " +
        "d.document_id = ?",
    ),
    data: database.prepare<unknown, [number]>("select data from index_segments where id = ?"),
    vectors: database.prepare<unknown, [number, number]>(
      "select data from index_vectors where set_id = ? and segment_id = ?",
    ),
    text: database.prepare<unknown, [number, number]>(
      "select text from index_chunks where segment_id = ? and ordinal = ?",
    ),
    chunk: database.prepare<ChunkRow, [number, number]>(
      "select * from index_chunks where segment_id = ? and ordinal = ?",
    ),
    found: database.prepare<Found, [number]>(
      "select d.document_id, d.version, d.title from index_segments s join index_documents d on " +
        "d.document_id = s.document_id where s.id = ?",
    ),
    folders: database.prepare<unknown, [number]>(
      "select folder_id from index_scope where segment_id = ?",
    ),
  };

  /** Ids of the segments in scope, each once, ascending: the order in which equal scores stand. */
  function scope({ folder_ids, document_ids }: SearchRequest): Float64Array {
    const ids: number[] = [];
    for (const folder_id of folder_ids)
      for (const row of of.folder.values(folder_id)) ids.push(row[0] as number);
    const sorted =
      folder_ids.length > 1 ? unique(Float64Array.from(ids).sort()) : Float64Array.from(ids);
    if (document_ids === undefined) return sorted;
    const wanted = new Set(
      document_ids.flatMap((document_id) =>
        of.document.values(document_id).map((row) => row[0] as number),
      ),
    );
    return sorted.filter((id) => wanted.has(id));
  }

  function read(id: number): Segment {
    const data = aligned(of.data.values(id)[0]![0] as Uint8Array);
    return new Uint32Array(data.buffer, data.byteOffset, data.byteLength >>> 2);
  }

  /** The vectors of each segment, null where there are none (yet). */
  function vectorsOf(
    ids: Float64Array,
    segments: readonly Segment[],
    { set_id, data: { length } }: QuestionVector,
  ): (Float32Array | null)[] {
    if (vectors.set_id !== set_id)
      vectors = { set_id, cache: new SegmentCache(vector_cache_bytes_max) };
    const found = Array.from(ids, (id, at) => {
      const stored = vectors.cache.get(id, () => {
        const row = of.vectors.values(set_id, id)[0];
        if (row === undefined) return null;
        const data = aligned(row[0] as Uint8Array);
        return new Float32Array(data.buffer, data.byteOffset, data.byteLength >>> 2);
      });
      return stored?.length === chunkCount(segments[at]!) * length ? stored : null;
    });
    vectors.cache.endScan();
    return found;
  }

  function found(request: SearchQuestion): SearchResult {
    const query = queryOf(request.query, request.context, analyzers, running);
    const ids = scope(request);
    if (query.slots.length === 0 || ids.length === 0) return { passages: [], terms: [] };
    const segments = Array.from(ids, (id) => cache.get(id, read));
    cache.endScan();
    const { vector } = request,
      wanted = vector === undefined ? request.limit : Math.max(request.limit, fused_max);
    const ranking = rank(segments, query, Math.max(wanted, looked_at_max));
    const by_words = refine(ranking, query, wanted, analyzers, (hit) => ({
      text: of.text.values(ids[hit.segment]!, hit.chunk)[0]![0] as string,
      analyzer: analyzerOf(segments[hit.segment]!),
    }));
    const hits =
      vector === undefined
        ? by_words
        : fused(
            by_words,
            nearest(vectorsOf(ids, segments, vector), vector.data, fused_max),
            request.limit,
          );
    const passages = hits.map((hit) => passage(hit, ids[hit.segment]!, request.folder_ids));
    return {
      passages,
      terms: query.slots.map((slot, at) => ({
        term: slot.term,
        idf: ranking.idfs[at]! * Math.min(1, slot.weight),
      })),
    };
  }

  function passage(hit: Hit, id: number, folder_ids: readonly string[]): Passage {
    const { document_id, version, title } = of.found.get(id)!;
    const row = of.chunk.get(id, hit.chunk)!;
    const linked = new Set(of.folders.values(id).map((link) => link[0] as string));
    return {
      document_id,
      version,
      title,
      folder_id: folder_ids.find((folder_id) => linked.has(folder_id))!,
      start: row.first_point,
      end: row.end_point,
      text: row.text.trimEnd(),
      page: row.page,
      page_end: row.page_end,
      heading: row.heading,
      score: hit.score,
      time_start: row.time_start,
      time_end: row.time_end,
    };
  }

  return { search: database.transaction(found) };
}

const aligned = (data: Uint8Array): Uint8Array => (data.byteOffset % 4 === 0 ? data : data.slice());

function unique(sorted: Float64Array): Float64Array {
  let kept = 0;
  for (const id of sorted) if (kept === 0 || sorted[kept - 1] !== id) sorted[kept++] = id;
  return sorted.subarray(0, kept);
}
