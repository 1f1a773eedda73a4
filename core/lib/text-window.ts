/** A long text that can be used like a string, with only a window of it in memory. */
import { piece_units, pieceCount, type Piece, type StoredText } from "./text-pieces";
import { TextGone } from "./text-reader";

/** The common interface of a string and a window. */
export interface ReadableText {
  readonly length: number;
  /** `NaN` outside the text. */
  charCodeAt(at: number): number;
  /** The text between two UTF-16 units. */
  slice(start: number, end: number): string;
}

/** The existing pieces from one id to another, both included. */
export type ReadPiecesNow = (first_id: number, last_id: number) => readonly Piece[];

/** Pieces in memory at a time: most of them in the direction of reading, some behind it. */
const window_pieces = 32;
const pieces_before = 2;
/** A text of at most this length is in memory as a whole once its first unit is. */
export const window_units = (window_pieces - pieces_before) * piece_units;

/** Fast when accesses are close to each other. Any call may throw TextGone. */
export class TextWindow implements ReadableText {
  readonly length: number;
  private buffered = "";
  private start = 0;
  private end = 0;

  constructor(
    private readonly read: ReadPiecesNow,
    private readonly text: Pick<StoredText, "id" | "units">,
  ) {
    this.length = text.units;
  }

  charCodeAt(at: number): number {
    if (at < this.start || at >= this.end) {
      if (!(at >= 0 && at < this.length)) return Number.NaN;
      this.moveTo(at);
    }
    return this.buffered.charCodeAt(at - this.start);
  }

  slice(start: number, end: number): string {
    const until = Math.min(end, this.length);
    if (start < 0 || start >= until) return "";
    if (start < this.start || start >= this.end) this.moveTo(start);
    if (until <= this.end) return this.buffered.slice(start - this.start, until - this.start);
    const parts: string[] = [];
    for (let at = start; at < until; at = this.end) {
      if (at >= this.end) this.moveTo(at);
      parts.push(this.buffered.slice(at - this.start, until - this.start));
    }
    return parts.join("");
  }

  private moveTo(unit: number): void {
    const { id } = this.text;
    const piece = Math.floor(unit / piece_units);
    const goes_back = unit < this.start;
    // When the cut was made early, the unit is in the next piece.
    const from = Math.max(0, piece - (goes_back ? window_pieces - pieces_before : pieces_before));
    const until = Math.min(pieceCount(this.length), from + window_pieces);
    const pieces = this.read(id + from, id + until - 1);
    if (pieces.length !== until - from) throw new TextGone();
    this.buffered = pieces.map(({ data }) => data).join("");
    this.start = pieces[0]!.first_unit;
    this.end = Math.min(this.start + this.buffered.length, this.length);
    if (unit < this.start || unit >= this.end) throw new TextGone();
  }
}
