/**
 * The input of table detection: words, rules and shaded areas of a page, rotated so that text runs
 * from left to right; heights are counted upwards, in points or pixels.
 */

/** The edges of something on a page. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}
/** A word with its position, the height of its baseline and its font size. */
export interface Word extends Box {
  readonly text: string;
  readonly base: number;
  readonly size: number;
  /** Its index in reading order. */
  readonly order: number;
  /** Its last letters are on the next line; the hyphen is not in `text`. */
  readonly hyphenated: boolean;
  /** The weight of its font: 400 is normal; 0 if unknown. */
  readonly weight: number;
}
/** A straight horizontal or vertical line: its position, start and end. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}
/** The graphics of a page. */
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
/** A table of a page. All rows have the same number of cells. */
export interface Table extends Box {
  readonly rows: readonly (readonly string[])[];
  readonly words: readonly Word[];
  /** The start and end of its columns, from left to right. */
  readonly edges: readonly number[];
  /** Right-to-left text: its first column is the rightmost one. */
  readonly leftward: boolean;
}

/** The horizontal centre. */
export const middle = ({ left, right }: Pick<Box, "left" | "right">): number => (left + right) / 2;
export const height = ({ bottom, top }: Box): number => top - bottom;
/** The height of the middle of small letters. */
export const centre = ({ base, size }: Pick<Word, "base" | "size">): number => base + 0.3 * size;

/** The smallest box that contains all of them. */
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

/** The median; of two in the middle the greater one. 0 without values. */
export const median = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Merges values closer than `tolerance` into their mean, in ascending order. */
export function distinct(values: readonly number[], tolerance: number): number[] {
  const groups: { sum: number; count: number; first: number }[] = [];
  for (const value of values.toSorted((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last !== undefined && value - last.first <= tolerance) {
      last.sum += value;
      last.count++;
    } else groups.push({ sum: value, count: 1, first: value });
  }
  return groups.map(({ sum, count }) => sum / count);
}

/** Words on one baseline, from top to bottom; superscripts and subscripts belong to their line. */
export function rowsOfWords(words: readonly Word[]): TextRow[] {
  const rows: Word[][] = [];
  for (const word of words.toSorted((a, b) => b.base - a.base)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (first !== undefined && first.base - word.base < 0.45 * Math.max(first.size, word.size))
      row!.push(word);
    else rows.push([word]);
  }
  return rows.map((row) => {
    const size = Math.max(...row.map((word) => word.size));
    const largest = row.filter((word) => word.size >= 0.9 * size);
    return {
      words: row.toSorted((a, b) => a.left - b.left),
      base: median(largest.map(({ base }) => base)),
      size,
    };
  });
}

/** Fragments of a line: words with less than `gap` between them, in font sizes. */
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
