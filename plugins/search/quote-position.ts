/** Where a quote that was cut out of a passage stands: its own pages and times. */
import { pageAt, type PageSpan, type TimeSpan } from "../extraction/contract";
import type { FoundPassage } from "./contract";

/** Pages and times of a quote. */
export type Place = Pick<
  FoundPassage,
  "page" | "page_end" | "page_label" | "time_start" | "time_end"
>;

/** Pages and times of a document. */
export interface Spans {
  /** In the order of the text. UTF-16 indices. */
  readonly pages: readonly PageSpan[];
  readonly times: readonly TimeSpan[];
}

/** Between two UTF-16 indices, of which the second is greater. */
export function placeBetween({ pages, times }: Spans, start: number, end: number): Place {
  const overlapping = times.filter((span) => span.start < end && span.end > start);
  return {
    page: pageAt(pages, start)?.page ?? null,
    page_end: pageAt(pages, end - 1)?.page ?? null,
    page_label: pageAt(pages, start)?.label ?? null,
    time_start:
      overlapping.length === 0 ? null : Math.min(...overlapping.map((span) => span.time_start)),
    time_end:
      overlapping.length === 0 ? null : Math.max(...overlapping.map((span) => span.time_end)),
  };
}
