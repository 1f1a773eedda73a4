/**
 * Positions in a text: string indices of code points, the range of a quotation, and blocks that a
 * browser can lay out one by one.
 */

/** UTF-16 indices, end exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The string index of the code point `offset`; the end of the text if it is shorter. */
export function indexOfCodePoint(
  text: string,
  offset: number,
  from: Readonly<{ index: number; offset: number }> = { index: 0, offset: 0 },
): number {
  let { index } = from;
  for (let left = offset - from.offset; left > 0 && index < text.length; left--) {
    const unit = text.charCodeAt(index);
    const next = text.charCodeAt(index + 1);
    index += unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000 ? 2 : 1;
  }
  return index;
}

/** A passage as given in a citation; `start` and `end` count code points. */
export interface Passage {
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The range of the passage in this text: at its offsets, or, in a newer version, at the nearest
 * occurrence of the same words.
 */
export function rangeOf(text: string, { quote, start, end }: Passage): Range | null {
  const from = indexOfCodePoint(text, start);
  const to = indexOfCodePoint(text, end, { index: from, offset: start });
  if (quote === "") return null;
  if (text.slice(from, to) === quote) return { from, to };
  const places = [text.lastIndexOf(quote, from), text.indexOf(quote, from)].filter((at) => at >= 0);
  if (places.length === 0) return null;
  const nearest = places.reduce((best, at) =>
    Math.abs(at - from) < Math.abs(best - from) ? at : best,
  );
  return { from: nearest, to: nearest + quote.length };
}

/** The passage around a quote; null if it is no longer than that, or of another version. */
export function surroundingsOf(
  text: string,
  quote: Passage,
  passage: { readonly start: number; readonly end: number } | undefined,
): Range | null {
  if (!passage || passage.end - passage.start <= quote.end - quote.start) return null;
  const [from, start, end, to] = indicesOf(text, [
    passage.start,
    quote.start,
    quote.end,
    passage.end,
  ]) as [number, number, number, number];
  return text.slice(start, end) === quote.quote ? { from, to } : null;
}

/** The string indices of code points in ascending order. */
export function indicesOf(text: string, offsets: readonly number[]): number[] {
  let from = { index: 0, offset: 0 };
  return offsets.map((offset) => {
    from = { index: indexOfCodePoint(text, offset, from), offset };
    return from.index;
  });
}

/** The part of `range` in `block`, relative to the block's start. */
export function within(block: Range, range: Range | null): Range | null {
  if (!range || range.to <= block.from || range.from >= block.to) return null;
  return {
    from: Math.max(range.from, block.from) - block.from,
    to: Math.min(range.to, block.to) - block.from,
  };
}

/** A piece of a block with one style; its range is relative to the block's start. */
export interface Piece extends Range {
  readonly heading: boolean;
  readonly marked: boolean;
  readonly shaded: boolean;
}

/** The block in pieces, cut wherever a heading, the mark or the shade begins or ends. */
export function piecesOf(
  block: Range,
  headings: readonly Range[],
  mark: Range | null,
  shade: Range | null = null,
): Piece[] {
  const marked = within(block, mark);
  const shaded = within(block, shade);
  const inside = headings.flatMap((heading) => within(block, heading) ?? []);
  const cuts = [
    0,
    block.to - block.from,
    ...inside.flatMap(({ from, to }) => [from, to]),
    ...[marked, shaded].flatMap((range) => (range ? [range.from, range.to] : [])),
  ];
  const ordered = [...new Set(cuts)].sort((a, b) => a - b);
  const holds = (range: Range | null, at: number) =>
    range !== null && range.from <= at && at < range.to;
  return ordered.slice(0, -1).map((from, place) => ({
    from,
    to: ordered[place + 1]!,
    heading: inside.some((range) => holds(range, from)),
    marked: holds(marked, from),
    shaded: holds(shaded, from),
  }));
}
