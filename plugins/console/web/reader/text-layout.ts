/** A text in its parts, with the pages that begin with them and the headings in them. */
import type { Outline } from "./content";
import type { RankedHeading } from "./markdown";
import type { Heading } from "./side-list";
import type { Laid } from "./text-block";
import { chunksOf } from "./text-chunks";
import { indicesOf } from "./text-ranges";

/** A text of no more parts is rendered whole. */
export const drawn_at_once = 24;

export function layoutOf(
  text: string,
  outline: Outline | undefined,
  heading_level: number,
): { readonly layout: readonly Laid[]; readonly headings: readonly Heading[] } {
  const pages = outline && outline.pages.length > 1 ? outline.pages : [];
  const starts = indicesOf(
    text,
    pages.map(({ start }) => start),
  );
  const page_at = new Map(starts.map((start, at) => [start, pages[at]!]));
  const headings = headingsOf(text, outline);
  const chunks = chunksOf(text, starts);
  const ranked = rankedBy(headings, heading_level, chunks.length <= drawn_at_once);
  let next = 0;
  const layout = chunks.map((chunk): Laid => {
    const inside: RankedHeading[] = [];
    for (; next < ranked.length && headings[next]!.place < chunk.to; next++)
      if (headings[next]!.is_written) inside.push(ranked[next]!);
    return { chunk, page: page_at.get(chunk.from) ?? null, headings: inside };
  });
  return { layout, headings: headings.filter((heading) => heading.text !== "") };
}

function headingsOf(text: string, outline: Outline | undefined): readonly Heading[] {
  const found = outline?.headings ?? [];
  const ends = indicesOf(
    text,
    found.flatMap(({ start, end }) => [start, end]),
  );
  return found.map(({ level }, at): Heading => {
    const place = ends[2 * at]!,
      end = ends[2 * at + 1]!;
    return {
      text: titleOf(text.slice(place, end)),
      level,
      place,
      end,
      is_written: /#[^\n]*$/.test(text.slice(Math.max(0, place - 8), place + 1)),
    };
  });
}

/** Without what Markdown writes around it. */
const titleOf = (heading: string): string =>
  heading
    .replace(/^[\s#]+|[\s#]+$/g, "")
    .replace(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, "")
    .replace(/\s+/g, " ");

/**
 * They skip no level, whatever the text does. In a text that is not rendered whole they are none
 * for programs: those between two that are rendered would be missing.
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
