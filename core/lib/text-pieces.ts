/**
 * How a stored text is divided: into pieces of a fixed number of UTF-16 units, so that arithmetic
 * tells which piece contains a unit. The ids of its pieces are consecutive, and the first one
 * identifies the text.
 */

/** Units per piece. A cut that would split a code point is made one unit earlier. */
export const piece_units = 16_384;

/** A stored text. */
export interface StoredText {
  /** The id of its first piece. */
  readonly id: number;
  /** UTF-16 units; equal to `points` when it contains no surrogate pair. */
  readonly units: number;
  readonly points: number;
}
/** A piece of a stored text. */
export interface Piece {
  readonly id: number;
  /** Its position in the text: UTF-16 units and code points. */
  readonly first_unit: number;
  readonly first_point: number;
  readonly data: string;
}

/** A text that is too long to be passed as a whole. */
export interface LongText {
  /** An upper bound for its length, UTF-16 units. */
  readonly units_max: number;
  /** In order, can be read once; each is short. */
  readonly parts: AsyncIterable<string>;
}

/** How many pieces a text of this length has. */
export const pieceCount = (units: number): number => Math.ceil(units / piece_units);

/** Whether text up to here is in the first piece, wherever the cut after it was made. */
export const isInFirstPiece = ({ end }: { readonly end: number }): boolean => end < piece_units;

/** The pieces of a text in order, as they are read back: a lone surrogate becomes U+FFFD. */
export function* cutText(content: string): Generator<string, void> {
  for (let start = 0, at = piece_units; start < content.length; at += piece_units) {
    const end = at >= content.length ? content.length : isPair(content, at - 1) ? at - 1 : at;
    yield content.slice(start, end);
    start = end;
  }
}

/** The pieces with their positions, if the first one has this id. */
export function* piecesOf(content: string, id: number): Generator<Piece, void> {
  const row = new PieceRow(id);
  for (const data of cutText(content)) yield row.next(data);
}
/** The same for a text that arrives in parts, wherever these end. */
export async function* piecesOfParts(
  parts: AsyncIterable<string>,
  id: number,
): AsyncGenerator<Piece, void> {
  const row = new PieceRow(id);
  let buffered = "";
  let at = piece_units;
  for await (const part of parts) {
    buffered += part;
    // A cut splits a surrogate pair if the unit after it is the second half.
    for (; row.units + buffered.length > at; at += piece_units) {
      const length = at - row.units;
      const data = buffered.slice(0, isPair(buffered, length - 1) ? length - 1 : length);
      buffered = buffered.slice(data.length);
      yield row.next(data);
    }
  }
  if (buffered !== "") yield row.next(buffered);
}

/** Numbers pieces consecutively. */
class PieceRow {
  units = 0;
  private points = 0;
  constructor(private id: number) {}

  next(data: string): Piece {
    const piece = { id: this.id++, first_unit: this.units, first_point: this.points, data };
    this.units += data.length;
    this.points += data.length - pairsIn(data).length;
    return piece;
  }
}

/** Units up to the end of this piece. */
export const unitsUntil = (last: Piece | undefined): number =>
  last === undefined ? 0 : last.first_unit + last.data.length;
/** Code points up to the end of this piece. */
export const pointsUntil = (last: Piece | undefined): number =>
  last === undefined ? 0 : last.first_point + last.data.length - pairsIn(last.data).length;

/** The units at which surrogate pairs begin. */
export function pairsIn(text: string): number[] {
  const pairs: number[] = [];
  if (/[\ud800-\udbff]/.test(text))
    for (let at = 0; at < text.length; at++) if (isPair(text, at)) pairs.push(at++);
  return pairs;
}

const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
