/** The search index: exact BM25 over the folders asked, as ordinary rows in the one database. */
import { definePlugin, Size, t } from "../../core/sdk";
import { SearchIndex, type SearchRequest, type SearchResult } from "./contract";
import type { EncodedSegment, EncodeInput } from "./encode";
import { migrations } from "./migrations";
import { createReencoding, Reencode } from "./reencoding";
import type { SearchSetting } from "./search-worker";
import { createIndex } from "./service";
import type { IndexTables } from "./store";
import { createWorkerClient } from "./worker-client";

const encoder_idle_ms = 30_000, searcher_idle_ms = 2 * 60_000;

export default definePlugin({
  name: "index",
  version: "1.0.0",
  config: t.Object({ cache: Size({ description: "Memory that may hold parts of the index, so that a search need not read them.", default: "256MiB" }) }),
  provides: { index: SearchIndex },
  tables: ["index_documents", "index_staged", "index_segments", "index_chunks", "index_scope"],
  migrations,
  setup: ({ afterCommit, clock, config, database, enqueue, files, inTransaction, log, paths, scrub }) => {
    const db = database<IndexTables>();
    const encoder = createWorkerClient<null, EncodeInput, EncodedSegment, string | null>({
      path: "plugins/index/encode-worker.ts", url: () => new URL("./encode-worker.ts", import.meta.url).href, setting: null, idle_ms: encoder_idle_ms, log,
    });
    const searcher = createWorkerClient<SearchSetting, SearchRequest, never, SearchResult>({
      path: "plugins/index/search-worker.ts", url: () => new URL("./search-worker.ts", import.meta.url).href,
      setting: { database: paths.database, cache_bytes_max: config.cache }, idle_ms: searcher_idle_ms, log,
    });
    const service = createIndex({ db, inTransaction, afterCommit, scrub, requireRoom: files.requireRoom, now_ms: () => clock.now_ms(), encoder, searcher, log });
    const reencoding = createReencoding({ db, index: service.index, drop: service.drop, enqueue: (tx, step) => enqueue(tx, Reencode, { step }, { key: `index.reencode:${step}` }) });
    return {
      services: { index: service.index },
      jobs: [reencoding.handler],
      async start() {
        await service.start();
        await reencoding.start();
      },
      stop: async () => { encoder.stop(); searcher.stop(); },
      async health() {
        const waiting = await service.outdated();
        return waiting === 0 ? "ok" : { failing: `${waiting} documents wait to be indexed anew; until then their old index answers.` };
      },
    };
  },
});
