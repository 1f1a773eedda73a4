/** A text in blocks, with the pages that begin with them and the headings in them. */
import type { Outline } from "./content";
import type { RankedHeading } from "./markdown";
import { headingsOf, markedHeadings, pagesAsHeadings } from "./headings";
import type { Heading } from "./side-list";
import type { Rendering } from "./rendered-text";
import type { TextBlockLayout } from "./text-block";
import { chunksOf } from "./text-chunks";
import { indicesOf } from "./text-ranges";

/** A text of no more blocks is rendered completely. */
export const full_render_blocks_max = 24;

/**
 * The blocks in order, and the headings for the sidebar. `heading_level` is that of the highest.
 */
export function layoutOf(
  text: string,
  outline: Outline | undefined,
  heading_level: number,
  rendering: Rendering,
): { readonly layout: readonly TextBlockLayout[]; readonly headings: readonly Heading[] } {
  const pages = outline && outline.pages.length > 1 ? outline.pages : [];
  const starts = indicesOf(
    text,
    pages.map(({ start }) => start),
  );
  const page_at = new Map(starts.map((start, index) => [start, pages[index]!]));
  const headings = headingsIn(text, outline, rendering);
  const chunks = chunksOf(text, starts);
  const ranked = rankedBy(headings, heading_level, chunks.length <= full_render_blocks_max);
  let heading_index = 0;
  const layout = chunks.map((chunk): TextBlockLayout => {
    const chunk_headings: RankedHeading[] = [];
    for (
      ;
      heading_index < ranked.length && headings[heading_index]!.place < chunk.to;
      heading_index++
    )
      if (headings[heading_index]!.is_written) chunk_headings.push(ranked[heading_index]!);
    return { chunk, page: page_at.get(chunk.from) ?? null, headings: chunk_headings };
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
  const extracted = outline ? headingsOf(text, outline) : [];
  return extracted.length === 0 && rendering === "markdown" ? markedHeadings(text) : extracted;
}

/**
 * Levels skip none, whatever the text does. In a text that is not rendered completely they are not
 * exposed to assistive technology: those between rendered blocks would be missing.
 */
function rankedBy(
  headings: readonly Heading[],
  first_level: number,
  is_complete: boolean,
): readonly RankedHeading[] {
  const levels = [...new Set(headings.map(({ level }) => level))].sort((a, b) => a - b);
  let last_level = first_level - 1;
  return headings.map(({ level }) => {
    const rank = levels.indexOf(level);
    last_level = Math.min(first_level + rank, last_level + 1, 6);
    return { rank: Math.min(rank + 1, 4), tag: is_complete ? (`h${last_level}` as "h3") : "p" };
  });
}
