/** Metrics for other plugins: how to add one to GET /metrics. */
import { shaped, slot } from "../../core/sdk";

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}
/**
 * What is read at each scrape, about every 15 s: it must be quick, because requests wait meanwhile.
 * One that throws, takes longer than two seconds or has a name that won't do is left out of that
 * scrape, and counted in `dossier_metrics_failed`.
 */
export interface Metric {
  /** With its unit: `dossier_backup_age_seconds`; a counter ends with `_total`. */
  readonly name: string;
  /** What it says, in a sentence. */
  readonly help: string;
  readonly type: "gauge" | "counter";
  /** Null: there is nothing to say now. Every sample has the same labels. */
  read(): Promise<number | readonly Sample[] | null>;
}
export const Metrics = slot<Metric>("metrics.metrics", {
  check: shaped<Metric>({ name: "text", help: "text", type: "text", read: "function" }),
  key: ({ name }) => `the metric ${name}`,
});
