/**
 * The search index: exact BM25 over the given folders, fused with vectors when there is an
 * embedder, as ordinary rows in the database.
 */
import {
  definePlugin,
  fill,
  lazyTask,
  ReadinessChecks,
  Size,
  t,
  task,
  type Context,
  type Fill,
  type Isolate,
} from "../../core/sdk";
import { BackupProbes } from "../backups/contract";
import { SystemChecks } from "../doctor/contract";
import { Folders } from "../folders/contract";
import { Calibrations } from "./vectors/calibrations";
import { EmbedderChanged, Embedders, Embedding, SearchBackends, SearchIndex } from "./contract";
import { DocumentEmbedder } from "./embedding/document-embedder";
import type { EncoderProtocol } from "./indexing/encoder-worker";
import { jobHandlers } from "./jobs";
import { indexMetrics } from "./metrics";
import { migrations } from "./migrations";
import { askIndex } from "./probe";
import { PgvectorCopy } from "./vectors/pgvector-copy";
import { QueryEmbedder } from "./vectors/query-embedder";
import { Reindexer } from "./indexing/reindexer";
import type { SearchProtocol } from "./ranking/search-handler";
import { PackCheck } from "./segments/pack-check";
import { IndexService } from "./service";
import { TextSimilarities } from "./vectors/similarities";
import { countBytesBy, type IndexBytes } from "./sizes";
import { Texts } from "../texts/contract";
import { backendOf } from "./backend/backend-setup";
import { vectorFills } from "./checks";
import { VectorConverter } from "./vectors/vector-converter";
import { WorkerClient } from "./workers/worker-client";

const encoder_idle_ms = 30_000;
const searcher_idle_ms = 2 * 60_000;
/** A larger cache is what the operator wants, and filled however much memory the process uses. */
const spared_bytes_max = 256 * 2 ** 20;
/** A text of more UTF-16 units takes much memory. */
const large_text_length = 2 ** 20;
/** The ids of ten thousand folders, in characters. */
const large_scope_length = 300_000;
const probe_limits = { timeout_ms: 10 * 60_000, memory_max_bytes: 512 * 2 ** 20 };
const size_limits = { timeout_ms: 5 * 60_000, memory_max_bytes: 512 * 2 ** 20 };
/** Health counts no further. */
const outdated_counted_max = 1_000;

const tasks = {
  askIndex: task((database: string) => askIndex(database)),
  countBytes: lazyTask(async () => (await import("./sizes")).countBytes),
};

export default definePlugin({
  name: "index",
  version: "1.0.0",
  config: t.Object({
    cache: Size({
      description:
        "Memory for keeping parts of the index, so that a search need not read them from the " +
        "database.",
      default: "256MiB",
    }),
    vector_cache: Size({
      description: "Memory for keeping vectors, when there is an embedder. At most 3 GiB are used.",
      default: "256MiB",
    }),
    pause_vectors: t.Boolean({
      default: false,
      changes: "now",
      description:
        "While this is true, documents get no vectors and are found by words only. Questions " +
        "are still embedded.",
    }),
  }),
  // Needed first: passages are read from the tables of texts, and folders count what waits.
  needs: { folders: Folders, texts: Texts },
  provides: { index: SearchIndex, embedding: Embedding },
  tables: [
    "index_documents",
    "index_staged",
    "index_segments",
    "index_chunks",
    // Until its step 0014.
    "index_places",
    "index_scope",
    "index_packs",
    "index_pack_parts",
    "index_packed",
    "index_vector_sets",
    "index_vectors",
    "index_float_vectors",
    "index_vectors_waiting",
    "index_vector_references",
    "index_backend",
    "index_backend_waiting",
  ],
  slots: { embedders: Embedders, backends: SearchBackends },
  migrations,
  tasks,
  setup: (ctx) => {
    const encoder = encoderOf(ctx);
    const searcher = searcherOf(ctx, ctx.config);
    const embedder = () => ctx.slots.embedders()[0];
    const paused = () => ctx.config.pause_vectors;
    const calibrations = new Calibrations(ctx);
    const backend = backendOf({ ...ctx, backend: () => ctx.slots.backends()[0] });
    const { feed } = backend;
    const embedding_ctx = { ...ctx, ...ctx.services, embedder, calibrations, paused };
    const document_embedder = new DocumentEmbedder({ ...embedding_ctx, backend: feed });
    ctx.whenSettingsChange(() => document_embedder.resume());
    const compared = { ...embedding_ctx, servingSet: () => document_embedder.servingSet() };
    const query_embedder = new QueryEmbedder(compared);
    const similarities = new TextSimilarities({ ...compared, questions: query_embedder });
    const pgvector = new PgvectorCopy(ctx);
    const index = new IndexService({
      ...ctx,
      encoder,
      searcher,
      query_embedder,
      similarities,
      document_embedder,
      pgvector,
      backend,
    });
    const reindexer = new Reindexer({ ...ctx, index });
    const converter = new VectorConverter(ctx);
    let stopFollowing = (): void => {};
    return {
      services: { index, embedding: document_embedder },
      fills: [
        ...indexMetrics({ ...ctx, embedding: document_embedder, countBytes: byteCounter(ctx) }),
        ...vectorFills(document_embedder, pgvector),
        fill(SystemChecks, new PackCheck(ctx)),
        ...backend.fills,
        ...watchedBy(ctx, searcher, encoder),
      ],
      jobs: jobHandlers({
        reindex: (step, run) => reindexer.run(step, run),
        embedDocuments: (run) => document_embedder.run(run),
        convertVectors: () => converter.run(),
        copyVectors: ({ signal }) => pgvector.run(signal),
        updateBackend: (run) => feed.run(run),
        checkBackend: () => (tx) => feed.enqueue(tx),
      }),
      schedules: backend.schedules,
      async start() {
        await index.start();
        await reindexer.start();
        await document_embedder.start();
        await converter.start();
        await pgvector.start();
        await feed.start();
        stopFollowing = ctx.notifier.subscribe(EmbedderChanged, "all", (_, is_local) => {
          if (is_local) document_embedder.follow();
        });
      },
      stop: async () => {
        stopFollowing();
        await document_embedder.stop();
        await Promise.all([encoder.stop(), searcher.stop(), index.stop()]);
      },
      health: () =>
        healthOf(index, [
          () => document_embedder.state().failing,
          () => query_embedder.failing(),
          backend.failing,
        ]),
    };
  },
});

