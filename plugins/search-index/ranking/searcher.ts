/**
 * One search: the segments in scope, ranked by words and, with vectors, by meaning; then the text
 * of the best. It yields to others between its reads. When something in its scope was replaced or
 * deleted meanwhile, it starts over, so that a document that is indexed again is found throughout.
 */
import { batchesOf } from "../../../core/lib/batch";
import { setOfIds } from "../../../core/lib/id-lists";
import type { Analyzer } from "../analysis/analyzer";
import { Ranker, type Hit, type Ranking } from "./bm25";
import type { BackendAnswer, Passage, SearchRequest, SearchResult } from "../contract";
import {
  fuseRankings,
  fusion_hits_max,
  leadOf,
  wordsAlone,
  type FusedHit,
  type WordRanking,
} from "./fusion";
import { MeaningSearch } from "./meaning-search";
import { spread_factor, spreadOverPages } from "./page-spread";
import { pack_parts, type PackPart } from "../segments/pack";
import { PackDirectory, type Pack } from "../segments/pack-directory";
import { parseQuery, type Query } from "../analysis/query";
import { rerank, rerank_hits_max } from "./reranker";
import { ScopeLanguages } from "./scope-languages";
import {
  onlyAmong,
  ScopeChanged,
  ScopeResolver,
  type Scope,
  type ScopedPack,
  type ScopeRequest,
} from "./scope";
import type { Segment } from "../segments/segment";
import { SegmentCache } from "../segments/segment-cache";
import type { ChunkKey, PublishedChunk, SegmentReader } from "../segments/segment-reader";
import type { QueryVector } from "../vectors/vector-math";
import { no_pauses, type Pauses } from "../workers/worker-protocol";

export interface SearcherOptions {
  /** Every analyzer that rows may refer to, by version. */
  readonly analyzers: ReadonlyMap<number, Analyzer>;
  /** The version that names the terms in the response. */
  readonly analyzer_version: number;
  /** Memory for cached parts of the index. */
  readonly cache_bytes_max: number;
  /** Whether the process uses so much memory that little should be cached. Default: never. */
  readonly usesMuch?: () => boolean;
  /** The same for vectors; none are kept before a query has one. */
  readonly vector_cache_bytes_max?: number;
}
/**
 * With `vector`, the rankings by words and by vectors are fused. With `among`, only these segments
 * are read, unless they were found among too little.
 */
export interface HybridSearchRequest extends SearchRequest {
  readonly vector?: QueryVector;
  readonly among?: BackendAnswer;
}
export interface Searched extends SearchResult {
  /** Chunks in scope that are in no pack. */
  readonly loose_chunks: number;
  /** It compared more vectors than the memory can keep. */
  readonly is_beyond_memory: boolean;
  /** `among` was of no use: it is based on fewer passages than there are segments. */
  readonly is_short: boolean;
}

/** How the passages in scope are ranked by words. */
interface WordSearch {
  readonly limit: number;
  readonly among: BackendAnswer | undefined;
  readonly pauses: Pauses;
  readonly onGone: OnGone;
}
/** The ranking by words, with what its caller reports. */
interface SearchedWords extends WordRanking, Pick<Searched, "terms" | "loose_chunks"> {}

const nothing_found: Searched = {
  passages: [],
  terms: [],
  lead: null,
  loose_chunks: 0,
  is_beyond_memory: false,
  is_short: false,
};

/** Segments read together. */
const segments_read = 32;
/** Passages read together. */
const passages_read = 50;
/** How often a search may be overtaken by changes before it no longer yields. */
const attempts_max = 3;
/** The share of the cache for heads of packs. */
const heads_share = 0.25;

/** Called for segments in scope that no longer exist; a missing pack always throws. */
type OnGone = () => void;
const beginAgain: OnGone = () => {
  throw new ScopeChanged();
};
const leaveOut: OnGone = () => undefined;

export class Searcher {
  private readonly cache: SegmentCache<Segment | PackPart>;
  private readonly scopes: ScopeResolver;
  private readonly languages: ScopeLanguages;
  private readonly meaning: MeaningSearch;

  constructor(
    private readonly reader: SegmentReader,
    private readonly options: SearcherOptions,
  ) {
    const { cache_bytes_max, usesMuch } = options;
    this.cache = new SegmentCache(cache_bytes_max * (1 - heads_share), usesMuch);
    this.scopes = new ScopeResolver(
      reader,
      new PackDirectory(reader, cache_bytes_max * heads_share, (pack) => this.forget(pack)),
    );
    this.languages = new ScopeLanguages(reader);
    this.meaning = new MeaningSearch(reader.vectors, options);
  }

