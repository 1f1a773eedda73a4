/** Splits a range of text into pieces of uniform style. */
import type { Range } from "./text-ranges";

/**
 * `mark`: the quote; `shade`: the passage around it; `hit`: a search match, and `current` the
 * active one; `target`: the destination of the outline; `heading`: bold; `sign`: Markdown markers,
 * which are hidden.
 */
export type Look = "mark" | "shade" | "hit" | "current" | "target" | "heading" | "sign";
/** A range with a style. */
export interface LookRange extends Range {
  readonly look: Look;
}
/** A piece with all styles that cover it. */
export interface StyledPiece extends Range {
  readonly looks: readonly Look[];
}

/** Those that overlap the range. */
export const rangesIn = (ranges: readonly LookRange[], { from, to }: Range): LookRange[] =>
  ranges.filter((range) => range.from < to && range.to > from);

/** Splits the range wherever a styled range begins or ends. */
export function styledPieces(whole_range: Range, ranges: readonly LookRange[]): StyledPiece[] {
  const overlapping = rangesIn(ranges, whole_range);
  const cuts = new Set([whole_range.from, whole_range.to]);
  for (const { from, to } of overlapping)
    for (const cut of [from, to]) if (cut > whole_range.from && cut < whole_range.to) cuts.add(cut);
  const ordered = [...cuts].sort((a, b) => a - b);
  return ordered.slice(0, -1).map((from, index) => ({
    from,
    to: ordered[index + 1]!,
    looks: overlapping
      .filter((range) => range.from <= from && range.to > from)
      .map(({ look }) => look),
  }));
}

/**
 * The same for text whose units are scattered over the source: `sources` has the source index of
 * each, or -1. The ranges of the pieces are indices of the text.
 */
export function piecesBySource(
  sources: readonly number[],
  ranges: readonly LookRange[],
): StyledPiece[] {
  const looksAt = (source_index: number) =>
    ranges
      .filter(({ from, to }) => from <= source_index && source_index < to)
      .map(({ look }) => look);
  const pieces: { from: number; to: number; looks: Look[] }[] = [];
  for (const [index, source_index] of sources.entries()) {
    const looks = looksAt(source_index);
    const last_piece = pieces.at(-1);
    if (last_piece && last_piece.looks.join() === looks.join()) last_piece.to = index + 1;
    else pieces.push({ from: index, to: index + 1, looks });
  }
  return pieces;
}