/** Whether its workers run, and the questions to a rehearsed backup. */
const watchedBy = (
  { isolate }: { readonly isolate: Isolate<typeof tasks> },
  ...workers: readonly { failure(): string | null }[]
): Fill[] => [
  fill(ReadinessChecks, {
    name: "index",
    failing: () => workers.map((worker) => worker.failure()).find((one) => one !== null) ?? null,
  }),
  fill(BackupProbes, {
    name: "search",
    ask: (database) => isolate("askIndex", database, probe_limits),
  }),
];

async function healthOf(
  index: IndexService,
  failures: readonly (() => string | null)[],
): Promise<"ok" | { readonly failing: string }> {
  const failing = [
    outdatedMessage(await index.countOutdated(outdated_counted_max + 1)),
    ...failures.map((failing) => failing()),
  ].filter((one) => one !== null);
  return failing.length === 0 ? "ok" : { failing: failing.join(" ") };
}

function outdatedMessage(documents: number): string | null {
  if (documents === 0) return null;
  const how_many =
    documents > outdated_counted_max ? `More than ${outdated_counted_max}` : String(documents);
  return `${how_many} documents are waiting to be reindexed. Until then, their old index is used.`;
}

/** Counts in a child process when the database is a file. */
const byteCounter =
  ({
    paths: { database },
    reads,
    isolate,
  }: Pick<Context, "paths" | "reads"> & { readonly isolate: Isolate<typeof tasks> }) =>
  (): Promise<IndexBytes> =>
    database === null ? countBytesBy(reads) : isolate("countBytes", database, size_limits);

const encoderOf = ({
  log,
  read_connection,
}: Pick<Context, "log" | "read_connection">): WorkerClient<EncoderProtocol> =>
  new WorkerClient({
    path: "plugins/search-index/indexing/encoder-worker.ts",
    url: () => new URL("./indexing/encoder-worker.ts", import.meta.url).href,
    setting: { read_connection },
    idle_ms: encoder_idle_ms,
    isLarge: ({ text, stored }) => (text?.length ?? stored?.units ?? 0) > large_text_length,
    log,
  });

const searcherOf = (
  { log, read_connection }: Pick<Context, "log" | "read_connection">,
  caches: { readonly cache: number; readonly vector_cache: number },
): WorkerClient<SearchProtocol> =>
  new WorkerClient({
    path: "plugins/search-index/ranking/search-worker.ts",
    url: () => new URL("./ranking/search-worker.ts", import.meta.url).href,
    setting: {
      read_connection,
      cache_bytes_max: caches.cache,
      spares_memory: caches.cache <= spared_bytes_max,
      vector_cache_bytes_max: caches.vector_cache,
    },
    idle_ms: searcher_idle_ms,
    isLarge: (request) =>
      "search" in request && request.search.folder_ids.length > large_scope_length,
    log,
  });
