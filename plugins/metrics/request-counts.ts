/**
 * Counts requests and their durations by route. Every request passes here, so it only increments
 * plain numbers; the histogram is computed when metrics are read.
 */
import type { ServedRequest } from "../../core/sdk";

/** Upper bounds of the histogram, in seconds. */
export const bounds_s = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const bounds_ms = bounds_s.map((bound) => bound * 1_000);

/** The requests of one route. */
export interface RouteCounts {
  /** Such as `api`, `console`, `root`. */
  readonly surface: string;
  /** `none` for requests that were refused before routing, or match no route. */
  readonly method: string;
  /** `/folders/:folderId`, or `none`. */
  readonly route: string;
  /** Number of requests by status. */
  readonly by_status: Map<number, number>;
  /** Number of requests per bucket, not cumulative; the last is unbounded. */
  readonly buckets: number[];
  sum_ms: number;
}

/** Counts since the start of the server. */
export class RequestCounts {
  private readonly counts = new Map<string, Map<ServedRequest["route"], RouteCounts>>();

  readonly note = ({ surface, route, status, duration_ms }: ServedRequest): void => {
    let of_surface = this.counts.get(surface);
    if (of_surface === undefined) this.counts.set(surface, (of_surface = new Map()));
    let counts = of_surface.get(route);
    if (counts === undefined) of_surface.set(route, (counts = newCounts(surface, route)));
    counts.by_status.set(status, (counts.by_status.get(status) ?? 0) + 1);
    counts.sum_ms += duration_ms;
    let place = 0;
    while (place < bounds_ms.length && duration_ms > bounds_ms[place]!) place++;
    counts.buckets[place]!++;
  };

  /** The counts of all routes that were requested. */
  read(): readonly RouteCounts[] {
    return [...this.counts.values()].flatMap((of_surface) => [...of_surface.values()]);
  }
}

const newCounts = (surface: string, route: ServedRequest["route"]): RouteCounts => ({
  surface,
  method: route?.method ?? "none",
  route: route?.path ?? "none",
  by_status: new Map(),
  buckets: Array.from({ length: bounds_ms.length + 1 }, () => 0),
  sum_ms: 0,
});
