/**
 * Words, rules and shaded areas of a page, from which its tables are found. All are turned so that
 * text runs from left to right; heights are counted upwards, in points or pixels.
 */

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}
/** A word where it stands, with the height of its baseline and the size of its font. */
export interface Word extends Box {
  readonly text: string;
  readonly base: number;
  readonly size: number;
  /** Its place in the order of reading. */
  readonly order: number;
  /** Its last letters are on the next line; the hyphen is not in `text`. */
  readonly hyphenated: boolean;
  /** How bold its font is: 400 is normal; 0 when that is not known. */
  readonly weight: number;
}
/** A straight line across the page or down it: at this height or distance, from and to. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}
/** What is drawn on a page besides its text. */
export interface Drawing {
  readonly across: readonly Rule[];
  readonly down: readonly Rule[];
  readonly fills: readonly Box[];
}
/** A line of words on one baseline, from left to right. */
export interface TextRow {
  readonly words: readonly Word[];
  readonly base: number;
  readonly size: number;
}
/** A table of a page. Every row has as many cells as the others. */
export interface Table extends Box {
  readonly rows: readonly (readonly string[])[];
  readonly words: readonly Word[];
  /** Where its columns begin and end, from left to right. */
  readonly edges: readonly number[];
  /** Text runs from right to left: its first column is the rightmost one. */
  readonly leftward: boolean;
}

export const middle = ({ left, right }: Pick<Box, "left" | "right">): number => (left + right) / 2;
export const height = ({ bottom, top }: Box): number => top - bottom;
/** The height of the middle of small letters. */
export const centre = ({ base, size }: Pick<Word, "base" | "size">): number => base + 0.3 * size;

export const around = (boxes: readonly Box[]): Box =>
  boxes.reduce(
    (all, { left, right, bottom, top }) => ({
      left: Math.min(all.left, left),
      right: Math.max(all.right, right),
      bottom: Math.min(all.bottom, bottom),
      top: Math.max(all.top, top),
    }),
    { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity },
  );

export const median = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Values that are nearer to each other than `tolerance`, as their mean, in rising order. */
export function distinct(values: readonly number[], tolerance: number): number[] {
  const found: { sum: number; count: number; first: number }[] = [];
  for (const value of values.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && value - last.first <= tolerance) {
      last.sum += value;
      last.count++;
    } else found.push({ sum: value, count: 1, first: value });
  }
  return found.map(({ sum, count }) => sum / count);
}

/** Words on one baseline, from the top down; what is raised or lowered belongs to its line. */
export function rowsOfWords(words: readonly Word[]): TextRow[] {
  const rows: Word[][] = [];
  for (const word of words.toSorted((a, b) => b.base - a.base)) {
    const row = rows.at(-1),
      first = row?.[0];
    if (first !== undefined && first.base - word.base < 0.45 * Math.max(first.size, word.size))
      row!.push(word);
    else rows.push([word]);
  }
  return rows.map((row) => {
    const size = Math.max(...row.map((word) => word.size)),
      largest = row.filter((word) => word.size >= 0.9 * size);
    return {
      words: row.toSorted((a, b) => a.left - b.left),
      base: median(largest.map(({ base }) => base)),
      size,
    };
  });
}

/** Words of a line with less than `gap` between them, gap in sizes of their font. */
export function piecesOf({ words, size }: TextRow, gap: number): Word[][] {
  const pieces: Word[][] = [];
  let right = -Infinity;
  for (const word of words) {
    if (word.left - right < gap * size && pieces.length > 0) pieces.at(-1)!.push(word);
    else pieces.push([word]);
    right = Math.max(right, word.right);
  }
  return pieces;
}
