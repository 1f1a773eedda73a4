/** Reads every metric once; concurrent scrapes share the result. */
import { withTimeout } from "../../core/lib/timeout";
import type { Context } from "../../core/sdk";
import type { Metric } from "./contract";
import type { ReadMetric } from "./exposition";
import type { RequestCounts } from "./request-counts";

const read_ms_max = 2_000;

/** The response to a scrape. */
export interface Scraped {
  readonly text: string;
  readonly content_type: string;
}
/** What a scrape reads. */
export interface ScraperContext extends Pick<Context, "log"> {
  readonly metrics: () => readonly Metric[];
  readonly requests: Pick<RequestCounts, "read">;
}

/** Reads all metrics; one that fails is left out and logged. */
export class Scraper {
  private running: Promise<Scraped> | undefined;
  /** Metrics that failed in the last scrape, so that each failure is logged once. */
  private readonly failing = new Set<string>();

  constructor(private readonly ctx: ScraperContext) {}

  /** The metrics in the text format. */
  scrape(): Promise<Scraped> {
    return (this.running ??= this.collect().finally(() => {
      this.running = undefined;
    }));
  }

  private async collect(): Promise<Scraped> {
    const { metrics, requests } = this.ctx;
    const { content_type, exposition } = await import("./exposition");
    const all = metrics();
    // One at a time: a scrape must not delay requests by a burst of statements.
    const read_metrics: ReadMetric[] = [];
    for (const metric of all) {
      const read = await this.read(metric);
      if (read) read_metrics.push(read);
    }
    return {
      text: await exposition(read_metrics, requests.read(), this.failing.size),
      content_type,
    };
  }

  private async read(metric: Metric): Promise<ReadMetric | null> {
    const { name, help, type } = metric;
    try {
      const read = await withTimeout(
        metric.read(),
        read_ms_max,
        () => new Error(`it took longer than ${read_ms_max / 1_000} s`),
      );
      this.failing.delete(name);
      if (read === null) return null;
      return { name, help, type, samples: typeof read === "number" ? [{ value: read }] : read };
    } catch (error) {
      if (!this.failing.has(name))
        this.ctx.log.warn("a metric could not be read", { metric: name, error: String(error) });
      this.failing.add(name);
      return null;
    }
  }
}