  async search(request: HybridSearchRequest, pauses: Pauses = no_pauses): Promise<Searched> {
    for (let attempt = 1; attempt <= attempts_max; attempt++)
      try {
        return await this.searchInSnapshots(request, pauses, beginAgain);
      } catch (error) {
        if (!(error instanceof ScopeChanged)) throw error;
        await pauses.pause();
      }
    return this.searchInSnapshots(request, no_pauses, leaveOut);
  }

  /** What a search of these folders would cover. */
  scopeOf(request: ScopeRequest, pauses: Pauses): Promise<Scope> {
    return this.scopes.resolve(request, pauses);
  }

  /**
   * Everything read between two pauses is from one snapshot. A longer one would keep the database's
   * log from being emptied.
   */
  private async searchInSnapshots(
    request: HybridSearchRequest,
    pauses: Pauses,
    onGone: OnGone,
  ): Promise<Searched> {
    let endSnapshot = await this.reader.beginSnapshot();
    let is_open = true;
    const pause = async (): Promise<void> => {
      endSnapshot();
      is_open = false;
      await pauses.pause();
      endSnapshot = await this.reader.beginSnapshot();
      is_open = true;
    };
    const between: Pauses = {
      get due() {
        return pauses.due;
      },
      pause,
    };
    try {
      return await this.searchScope(request, between, onGone);
    } finally {
      if (is_open) endSnapshot();
      this.cache.endSearch();
    }
  }

  private async searchScope(
    request: HybridSearchRequest,
    pauses: Pauses,
    onGone: OnGone,
  ): Promise<Searched> {
    const full_scope = await this.scopes.resolve(request, pauses);
    if (full_scope.ids.length === 0) return nothing_found;
    const query = await this.parse(request, full_scope);
    // A query without words may still have a meaning.
    if (query.terms.length === 0 && request.vector === undefined) return nothing_found;
    const is_short = (request.among?.passages ?? Infinity) < full_scope.ids.length;
    const among = is_short ? undefined : request.among;
    const scope = among === undefined ? full_scope : onlyAmong(full_scope, among.segment_ids);
    const { vector } = request;
    const limit = vector === undefined ? request.limit : Math.max(request.limit, fusion_hits_max);
    const words = await this.rankByWords(query, scope, { limit, among, pauses, onGone });
    const meaning =
      vector && (await this.meaning.rank(scope, vector, { ...request, among }, pauses));
    const fused =
      meaning === undefined
        ? wordsAlone(words.hits)
        : fuseRankings(words, meaning, { ...request, limit: request.limit * spread_factor });
    const pages = await this.reader.pages(fused.map((hit) => keyOf(hit, scope.ids)));
    const hits = spreadOverPages(fused, pages, request.limit);
    const passages = await this.passagesOf(hits, scope, request.folder_ids, pauses, onGone);
    return {
      passages,
      terms: words.terms,
      lead: meaning === undefined ? null : leadOf(meaning),
      loose_chunks: words.loose_chunks,
      is_beyond_memory: meaning?.is_beyond ?? false,
      is_short,
    };
  }

  private async parse({ query, context, among }: HybridSearchRequest, scope: Scope) {
    const { analyzers, analyzer_version } = this.options;
    // A backend has looked up the words of the query without these languages.
    const languages = among === undefined ? await this.languages.forQuery(query, scope) : [];
    return parseQuery(query, context, analyzers, analyzer_version, languages);
  }

  private async rankByWords(
    query: Query,
    scope: Scope,
    { limit, among, pauses, onGone }: WordSearch,
  ): Promise<SearchedWords> {
    using ranker = new Ranker(query, scope.ids.length, among);
    for (const pack of scope.packs) await this.addPack(ranker, pack, pauses);
    const loose_chunks = await this.addLoose(ranker, scope, pauses, onGone);
    const ranking = await ranker.ranking(Math.max(limit, rerank_hits_max), pauses);
    const terms = searchedTerms(query, ranking);
    const hits = await this.rerank(ranking, query, limit, scope, pauses, onGone);
    return { hits, coverage: coverageOf(hits[0], ranker, terms), terms, loose_chunks };
  }

