/** The size of the index, and what it waits for, as metrics. */
import { cachedAtOnce } from "../../core/lib/cached-result";
import { fill, toNumber, type Context } from "../../core/sdk";
import { Metrics } from "../metrics/contract";
import type { Embedding } from "./contract";
import type { IndexBytes } from "./sizes";

/** Each is counted in the smallest index of its table. */
const metrics = [
  {
    name: "dossier_index_documents",
    help: "Searchable documents.",
    table: "index_documents",
  },
  {
    name: "dossier_index_segments",
    help: "Segments: parts of documents in the index, with up to some hundred passages each.",
    table: "index_segments",
  },
  { name: "dossier_index_vectors", help: "Segments with vectors.", table: "index_vectors" },
  {
    name: "dossier_vectors_waiting",
    help: "Segments waiting for vectors.",
    table: "index_vectors_waiting",
  },
] as const;

/** It reads every row, in a child process. */
const bytes_hold_ms = 10 * 60_000;

/** What the metrics need besides `Context`. */
export interface IndexMetricsContext extends Pick<Context, "reads" | "now_ms"> {
  readonly embedding: Embedding;
  readonly countBytes: () => Promise<IndexBytes>;
}

/** The metrics of the index. */
export const indexMetrics = (ctx: IndexMetricsContext) => [
  ...counts(ctx),
  ...sizes(ctx),
  ...progress(ctx),
];

function progress({ embedding }: IndexMetricsContext) {
  const gauge = (
    name: string,
    help: string,
    of: "documents" | "left_s" | "passages" | "per_second",
  ) => fill(Metrics, { name, help, type: "gauge", read: async () => embedding.state()[of] });
  return [
    fill(Metrics, {
      name: "dossier_vectors_made_total",
      help: "Passages whose vectors were created since the server started.",
      type: "counter",
      read: async () => embedding.state().made,
    }),
    gauge("dossier_vectors_pending_documents", "Documents waiting for vectors.", "documents"),
    gauge(
      "dossier_vectors_pending_passages",
      "Approximate number of passages in documents waiting for vectors.",
      "passages",
    ),
    gauge(
      "dossier_vectors_per_second",
      "Passages per second for which vectors are created; absent when unknown.",
      "per_second",
    ),
    gauge(
      "dossier_vectors_left_seconds",
      "Estimated time until all documents have vectors; absent when unknown or idle.",
      "left_s",
    ),
  ];
}

function sizes({ countBytes, now_ms }: IndexMetricsContext) {
  const newest = cachedAtOnce(countBytes, bytes_hold_ms, now_ms);
  const size = (name: string, help: string, of: keyof IndexBytes) =>
    fill(Metrics, {
      name,
      help: `${help}; counted every ten minutes, absent until then.`,
      type: "gauge",
      read: async () => (await newest())?.[of] ?? null,
    });
  return [
    size("dossier_index_bytes", "Size of the index without its vectors", "index"),
    size("dossier_index_vectors_bytes", "Size of the vectors", "vectors"),
  ];
}

const counts = ({ reads }: IndexMetricsContext) =>
  metrics.map(({ name, help, table }) =>
    fill(Metrics, {
      name,
      help,
      type: "gauge",
      read: async () =>
        toNumber(
          (await reads.get<{ rows: number }>(`select count(*) as rows from ${table}`))?.rows,
        ),
    }),
  );
