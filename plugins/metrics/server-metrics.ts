/** Metrics of core: jobs, database, memory, event loop. */
import { stat } from "node:fs/promises";
import { commit, version, type Context, type NodeOverview } from "../../core/sdk";
import type { Metric, Sample } from "./contract";

export type ServerMetricsContext = Pick<Context, "operations" | "paths" | "now_ms">;

const gauge = (name: string, help: string, read: Metric["read"]): Metric => ({
  name: `dossier_${name}`,
  help,
  type: "gauge",
  read,
});

/** The metrics of the server itself. */
export const serverMetrics = (ctx: ServerMetricsContext): readonly Metric[] => [
  ...stateMetrics(ctx),
  ...jobMetrics(ctx),
  ...nodeMetrics(ctx),
  ...storageMetrics(ctx),
  ...processMetrics(ctx),
];

const stateMetrics = ({ operations }: ServerMetricsContext): readonly Metric[] => [
  gauge("info", "The running version; always 1.", async () => [
    { labels: { version, commit: commit ?? "unknown" }, value: 1 },
  ]),
  gauge("storage_writable", "1 while the storage is writable.", async () =>
    Number((await operations.storageFailure()) === null),
  ),
  gauge("plugins", "Plugins by status.", async () => {
    const counts = { loaded: 0, failing: 0, left_out: 0, disabled: 0 };
    for (const { status } of await operations.plugins()) counts[status]++;
    return Object.entries(counts).map(([status, value]) => ({ labels: { status }, value }));
  }),
];

const jobMetrics = ({ operations, now_ms }: ServerMetricsContext): readonly Metric[] => [
  gauge(
    "jobs",
    "Jobs that are waiting (ready), running, or failed in the last 30 days.",
    async () =>
      (await operations.jobs.kinds()).map(({ plugin, name, state, jobs }) => ({
        labels: { plugin, kind: name, state },
        value: jobs,
      })),
  ),
  gauge(
    "jobs_oldest_waiting_seconds",
    "How long the oldest due job of a kind has been waiting; 0 when none is due.",
    async (): Promise<Sample[]> =>
      (await operations.jobs.kinds())
        .filter(({ state }) => state === "ready")
        .map(({ plugin, name, first_run_at }) => ({
          labels: { plugin, kind: name },
          value: Math.max(0, now_ms() - first_run_at) / 1_000,
        })),
  ),
];

/** Every process reports the same values for all processes. */
const nodeMetrics = ({ operations, now_ms }: ServerMetricsContext): readonly Metric[] => {
  const each =
    (valueOf: (node: NodeOverview) => number): Metric["read"] =>
    async () =>
      (await operations.nodes()).map((node) => ({
        labels: { node: node.id, host: node.host, role: node.role },
        value: valueOf(node),
      }));
  return [
    gauge(
      "node_up",
      "1 for a process that serves the database, 0 for one that disappeared recently.",
      each(({ status }) => Number(status === "up")),
    ),
    gauge("node_info", "Facts about a process; always 1.", async () =>
      (await operations.nodes()).map(({ id, host, pid, role, version }) => ({
        labels: { node: id, host, pid: String(pid), role, version },
        value: 1,
      })),
    ),
    gauge(
      "node_start_time_seconds",
      "When a process started, in seconds since 1970.",
      each(({ started_at }) => started_at / 1_000),
    ),
    gauge(
      "node_heartbeat_age_seconds",
      "Time since the last sign of life of a process.",
      each(({ seen_at }) => Math.max(0, now_ms() - seen_at) / 1_000),
    ),
    gauge(
      "node_jobs_running",
      "Jobs running in a process.",
      each(({ jobs }) => jobs.reduce((sum, kind) => sum + kind.jobs, 0)),
    ),
  ];
};

const storageMetrics = ({ operations, paths }: ServerMetricsContext): readonly Metric[] => [
  gauge(
    "database_bytes",
    "Size of the database, without its write-ahead log.",
    async () => (await operations.space()).bytes,
  ),
  gauge(
    "database_free_bytes",
    "Free space in the database, left by deleted rows.",
    async () => (await operations.space()).free_bytes,
  ),
  gauge("database_wal_bytes", "Size of the write-ahead log of the embedded database.", async () =>
    paths.database === null
      ? 0
      : stat(`${paths.database}-wal`).then(
          ({ size }) => size,
          () => 0,
        ),
  ),
];

const processMetrics = ({ operations }: ServerMetricsContext): readonly Metric[] => [
  {
    name: "process_start_time_seconds",
    help: "When the server started, in seconds since 1970.",
    type: "gauge",
    read: async () => operations.started_at_ms / 1_000,
  },
  {
    name: "process_cpu_seconds_total",
    help: "Processor time used by the process.",
    type: "counter",
    read: async () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  },
  {
    name: "process_resident_memory_bytes",
    help: "Resident memory of the process.",
    type: "gauge",
    read: async () => process.memoryUsage.rss(),
  },
  gauge("heap_used_bytes", "Heap memory in use.", async () => process.memoryUsage().heapUsed),
  gauge(
    "event_loop_delay_max_seconds",
    "The longest blocking of the event loop in the last minute.",
    async () => operations.stalls().max_ms / 1_000,
  ),
  gauge(
    "event_loop_delay_p99_seconds",
    "The 99th percentile of event loop delays in the last minute.",
    async () => operations.stalls().p99_ms / 1_000,
  ),
];
