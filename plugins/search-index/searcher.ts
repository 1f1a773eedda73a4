/**
 * One search: the segments in scope, ranked by words and, where there are vectors, by meaning; then
 * the text of the best. Reads from one snapshot.
 */
import type { Analyzer } from "./analyzer";
import { rank, type Hit, type Ranking } from "./bm25";
import type { Passage, SearchRequest, SearchResult } from "./contract";
import { parseQuery, type Query } from "./query";
import { rerank, rerank_hits_max } from "./reranker";
import { analyzerOf, chunkCount, type Segment } from "./segment";
import { SegmentCache } from "./segment-cache";
import type { ChunkKey, PublishedChunk, SegmentReader } from "./segment-reader";
import { fuseRankings, fusion_hits_max, nearestChunks, type QueryVector } from "./vectors";

export interface SearcherOptions {
  /** Every analyzer that rows may carry, by version. */
  readonly analyzers: ReadonlyMap<number, Analyzer>;
  /** The version that names the terms of the answer. */
  readonly analyzer_version: number;
  /** Memory that may hold segments. */
  readonly cache_bytes_max: number;
  /** The same for vectors; nothing is held before a query has one. */
  readonly vector_cache_bytes_max?: number;
}
/** With `vector`, the ranking by words is fused with the ranking by vectors. */
export interface HybridSearchRequest extends SearchRequest {
  readonly vector?: QueryVector;
}

export class Searcher {
  private readonly segments: SegmentCache;
  /** Vectors of one set: another set replaces them. */
  private vectors = { set_id: 0, cache: new SegmentCache<Float32Array>(0) };

  constructor(
    private readonly reader: SegmentReader,
    private readonly options: SearcherOptions,
  ) {
    this.segments = new SegmentCache(options.cache_bytes_max);
  }

  search(request: HybridSearchRequest): Promise<SearchResult> {
    return this.reader.snapshot(() => this.searchSnapshot(request));
  }

  private async searchSnapshot(request: HybridSearchRequest): Promise<SearchResult> {
    const { analyzers, analyzer_version } = this.options;
    const query = parseQuery(request.query, request.context, analyzers, analyzer_version);
    const ids = await this.reader.segmentIds(request.folder_ids, request.document_ids);
    if (query.terms.length === 0 || ids.length === 0) return { passages: [], terms: [] };
    const segments = await this.segments.scan(ids, (missing) => this.reader.segments(missing));
    const { vector } = request,
      limit = vector === undefined ? request.limit : Math.max(request.limit, fusion_hits_max);
    const ranking = rank(segments, query, Math.max(limit, rerank_hits_max));
    const by_words = await this.rerank(ranking, query, limit, ids, segments);
    const hits =
      vector === undefined
        ? by_words
        : fuseRankings(
            by_words,
            nearestChunks(
              await this.vectorsOf(ids, segments, vector),
              vector.data,
              fusion_hits_max,
            ),
            request.limit,
          );
    const chunks = await this.reader.chunks(hits.map((hit) => keyOf(hit, ids)));
    return {
      passages: chunks.map((chunk, at) => passageOf(chunk, hits[at]!.score, request.folder_ids)),
      terms: query.terms.map(({ term, weight }, at) => ({
        term,
        idf: ranking.idfs[at]! * Math.min(1, weight),
      })),
    };
  }

  private rerank(
    ranking: Ranking,
    query: Query,
    limit: number,
    ids: Float64Array,
    segments: readonly Segment[],
  ): Promise<Hit[]> {
    return rerank(ranking, query, limit, this.options.analyzers, async (hits) => {
      const texts = await this.reader.texts(hits.map((hit) => keyOf(hit, ids)));
      return hits.map((hit, at) => ({
        text: texts[at]!,
        analyzer: analyzerOf(segments[hit.segment]!),
      }));
    });
  }

  /** The vectors of each segment, null where there are none of this length (yet). */
  private async vectorsOf(
    ids: Float64Array,
    segments: readonly Segment[],
    { set_id, data }: QueryVector,
  ): Promise<(Float32Array | null)[]> {
    if (this.vectors.set_id !== set_id) {
      const bytes_max = this.options.vector_cache_bytes_max ?? this.options.cache_bytes_max;
      this.vectors = { set_id, cache: new SegmentCache(bytes_max) };
    }
    const vectors = await this.vectors.cache.scan(ids, (missing) =>
      this.reader.vectors(set_id, missing),
    );
    return vectors.map((one, at) =>
      one?.length === chunkCount(segments[at]!) * data.length ? one : null,
    );
  }
}

const keyOf = (hit: Hit, ids: Float64Array): ChunkKey => ({
  segment_id: ids[hit.segment]!,
  ordinal: hit.chunk,
});

/** `scope`: the folders that were searched. */
function passageOf(
  { document, chunk, folder_ids }: PublishedChunk,
  score: number,
  scope: readonly string[],
): Passage {
  return {
    document_id: document.document_id,
    version: document.version,
    title: document.title,
    folder_id: scope.find((folder_id) => folder_ids.includes(folder_id))!,
    start: chunk.first_point,
    end: chunk.end_point,
    text: chunk.text.trimEnd(),
    page: chunk.page,
    page_end: chunk.page_end,
    heading: chunk.heading,
    score,
    time_start: chunk.time_start,
    time_end: chunk.time_end,
  };
}
