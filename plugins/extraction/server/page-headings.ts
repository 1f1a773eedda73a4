/**
 * The headings of a document with pages: the entries of its outline, or otherwise lines in larger
 * or bolder type.
 */
import type { PageLayout, DisplayLine } from "../child/page-layout";
import type { HeadingSpan, PageSpan } from "../contract";
import { headings_max } from "../result-limits";

/** A page with its candidate lines; positions are in the text of the document. */
export interface LaidOutPage extends PageSpan, PageLayout {}
/** A heading with its text. */
export interface PageHeading extends HeadingSpan {
  readonly text: string;
}

/** Fewer headings are ignored. */
const headings_min = 3;
/** If more of the text than this is in display type, it does not mark headings. */
const display_share_max = 0.25;
/** Relative to the body text of the whole document. */
const larger_ratio_min = 1.08;
const bold_ratio_min = 0.95;
const levels_max = 6;
/** If this many headings have numbers, these determine the levels of all. */
const numbered_share_min = 0.5;

/** In order; empty if neither yields any. */
export function pageHeadings(pages: readonly LaidOutPage[]): PageHeading[] {
  const listed = pages.flatMap((page) => page.listed);
  return listed.length >= headings_min
    ? listed.map(({ start, end, level, text }) => ({
        start,
        end,
        level: Math.min(level, levels_max),
        text,
      }))
    : displayHeadings(pages);
}

/** Lines in display type: their numbers determine their levels, otherwise their sizes. */
function displayHeadings(pages: readonly LaidOutPage[]): PageHeading[] {
  const body_size = bodySizeOf(pages);
  const lines = pages.flatMap(({ display }) =>
    display.filter(
      ({ size, bold }) =>
        size >= larger_ratio_min * body_size || (bold && size >= bold_ratio_min * body_size),
    ),
  );
  const characters = charactersOf(pages);
  const displayed = charactersOf(lines);
  if (lines.length < headings_min || displayed > display_share_max * characters) return [];
  const kept = lines.slice(0, headings_max);
  const levelOf = levelsByNumber(kept) ?? levelsBySize(kept);
  return kept.map((line) => ({
    start: line.start,
    end: line.end,
    level: Math.min(levels_max, levelOf(line)),
    text: line.text,
  }));
}

type Levels = (line: DisplayLine) => number;

function levelsBySize(lines: readonly DisplayLine[]): Levels {
  const kinds = [...new Set(lines.map(kindOf))].sort((a, b) => b - a);
  const levels = new Map(kinds.map((kind, at) => [kind, at + 1]));
  return (line) => levels.get(kindOf(line))!;
}

/**
 * A line without a number gets the highest level of those in the same type; a title page or a word
 * in a figure has none. Undefined if too few lines have a number.
 */
function levelsByNumber(lines: readonly DisplayLine[]): Levels | undefined {
  const levels = new Map<number, number>();
  let numbered = 0;
  for (const line of lines) {
    const depth = depthOf(line);
    if (depth === 0) continue;
    numbered++;
    levels.set(kindOf(line), Math.min(depth, levels.get(kindOf(line)) ?? depth));
  }
  if (numbered < headings_min || numbered < numbered_share_min * lines.length) return undefined;
  return (line) => depthOf(line) || (levels.get(kindOf(line)) ?? levels_max);
}
/** `4.1  Paper size` is at the second level; 0: it has no number. */
const depthOf = ({ text }: DisplayLine): number =>
  /^(\d{1,3}(?:\.\d{1,3})*)\.?\s+\p{L}/u.exec(text)?.[1]?.split(".").length ?? 0;

const charactersOf = (places: readonly { readonly start: number; readonly end: number }[]) =>
  places.reduce((sum, { start, end }) => sum + end - start, 0);
/** Half points; bold type counts half a point more. */
const kindOf = ({ size, bold }: DisplayLine): number => Math.round(size * 2) + (bold ? 1 : 0);

function bodySizeOf(pages: readonly LaidOutPage[]): number {
  const sizes = new Map<number, number>();
  for (const { body_size, body_characters } of pages)
    sizes.set(body_size, (sizes.get(body_size) ?? 0) + body_characters);
  return [...sizes].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])[0];
}
