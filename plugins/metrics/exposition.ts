/**
 * The Prometheus text format, produced by prom-client. Imported at the first scrape, so that a
 * server that is never scraped doesn't load it.
 */
import { Counter, Gauge, Registry, type Histogram } from "prom-client";
import type { Metric, Sample } from "./contract";
import { bounds_s, type RouteCounts } from "./request-counts";

/** The media type of the format. */
export const content_type = Registry.PROMETHEUS_CONTENT_TYPE;

/** A metric with its values. */
export interface ReadMetric extends Pick<Metric, "name" | "help" | "type"> {
  readonly samples: readonly Sample[];
}

/**
 * Metrics in `metrics` with an invalid name or labels are left out and added to `failed`, those
 * that could not be read.
 */
export function exposition(
  metrics: readonly ReadMetric[],
  requests: readonly RouteCounts[],
  failed: number,
): Promise<string> {
  const registry = new Registry();
  addRequests(registry, requests);
  let left_out = failed;
  for (const metric of metrics)
    try {
      add(registry, metric);
    } catch {
      registry.removeSingleMetric(metric.name);
      left_out++;
    }
  add(registry, {
    name: "dossier_metrics_failed",
    help: "Metrics that could not be read in this scrape.",
    type: "gauge",
    samples: [{ value: left_out }],
  });
  return registry.metrics();
}

function add(registry: Registry, { name, help, type, samples }: ReadMetric): void {
  const options = {
    name,
    help,
    // Without labels, prom-client would write a metric without samples as 0.
    labelNames: samples.length === 0 ? ["none"] : Object.keys(samples[0]!.labels ?? {}),
    registers: [registry],
  };
  if (type === "gauge") {
    const gauge = new Gauge(options);
    for (const { labels = {}, value } of samples) gauge.set(labels, value);
  } else {
    const counter = new Counter(options);
    for (const { labels = {}, value } of samples) counter.inc(labels, value);
  }
}

function addRequests(registry: Registry, requests: readonly RouteCounts[]): void {
  add(registry, {
    name: "dossier_http_requests_total",
    help: "Answered requests.",
    type: "counter",
    samples: requests.flatMap(({ surface, method, route, by_status }) =>
      [...by_status].map(([status, value]) => ({
        labels: { surface, method, route, status: String(status) },
        value,
      })),
    ),
  });
  // Implements what a registry needs of a histogram: prom-client's own can't take precomputed
  // counts.
  registry.registerMetric({
    name: durations.name,
    get: () => histogram(requests),
  } as unknown as Histogram);
}

const durations = {
  name: "dossier_http_request_duration_seconds",
  help: "Time until the response started; a stream continues after that.",
  type: "histogram",
} as const;

const histogram = async (requests: readonly RouteCounts[]) => ({
  ...durations,
  values: requests.flatMap(valuesOf),
});

function valuesOf({ surface, method, route, buckets, sum_ms }: RouteCounts) {
  const { name } = durations;
  const labels = { surface, method, route };
  let count = 0;
  const upTo = buckets.map((requests, index) => {
    count += requests;
    const le = bounds_s[index] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...upTo,
    { metricName: `${name}_sum`, labels, value: sum_ms / 1_000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
