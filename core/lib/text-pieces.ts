/**
 * How a text is cut: pieces of a fixed number of UTF-16 units, so that arithmetic says which piece
 * holds a unit. The ids of its pieces follow each other, and the first of them names the text.
 */

/** Units of a piece. The cut is made one unit earlier where it would go through a code point. */
export const piece_units = 16_384;

/** A text that is stored. */
export interface StoredText {
  /** The id of its first piece. */
  readonly id: number;
  /** UTF-16 units; as many as code points when it has no surrogate pair. */
  readonly units: number;
  readonly points: number;
}
export interface Piece {
  readonly id: number;
  /** Where it begins in the text: UTF-16 units and code points. */
  readonly first_unit: number;
  readonly first_point: number;
  readonly data: string;
}

export const pieceCount = (units: number): number => Math.ceil(units / piece_units);

/** Whether what ends here is read from the first piece, wherever the cut after it was made. */
export const isInFirstPiece = ({ end }: { readonly end: number }): boolean => end < piece_units;

/** The pieces of a text in order, as they are read back: a lone surrogate becomes U+FFFD. */
export function* cutText(content: string): Generator<string, void> {
  for (let start = 0, at = piece_units; start < content.length; at += piece_units) {
    const end = at >= content.length ? content.length : isPair(content, at - 1) ? at - 1 : at;
    yield content.slice(start, end);
    start = end;
  }
}

/** The pieces with their places, if the first has this id. */
export function* piecesOf(content: string, id: number): Generator<Piece, void> {
  let first_unit = 0,
    first_point = 0;
  for (const data of cutText(content)) {
    yield { id: id++, first_unit, first_point, data };
    first_unit += data.length;
    first_point += data.length - pairsIn(data).length;
  }
}

/** Code points up to the end of this piece. */
export const pointsUntil = (last: Piece | undefined): number =>
  last === undefined ? 0 : last.first_point + last.data.length - pairsIn(last.data).length;

/** Units at which surrogate pairs begin. */
export function pairsIn(text: string): number[] {
  const pairs: number[] = [];
  if (/[\ud800-\udbff]/.test(text))
    for (let at = 0; at < text.length; at++) if (isPair(text, at)) pairs.push(at++);
  return pairs;
}

const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
