/**
 * The search worker's handler for requests: it searches, or makes packs, each of which is a part of
 * the response.
 */
import { listOfIds } from "../../../core/lib/id-lists";
import type { ReadConnectionSpec } from "../../../core/worker-sdk";
import type { BuiltPack } from "../segments/pack";
import { packLoose } from "../segments/loose-packs";
import type { ScopeRequest } from "./scope";
import {
  Searcher,
  type HybridSearchRequest,
  type Searched,
  type SearcherOptions,
} from "./searcher";
import type { SegmentReader } from "../segments/segment-reader";
import type { RequestHandler } from "../workers/worker-server";

/** Packs the segments of these folders that are in no pack, from the id `from_id` on. */
export interface PackRequest extends ScopeRequest {
  readonly from_id: number;
}
/** A search as it is sent: one string is copied faster than thousands. */
export interface SentSearch extends Omit<HybridSearchRequest, "folder_ids"> {
  /** Separated by spaces. */
  readonly folder_ids: string;
}
/** The messages of the worker. */
export interface SearchProtocol {
  readonly setting: {
    readonly read_connection: ReadConnectionSpec;
    /** Little is cached while the process uses much memory. Default: false. */
    readonly spares_memory?: boolean;
  } & Pick<SearcherOptions, "cache_bytes_max" | "vector_cache_bytes_max">;
  readonly request: { readonly search: SentSearch } | { readonly pack: PackRequest };
  readonly part: BuiltPack;
  /** Null when packs were made. */
  readonly response: Searched | null;
}

/** Answers the requests of one worker. */
export function searchHandler(
  reader: SegmentReader,
  options: SearcherOptions,
): RequestHandler<SearchProtocol> {
  const searcher = new Searcher(reader, options);
  return async (request, run) => {
    if ("search" in request) {
      const folder_ids = listOfIds(request.search.folder_ids);
      return searcher.search({ ...request.search, folder_ids }, run);
    }
    const { analyzer_version } = options;
    const { from_id } = request.pack;
    const scope = await searcher.scopeOf(request.pack, run);
    for await (const pack of packLoose(reader, scope, analyzer_version, run, from_id))
      run.sendPart(
        pack,
        [pack.head, ...pack.parts].map(({ buffer }) => buffer as ArrayBuffer),
      );
    return null;
  };
}
