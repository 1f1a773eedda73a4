/** Positions in a text: string indices of code points, and the range of a quotation. */

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
  for (let remaining = offset - from.offset; remaining > 0 && index < text.length; remaining--) {
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
  const nearest = places.reduce((best, index) =>
    Math.abs(index - from) < Math.abs(best - from) ? index : best,
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
