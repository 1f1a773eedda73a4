/** Worker: searches over a read connection of its own, with what it has read in memory. */
import { openReadConnection } from "../../core/sdk";
import { analyzer, analyzers } from "./analyzer";
import { searchHandler, type SearchProtocol } from "./search-handler";
import { SqliteSegmentReader } from "./segment-reader";
import { serveWorker } from "./worker-server";

serveWorker<SearchProtocol>(({ read_connection, ...limits }) =>
  searchHandler(new SqliteSegmentReader(openReadConnection(read_connection)), {
    analyzers,
    analyzer_version: analyzer.version,
    ...limits,
  }),
);
