/**
 * Worker: searches over a read-only connection of its own, with the segments it has seen kept in
 * memory.
 */
import { Database } from "bun:sqlite";
import { analyzer, analyzers } from "./analyzer";
import type { SearchResult } from "./contract";
import { createSearcher, type SearchQuestion } from "./searcher";
import { serve } from "./worker-server";

export interface SearchSetting {
  readonly database: string;
  readonly cache_bytes_max: number;
  readonly vector_cache_bytes_max: number;
}

serve<SearchSetting, SearchQuestion, never, SearchResult>(({ database, ...limits }) => {
  const connection = new Database(database, { readonly: true });
  connection.run("pragma busy_timeout = 5000");
  const searcher = createSearcher(connection, { analyzers, running: analyzer.version, ...limits });
  return (question) => searcher.search(question);
});
