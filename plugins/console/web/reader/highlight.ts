/** What a reader is asked to show of a document. */
import type { Passage } from "./text-ranges";

/** A passage with the place that the index knows for it: what citations and search results have. */
export interface Highlight extends Passage {
  readonly page: number | null;
  readonly page_end: number | null;
  /** Seconds into a recording. */
  readonly time_start: number | null;
  readonly time_end: number | null;
}

/**
 * How the search for the passage ended; null while it goes on, and when there is nothing to find.
 */
export type Found = boolean | null;

/** Brings a mark into the middle of what scrolls around it, without moving the page itself. */
export function scrollToMiddle(scroller: HTMLElement, mark: Element): void {
  const outer = scroller.getBoundingClientRect();
  const inner = mark.getBoundingClientRect();
  const room = Math.max(0, (outer.height - inner.height) / 2);
  scroller.scrollTop += inner.top - outer.top - Math.min(room, outer.height / 3);
  if (inner.left < outer.left || inner.right > outer.right)
    scroller.scrollLeft += inner.left - outer.left - 16;
}
