/**
 * Ranks the passages in scope by meaning: by the similarity of their vectors to that of the
 * question. Keeps vectors in memory between searches.
 */
import type { BackendAnswer, SearchRequest } from "../contract";
import { fusion_hits_max, type MeaningRanking } from "./fusion";
import { ScopeChanged, type Scope } from "./scope";
import { Likeness } from "../vectors/likeness";
import { nearestChunks } from "../vectors/nearest-chunks";
import { VectorMemory } from "../vectors/vector-memory";
import type { NearRequest, NearSegments, VectorReader } from "../vectors/vector-reader";
import type { QueryVector } from "../vectors/vector-math";
import type { Pauses } from "../workers/worker-protocol";

/** Memory for vectors; `cache_bytes_max` unless they have a limit of their own. */
export interface MeaningSearchOptions {
  readonly cache_bytes_max: number;
  readonly vector_cache_bytes_max?: number;
}
/** The scope of a search, or what a backend has found in it. */
interface MeaningRequest extends Pick<SearchRequest, "folder_ids" | "document_ids"> {
  readonly among?: BackendAnswer | undefined;
}

/** How long the database is not asked for similar vectors after it could not tell. */
const near_pause_ms = 60_000;

export class MeaningSearch {
  /** Vectors of one set, replaced with another one. */
  private vectors:
    | { readonly set_id: number; readonly memory: VectorMemory; readonly likeness: Likeness }
    | undefined;
  private near_failed_at_ms = -Infinity;

  constructor(
    private readonly reader: VectorReader,
    private readonly options: MeaningSearchOptions,
  ) {}

  /**
   * The most similar passages in scope. @throws ScopeChanged when the database failed to find them,
   * which has also ended the snapshot.
   */
  async rank(
    { ids }: Scope,
    vector: QueryVector,
    { folder_ids, document_ids, among }: MeaningRequest,
    pauses: Pauses,
  ): Promise<MeaningRanking & { readonly is_beyond: boolean }> {
    const { reader } = this;
    const { set_id, data, scale } = vector;
    const { memory, likeness } = this.vectorsOf(set_id, data.length);
    const near = (query: Float32Array, segments: number) =>
      this.nearIn({ folder_ids, set_id, query, segments });
    const options = {
      memory,
      reader,
      limit: fusion_hits_max,
      pauses,
      near: document_ids === undefined ? near : undefined,
      nearest: among && { near: among.segment_ids, unknown: [] },
    };
    const nearest = await nearestChunks(ids, vector, options);
    const [best] = nearest.hits;
    // Passages chosen by a backend are alike anyway.
    if (scale === undefined || among !== undefined || best === undefined)
      return { ...nearest, likeness: null, around: null, scale };
    const place = { id: ids[best.segment]!, cosine: best.score, query: scale.adjusted_query };
    return {
      ...nearest,
      likeness: await likeness.of(ids, scale.language_directions, reader, pauses),
      around: await likeness.around(place, reader, pauses),
      scale,
    };
  }

  private vectorsOf(set_id: number, dimensions: number) {
    const { cache_bytes_max, vector_cache_bytes_max = cache_bytes_max } = this.options;
    if (this.vectors?.set_id !== set_id)
      this.vectors = {
        set_id,
        memory: new VectorMemory(dimensions, vector_cache_bytes_max),
        likeness: new Likeness(set_id, dimensions),
      };
    return this.vectors;
  }

  /** As `VectorReader.near`; undefined for a while after an error. @throws ScopeChanged */
  private async nearIn(request: NearRequest): Promise<NearSegments | null | undefined> {
    const now_ms = performance.now();
    if (this.reader.near === undefined || now_ms < this.near_failed_at_ms + near_pause_ms)
      return undefined;
    try {
      return await this.reader.near(request);
    } catch {
      this.near_failed_at_ms = now_ms;
      throw new ScopeChanged();
    }
  }
}
