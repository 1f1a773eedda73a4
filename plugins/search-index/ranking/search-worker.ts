/** Worker: searches on a read connection of its own, and caches what it has read. */
import { usesMuchMemory } from "../../../core/lib/memory-use";
import { analyzer, analyzers } from "../analysis/analyzer";
import { searchHandler, type SearchProtocol } from "./search-handler";
import { openSegmentReader } from "../segments/open-reader";
import { serveWorker } from "../workers/worker-server";

serveWorker<SearchProtocol>(({ read_connection, spares_memory = false, ...limits }) =>
  searchHandler(openSegmentReader(read_connection), {
    analyzers,
    analyzer_version: analyzer.version,
    usesMuch: () => spares_memory && usesMuchMemory(),
    ...limits,
  }),
);