  /** @throws ScopeChanged */
  private async addPack(ranker: Ranker, scoped: ScopedPack, pauses: Pauses): Promise<void> {
    const part_numbers = ranker.partsFor(scoped);
    const keys = part_numbers.map((part) => partKey(scoped.pack, part));
    const read = (missing: readonly number[]) =>
      this.reader.packParts(
        scoped.pack.id,
        missing.map((key) => part_numbers[keys.indexOf(key)]!),
      );
    const parts = (await this.cache.getAll(keys, read)) as (PackPart | null)[];
    if (parts.includes(null)) throw new ScopeChanged();
    ranker.addPack(scoped, new Map(part_numbers.map((part, at) => [part, parts[at]!])));
    if (pauses.due) await pauses.pause();
  }

  /** Returns how many of their chunks are in no pack. */
  private async addLoose(
    ranker: Ranker,
    { ids, loose, packed }: Scope,
    pauses: Pauses,
    onGone: OnGone,
  ): Promise<number> {
    let chunks = 0;
    for (let at = 0; at < loose.length; at += segments_read) {
      const places = loose.subarray(at, at + segments_read);
      const segments = (await this.cache.getAll(
        Float64Array.from(places, (place) => ids[place]!),
        (missing) => this.reader.segments(missing),
      )) as (Segment | null)[];
      segments.forEach((segment, i) => {
        if (segment === null) return onGone();
        ranker.addSegment(places[i]!, segment);
        if (packed[places[i]!] === 0) chunks += ranker.chunk_counts[places[i]!]!;
      });
      if (pauses.due) await pauses.pause();
    }
    return chunks;
  }

  private rerank(
    ranking: Ranking,
    query: Query,
    limit: number,
    { ids }: Scope,
    pauses: Pauses,
    onGone: OnGone,
  ): Promise<Hit[]> {
    const textsOf = async (hits: readonly Hit[]) => {
      const texts = await this.reader.texts(hits.map((hit) => keyOf(hit, ids)));
      if (texts.includes(null)) onGone();
      return texts;
    };
    return rerank(ranking, query, limit, { analyzers: this.options.analyzers, textsOf, pauses });
  }

  private async passagesOf(
    hits: readonly FusedHit[],
    { ids }: Scope,
    folder_ids: readonly string[],
    pauses: Pauses,
    onGone: OnGone,
  ): Promise<Passage[]> {
    const passages: Passage[] = [];
    const scope = setOfIds(folder_ids);
    for (const batch of batchesOf(hits, passages_read)) {
      if (passages.length > 0 && pauses.due) await pauses.pause();
      const chunks = await this.reader.chunks(batch.map((hit) => keyOf(hit, ids)));
      if (chunks.includes(null)) onGone();
      const found = chunks.map((chunk, at) => chunk && passageOf(chunk, batch[at]!, scope));
      passages.push(...found.filter((passage) => passage !== null));
    }
    return passages;
  }

  private forget(pack: Pack): void {
    for (let part = 0; part < pack_parts; part++) this.cache.delete(partKey(pack, part));
  }
}

/** The terms of the query with their weights: the rarer, the greater. */
const searchedTerms = ({ terms }: Query, { idfs }: Ranking): SearchResult["terms"] =>
  terms.map(({ term, weight, others }, at) => ({
    term,
    idf: idfs[at]! * Math.min(1, weight),
    others,
  }));

/** The share of the query in a hit, weighted by rarity: 0 to 1. */
function coverageOf(hit: Hit | undefined, ranker: Ranker, terms: SearchResult["terms"]): number {
  if (hit === undefined) return 0;
  const total = terms.reduce((sum, { idf }) => sum + idf, 0);
  return ranker.termsIn(hit).reduce((sum, at) => sum + terms[at]!.idf, 0) / total;
}

const keyOf = (hit: Hit, ids: Float64Array): ChunkKey => ({
  segment_id: ids[hit.segment]!,
  ordinal: hit.chunk,
});
/** Below zero, where no segment has its id. */
const partKey = ({ number }: Pack, part: number): number => -1 - (number * pack_parts + part);

/** Null when the document is in no folder of the `scope` any more. */
function passageOf(
  { document, chunk, folder_ids }: PublishedChunk,
  { score, matched, meaning }: FusedHit,
  scope: ReadonlySet<string>,
): Passage | null {
  const folder_id = folder_ids.find((id) => scope.has(id));
  if (folder_id === undefined) return null;
  return {
    document_id: document.document_id,
    version: document.version,
    title: document.title,
    folder_id,
    start: chunk.first_point,
    end: chunk.end_point,
    text: chunk.text.trimEnd(),
    page: chunk.page,
    page_end: chunk.page_end,
    heading: chunk.heading,
    score,
    matched,
    meaning,
    time_start: chunk.time_start,
    time_end: chunk.time_end,
  };
}
