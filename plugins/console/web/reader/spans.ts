/** Places in a text: code points to string indices, where a quotation stands now, and blocks that a browser can lay out one by one. */

/** UTF-16 indices, end exclusive. */
export interface Range { readonly from: number; readonly to: number }

/** The string index of the code point `offset`; the end of the text when there are not so many. */
export function indexOfCodePoint(text: string, offset: number, from: Readonly<{ index: number; offset: number }> = { index: 0, offset: 0 }): number {
  let { index } = from;
  for (let left = offset - from.offset; left > 0 && index < text.length; left--) {
    const unit = text.charCodeAt(index);
    const next = text.charCodeAt(index + 1);
    index += unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000 ? 2 : 1;
  }
  return index;
}

/** A passage as a citation names it; `start` and `end` count code points. */
export interface Passage { readonly quote: string; readonly start: number; readonly end: number }

/** Where the passage stands in this text: at its offsets, or, in a newer version, at the place of the same words that is nearest to them. */
export function rangeOf(text: string, { quote, start, end }: Passage): Range | null {
  const from = indexOfCodePoint(text, start);
  const to = indexOfCodePoint(text, end, { index: from, offset: start });
  if (quote === "") return null;
  if (text.slice(from, to) === quote) return { from, to };
  const places = [text.lastIndexOf(quote, from), text.indexOf(quote, from)].filter((at) => at >= 0);
  if (places.length === 0) return null;
  const nearest = places.reduce((best, at) => Math.abs(at - from) < Math.abs(best - from) ? at : best);
  return { from: nearest, to: nearest + quote.length };
}

/** The text in blocks of about `size`, cut after a line break where there is one, never within a character. */
export function blocksOf(text: string, size = 6_000): Range[] {
  const blocks: Range[] = [];
  for (let from = 0; from < text.length;) {
    const to = from + size * 1.5 >= text.length ? text.length : cutAt(text, from, from + size);
    blocks.push({ from, to });
    from = to;
  }
  return blocks;
}

function cutAt(text: string, from: number, near: number): number {
  const line = text.lastIndexOf("\n", near);
  if (line > from) return line + 1;
  const space = text.lastIndexOf(" ", near);
  if (space > from) return space + 1;
  const unit = text.charCodeAt(near - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? near + 1 : near;
}

/** The part of `range` that lies in `block`, counted from the block's beginning. */
export function within(block: Range, range: Range | null): Range | null {
  if (!range || range.to <= block.from || range.from >= block.to) return null;
  return { from: Math.max(range.from, block.from) - block.from, to: Math.min(range.to, block.to) - block.from };
}
