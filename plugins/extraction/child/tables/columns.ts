/** Finds the columns of a table by the vertical gaps in its rows, and assigns texts to columns. */
import { median, piecesOf, type Rule, type TextRow, type Word } from "./geometry";

/** Gap between fragments of text in one row, in font sizes. */
export const piece_gap = 0.5;
/** The share of rows that may cross the gap between two columns. */
const crossing_share_max = 0.12;

/** The horizontal range of a column's text. */
export interface Column {
  readonly left: number;
  readonly right: number;
}

/** The columns of these rows; one if there are no gaps. `gap_min` is in font sizes. */
export function columnsOf(rows: readonly TextRow[], gap_min = gapFor(rows.length)): Column[] {
  const pieces = rows.map((row) => piecesOf(row, piece_gap)).filter(({ length }) => length > 1);
  const words = pieces.flat(2);
  if (words.length === 0) return [];
  const size = median(words.map((word) => word.size));
  const crossings_max = Math.floor(crossing_share_max * pieces.length);
  let columns = occupied(pieces, 0, gap_min * size);
  if (crossings_max > 0)
    columns = columns.flatMap((column) => {
      const inside = occupied(
        pieces.map((row) => row.filter(([first]) => isIn(first!, column))),
        crossings_max,
        gap_min * size,
      );
      return inside.length > 1 && isBalanced(pieces, inside) ? inside : [column];
    });
  return withoutBullets(withoutSigns(columns, words), words, size);
}
/** A few rows rarely share a gap by chance. */
const gapFor = (rows: number): number => (rows <= 3 ? 0.9 : rows <= 6 ? 0.7 : 0.55);

const isIn = ({ left, right }: Column, column: Column): boolean =>
  (left + right) / 2 >= column.left && (left + right) / 2 <= column.right;

/** Each of the columns has text in many of the rows. */
const isBalanced = (
  rows: readonly (readonly (readonly Word[])[])[],
  columns: readonly Column[],
): boolean =>
  columns.every(
    (column) =>
      rows.filter((row) => row.flat().some((word) => isIn(word, column))).length >=
      0.5 * rows.length,
  );

/** The ranges covered by more than `crossings_max` rows, with at least `gap_min` between them. */
function occupied(
  rows: readonly (readonly (readonly Word[])[])[],
  crossings_max: number,
  gap_min: number,
): Column[] {
  const changes = rows.flatMap((row) => row.flatMap(changesOf)).sort((a, b) => a[0] - b[0]);
  const columns: { left: number; right: number }[] = [];
  let covered = 0;
  let from: number | null = null;
  for (const [at, change] of changes) {
    covered += change;
    if (covered > crossings_max && from === null) from = at;
    else if (covered <= crossings_max && from !== null) {
      const last = columns.at(-1);
      if (last !== undefined && from - last.right < gap_min) last.right = at;
      else columns.push({ left: from, right: at });
      from = null;
    }
  }
  return columns;
}
/** Start and end of a fragment's words, so that a gap inside it counts. */
const changesOf = (piece: readonly Word[]): [number, number][] =>
  piece.flatMap(({ left, right }): [number, number][] => [
    [left, 1],
    [Math.max(left, right), -1],
  ]);

/** A column of symbols belongs to adjacent numbers: `$` to those after it, `%` to those before. */
function withoutSigns(columns: readonly Column[], words: readonly Word[]): Column[] {
  const column_list: Column[] = [];
  let opening: Column | null = null;
  for (const column of columns) {
    const texts = words.filter((word) => isIn(word, column)).map(({ text }) => text);
    const last = column_list.at(-1);
    if (texts.every((text) => /^[%)‰*†‡]+$/u.test(text)) && last !== undefined)
      column_list[column_list.length - 1] = { left: last.left, right: column.right };
    else if (
      texts.every((text) => /^(?:[\p{Sc}(+±~≈<>≤≥−–-]+|[A-Z]{1,3}\p{Sc})$/u.test(text)) &&
      !texts.every((text) => /^[−–-]+$/u.test(text))
    )
      opening = opening === null ? column : { left: opening.left, right: column.right };
    else {
      column_list.push(opening === null ? column : { left: opening.left, right: column.right });
      opening = null;
    }
  }
  if (opening !== null) column_list.push(opening);
  return column_list;
}

