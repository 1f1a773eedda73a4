/** Metrics for other plugins: how to add one to GET /metrics. */
import { shaped, slot } from "../../core/sdk";

/** A value of a metric. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}
/**
 * Read at each scrape, about every 15 s. It must be fast, because requests wait meanwhile. A metric
 * that throws, takes longer than two seconds or has an invalid name is left out of that scrape and
 * counted in `dossier_metrics_failed`.
 */
export interface Metric {
  /** Including the unit: `dossier_backup_age_seconds`; a counter ends with `_total`. */
  readonly name: string;
  /** The help text, one sentence. */
  readonly help: string;
  readonly type: "gauge" | "counter";
  /** Null: no value at the moment. Every sample has the same labels. */
  read(): Promise<number | readonly Sample[] | null>;
}
/** The metrics that plugins add. */
export const Metrics = slot<Metric>("metrics.metrics", {
  check: shaped<Metric>({ name: "text", help: "text", type: "text", read: "function" }),
  key: ({ name }) => `the metric ${name}`,
});
