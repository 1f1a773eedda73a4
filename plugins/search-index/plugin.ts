/**
 * The search index: exact BM25 over the folders asked, fused with vectors when there is an
 * embedder, as ordinary rows in the one database.
 */
import { definePlugin, Size, t } from "../../core/sdk";
import { Embedders, SearchIndex, type SearchResult } from "./contract";
import { createEmbedding, Embed, embedding_subject } from "./document-embedder";
import type { EncodedSegment, EncodeInput } from "./encoder";
import { migrations } from "./migrations";
import { createQuestions } from "./query-embedder";
import { createReencoding, Reencode } from "./reindexer";
import type { SearchSetting } from "./search-worker";
import type { SearchQuestion } from "./searcher";
import { createIndex } from "./service";
import { createWorkerClient } from "./worker-client";

const encoder_idle_ms = 30_000,
  searcher_idle_ms = 2 * 60_000;

export default definePlugin({
  name: "index",
  version: "1.0.0",
  config: t.Object({
    cache: Size({
      description: "Memory that may hold parts of the index, so that a search need not read them.",
      default: "256MiB",
    }),
    vector_cache: Size({
      description: "The same for vectors, when there is an embedder.",
      default: "256MiB",
    }),
  }),
  provides: { index: SearchIndex },
  tables: [
    "index_documents",
    "index_staged",
    "index_segments",
    "index_chunks",
    "index_scope",
    "index_vector_sets",
    "index_vectors",
    "index_vectors_waiting",
  ],
  slots: { embedders: Embedders },
  migrations,
  setup: ({
    afterCommit,
    cancelJobs,
    now_ms,
    config,
    db,
    enqueue,
    files,
    inTransaction,
    log,
    paths,
    truncateWal,
    slots,
  }) => {
    const encoder = createWorkerClient<null, EncodeInput, EncodedSegment, string | null>({
      path: "plugins/search-index/encoder-worker.ts",
      url: () => new URL("./encoder-worker.ts", import.meta.url).href,
      setting: null,
      idle_ms: encoder_idle_ms,
      log,
    });
    const searcher = createWorkerClient<SearchSetting, SearchQuestion, never, SearchResult>({
      path: "plugins/search-index/search-worker.ts",
      url: () => new URL("./search-worker.ts", import.meta.url).href,
      setting: {
        database: paths.database,
        cache_bytes_max: config.cache,
        vector_cache_bytes_max: config.vector_cache,
      },
      idle_ms: searcher_idle_ms,
      log,
    });
    const embedder = () => slots.embedders()[0];
    const embedding = createEmbedding({
      db,
      inTransaction,
      afterCommit,
      truncateWal,
      requireFreeSpace: () => files.requireFreeSpace(),
      now_ms,
      embedder,
      log,
      enqueue: (tx) =>
        enqueue(
          tx,
          Embed,
          {},
          { key: embedding_subject, subject: embedding_subject, priority: -1 },
        ),
      cancel: (tx) => cancelJobs(tx, [embedding_subject]),
    });
    const questions = createQuestions({ embedder, serving: embedding.serving, now_ms, log });
    const service = createIndex({
      db,
      inTransaction,
      afterCommit,
      truncateWal,
      requireFreeSpace: () => files.requireFreeSpace(),
      now_ms,
      encoder,
      searcher,
      log,
      vectorOf: questions.vectorOf,
      published: embedding.published,
    });
    const reencoding = createReencoding({
      db,
      index: service.index,
      drop: service.drop,
      enqueue: (tx, step) => enqueue(tx, Reencode, { step }, { key: `index.reencode:${step}` }),
    });
    return {
      services: { index: service.index },
      jobs: [reencoding.handler, embedding.handler],
      async start() {
        await service.start();
        await reencoding.start();
        await embedding.start();
      },
      stop: async () => {
        encoder.stop();
        searcher.stop();
      },
      async health() {
        const waiting = await service.outdated();
        const failing = [
          waiting === 0
            ? null
            : `${waiting} documents wait to be indexed anew; until then their old index answers.`,
          await embedding.failing(),
          questions.failing(),
        ].filter((one) => one !== null);
        return failing.length === 0 ? "ok" : { failing: failing.join(" ") };
      },
    };
  },
});
