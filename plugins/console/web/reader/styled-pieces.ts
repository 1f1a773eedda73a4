/** Splits a range of text into pieces of uniform style. */
import type { Range } from "./text-ranges";

/**
 * `mark`: the quote; `shade`: the passage around it; `hit`: a search match, and `current` the
 * active one; `target`: the destination of the outline; `heading`: bold; `sign`: Markdown markers,
 * which are hidden.
 */
export type Look = "mark" | "shade" | "hit" | "current" | "target" | "heading" | "sign";
export interface LookRange extends Range {
  readonly look: Look;
}
export interface StyledPiece extends Range {
  readonly looks: readonly Look[];
}

/** Those that overlap the range. `ranges` are sorted by start. */
export const rangesIn = (ranges: readonly LookRange[], { from, to }: Range): LookRange[] =>
  ranges.filter((range) => range.from < to && range.to > from);

/** Splits the range wherever a styled range begins or ends. */
export function styledPieces(stretch: Range, ranges: readonly LookRange[]): StyledPiece[] {
  const inside = rangesIn(ranges, stretch);
  const cuts = new Set([stretch.from, stretch.to]);
  for (const { from, to } of inside)
    for (const cut of [from, to]) if (cut > stretch.from && cut < stretch.to) cuts.add(cut);
  const ordered = [...cuts].sort((a, b) => a - b);
  return ordered.slice(0, -1).map((from, at) => ({
    from,
    to: ordered[at + 1]!,
    looks: inside.filter((range) => range.from <= from && range.to > from).map(({ look }) => look),
  }));
}

/** The same for text whose units are scattered over the source. */
export function piecesBySource(
  sources: readonly number[],
  ranges: readonly LookRange[],
): StyledPiece[] {
  const looksAt = (place: number) =>
    ranges.filter(({ from, to }) => from <= place && place < to).map(({ look }) => look);
  const pieces: { from: number; to: number; looks: Look[] }[] = [];
  for (const [at, place] of sources.entries()) {
    const looks = looksAt(place);
    const last = pieces.at(-1);
    if (last && last.looks.join() === looks.join()) last.to = at + 1;
    else pieces.push({ from: at, to: at + 1, looks });
  }
  return pieces;
}
