/** Worker: searches over a read connection of its own, with the segments it has seen in memory. */
import { openReadConnection, type ReadConnectionSpec } from "../../core/sdk";
import { analyzer, analyzers } from "./analyzer";
import type { SearchResult } from "./contract";
import { Searcher, type HybridSearchRequest, type SearcherOptions } from "./searcher";
import { SqliteSegmentReader } from "./segment-reader";
import { serveWorker } from "./worker-server";

export interface SearchProtocol {
  readonly setting: {
    readonly read_connection: ReadConnectionSpec;
  } & Pick<SearcherOptions, "cache_bytes_max" | "vector_cache_bytes_max">;
  readonly request: HybridSearchRequest;
  readonly part: never;
  readonly response: SearchResult;
}

serveWorker<SearchProtocol>(({ read_connection, ...limits }) => {
  const reader = new SqliteSegmentReader(openReadConnection(read_connection));
  const searcher = new Searcher(reader, {
    analyzers,
    analyzer_version: analyzer.version,
    ...limits,
  });
  return (request) => searcher.search(request);
});
