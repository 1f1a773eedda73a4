/** The passage to highlight in a document, and whether it was found. */
import type { Passage } from "./text-ranges";

/** A quote with its location, as citations and search results have it. */
export interface Highlight extends Passage {
  /** The surrounding passage in code points, if it is longer than the quote. */
  readonly passage?: { readonly start: number; readonly end: number };
  /** The text of that passage. */
  readonly surroundings?: string;
  readonly page: number | null;
  readonly page_end: number | null;
  /** Seconds into a recording. */
  readonly time_start: number | null;
  readonly time_end: number | null;
}

/** Whether the passage was found; null during the search, and when there is no passage. */
export type Found = boolean | null;

/** Scrolls a mark into the middle of its scroll container, without scrolling the page itself. */
export function scrollToMiddle(scroller: HTMLElement, mark: Element): void {
  const outer = scroller.getBoundingClientRect();
  const inner = mark.getBoundingClientRect();
  const space_above = Math.max(0, (outer.height - inner.height) / 2);
  scroller.scrollTop += inner.top - outer.top - Math.min(space_above, outer.height / 3);
  if (inner.left < outer.left || inner.right > outer.right)
    scroller.scrollLeft += inner.left - outer.left - 16;
}
