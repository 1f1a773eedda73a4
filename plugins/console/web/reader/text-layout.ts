/** A text in blocks, with the pages that begin with them and the headings in them. */
import type { Outline } from "./content";
import type { RankedHeading } from "./markdown";
import { headingsOf, markedHeadings, pagesAsHeadings } from "./headings";
import type { Heading } from "./side-list";
import type { Rendering } from "./rendered-text";
import type { Laid } from "./text-block";
import { chunksOf } from "./text-chunks";
import { indicesOf } from "./text-ranges";

/** A text of no more blocks is rendered completely. */
export const drawn_at_once = 24;

export function layoutOf(
  text: string,
  outline: Outline | undefined,
  heading_level: number,
  rendering: Rendering,
): { readonly layout: readonly Laid[]; readonly headings: readonly Heading[] } {
  const pages = outline && outline.pages.length > 1 ? outline.pages : [];
  const starts = indicesOf(
    text,
    pages.map(({ start }) => start),
  );
  const page_at = new Map(starts.map((start, at) => [start, pages[at]!]));
  const headings = headingsIn(text, outline, rendering);
  const chunks = chunksOf(text, starts);
  const ranked = rankedBy(headings, heading_level, chunks.length <= drawn_at_once);
  let next = 0;
  const layout = chunks.map((chunk): Laid => {
    const inside: RankedHeading[] = [];
    for (; next < ranked.length && headings[next]!.place < chunk.to; next++)
      if (headings[next]!.is_written) inside.push(ranked[next]!);
    return { chunk, page: page_at.get(chunk.from) ?? null, headings: inside };
  });
  const listed = headings.length > 0 ? headings : pagesAsHeadings(pages, starts);
  return { layout, headings: listed.filter((heading) => heading.text !== "") };
}

/** Extracted headings; for a text written as Markdown, its own. */
function headingsIn(
  text: string,
  outline: Outline | undefined,
  rendering: Rendering,
): readonly Heading[] {
  const found = outline ? headingsOf(text, outline) : [];
  return found.length === 0 && rendering === "markdown" ? markedHeadings(text) : found;
}

/**
 * Levels skip none, whatever the text does. In a text that is not rendered completely they are not
 * exposed to assistive technology: those between rendered blocks would be missing.
 */
function rankedBy(
  headings: readonly Heading[],
  first: number,
  whole: boolean,
): readonly RankedHeading[] {
  const levels = [...new Set(headings.map(({ level }) => level))].sort((a, b) => a - b);
  let last = first - 1;
  return headings.map(({ level }) => {
    const rank = levels.indexOf(level);
    last = Math.min(first + rank, last + 1, 6);
    return { rank: Math.min(rank + 1, 4), tag: whole ? (`h${last}` as "h3") : "p" };
  });
}