/** Distance of bullets from their items, in font sizes. */
const bullet_gap_max = 2.5;
/** A column of bullets belongs to the items after it. */
function withoutBullets(
  columns: readonly Column[],
  words: readonly Word[],
  size: number,
): Column[] {
  const found: Column[] = [];
  let left: number | null = null;
  for (const [at, column] of columns.entries()) {
    const next = columns[at + 1];
    const is_near = next !== undefined && next.left - column.right <= bullet_gap_max * size;
    const is_bullets =
      is_near &&
      words.every((word) => !isIn(word, column) || /^[•‣▪◦●○■□➢✓\uf0b7\uf0a7]$/u.test(word.text));
    if (is_bullets) left ??= column.left;
    else {
      found.push(left === null ? column : { left, right: column.right });
      left = null;
    }
  }
  return found;
}

/** The border between two columns: the middle between their texts. */
export const edgesOf = (columns: readonly Column[], { left, right }: Column): number[] => [
  Math.min(left, columns[0]!.left),
  ...columns.slice(1).map((column, at) => (columns[at]!.right + column.left) / 2),
  Math.max(right, columns.at(-1)!.right),
];

/** The cells of a row: the words of each column. */
export function cellsOf(
  row: TextRow,
  columns: readonly Column[],
  edges: readonly number[],
  underlines: readonly Rule[] = [],
): Word[][] {
  const cells: Word[][] = columns.map(() => []);
  for (const piece of piecesOf(row, piece_gap)) {
    const parts = splitAt(piece, columns, edges);
    for (const part of parts) {
      const first = part[0]!;
      const last = part.at(-1)!;
      cells[columnOf({ left: first.left, right: last.right }, columns, edges, underlines)]!.push(
        ...part,
      );
    }
  }
  return cells;
}

/**
 * The column of a fragment; for one that spans several, the first. `underlines` are rules below
 * such fragments, as wide as the columns they span.
 */
function columnOf(
  piece: Column,
  columns: readonly Column[],
  edges: readonly number[],
  underlines: readonly Rule[],
): number {
  const at = (piece.left + piece.right) / 2;
  const underline = underlines.find(({ from, to }) => at >= from && at <= to);
  const span = underline === undefined ? piece : { left: underline.from, right: underline.to };
  const covered = columns.findIndex((column) => overlap(span, column) >= 0.5 * widthOf(column));
  const count = columns.filter((column) => overlap(span, column) >= 0.5 * widthOf(column)).length;
  if (underline !== undefined && covered >= 0) return covered;
  if (count > 1) return covered;
  const column = columns.findLastIndex((_column, index) => edges[index]! <= at);
  const found = Math.max(0, column);
  // Centred between two columns: it spans both.
  const is_between =
    at > columns[found]!.right + 1 &&
    found + 1 < columns.length &&
    piece.left < columns[found]!.right &&
    piece.right > columns[found + 1]!.left;
  const is_before =
    at < columns[found]!.left - 1 && found > 0 && piece.left < columns[found - 1]!.right;
  return is_before && !is_between ? found - 1 : found;
}
const widthOf = ({ left, right }: Column): number => Math.max(0.1, right - left);
const overlap = (a: Column, b: Column): number =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left);

/** Splits fragments whose words are in different columns, if a border is between the words. */
function splitAt(
  piece: readonly Word[],
  columns: readonly Column[],
  edges: readonly number[],
): Word[][] {
  const parts: Word[][] = [[piece[0]!]];
  if (piece.length === 1) return parts;
  const typical_gap = median(piece.slice(1).map(({ left }, i) => left - piece[i]!.right));
  for (const [at, word] of piece.slice(1).entries()) {
    const before = piece[at]!;
    const edge = edges
      .slice(1, -1)
      .findIndex((edge) => before.right <= edge + 0.5 && word.left >= edge - 0.5);
    const gap = word.left - before.right;
    const is_edge =
      edge >= 0 &&
      (gap > 1.25 * typical_gap || piece.length === 2) &&
      before.left >= columns[edge]!.left - word.size &&
      word.right <= columns[edge + 1]!.right + word.size;
    if (is_edge) parts.push([word]);
    else parts.at(-1)!.push(word);
  }
  return parts;
}
