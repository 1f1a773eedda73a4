/** Groups the lines of text of a table into rows, because a cell may have several lines. */
import { piece_gap, type Column } from "./columns";
import { piecesOf, type TextRow, type Word } from "./geometry";

/** A line of text, split into the cells of its columns. */
export interface CellLine {
  readonly row: TextRow;
  readonly cells: readonly (readonly Word[])[];
}
/** The words of each cell. */
export type Cells = readonly (readonly Word[])[];

const isNumeric = (words: readonly Word[]): boolean =>
  words.length > 0 && /^[\p{Sc}(+±−–-]?[\p{Sc}]?\p{Nd}[\p{Nd}.,'’\u00a0 %)]*$/u.test(textOf(words));
const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(" ");
const isFilled = (words: readonly Word[]): boolean => words.length > 0;

/** Merges all of them into one row. */
export const joinedRow = (lines: readonly CellLine[]): Cells =>
  (lines[0]?.cells ?? []).map((_cell, column) => lines.flatMap(({ cells }) => cells[column]!));

/**
 * Splits these lines between two rules into rows, if they are several: text that is alone in its
 * column, between the others, belongs to all of them and goes to the first. Null otherwise.
 */
export function separateRows(lines: readonly CellLine[]): Cells[] | null {
  const counts = (lines[0]?.cells ?? []).map(
    (_cell, at) => lines.filter(({ cells }) => isFilled(cells[at]!)).length,
  );
  const isBeside = ({ cells }: CellLine): boolean =>
    cells.every((cell, at) => !isFilled(cell) || counts[at] === 1);
  const beside = lines.filter(isBeside);
  const apart = lines.filter((line) => !isBeside(line));
  const columns = counts.filter((_count, at) => !beside.some(({ cells }) => isFilled(cells[at]!)));
  if (!areRows(apart, columns.length)) return null;
  return apart.map(({ cells }, row) =>
    row > 0
      ? cells
      : cells.map((cell, at) => [...cell, ...beside.flatMap((line) => line.cells[at]!)]),
  );
}

/** A column has numbers in nearly all of them, and most columns are filled. */
function areRows(lines: readonly CellLine[], columns: number): boolean {
  if (lines.length < 2 || columns < 2) return false;
  const nearlyAll = (holds: (line: CellLine) => boolean): boolean =>
    lines.filter(holds).length >= (lines.length < 4 ? 1 : 0.8) * lines.length;
  const has_numbers = lines[0]!.cells.some((_cell, at) =>
    nearlyAll(({ cells }) => isNumeric(cells[at]!)),
  );
  return (
    has_numbers &&
    nearlyAll(({ cells }) => cells.filter(isFilled).length >= Math.max(2, 0.6 * columns))
  );
}

/**
 * Rows from lines without rules between them. `rights` are the right ends of the columns; lines of
 * a cell are at most `step_max` apart, if that is known.
 */
export function logicalRows(
  lines: readonly CellLine[],
  rights: readonly number[],
  step_max: number | null = null,
): Cells[] {
  const steps = lines.slice(1).map(({ row }, at) => lines[at]!.row.base - row.base);
  const small = step_max ?? smallStep(steps);
  const rows: CellLine[][] = [];
  for (const [at, line] of lines.entries()) {
    const open = rows.at(-1);
    if (open !== undefined && continues(line, open, steps[at - 1]!, small, rights)) open.push(line);
    else rows.push([line]);
  }
  return rows.map(joinedRow);
}

/** The line spacing within cells, if that between rows is clearly larger; null otherwise. */
function smallStep(steps: readonly number[]): number | null {
  if (steps.length < 2) return null;
  const sorted = steps.toSorted((a, b) => a - b);
  const least = sorted[0]!;
  const large = sorted.filter((step) => step > 1.25 * least);
  return large.length >= 0.25 * steps.length && large.length < steps.length ? 1.25 * least : null;
}

function continues(
  { row, cells }: CellLine,
  open: readonly CellLine[],
  step: number,
  small: number | null,
  rights: readonly number[],
): boolean {
  const first = open[0]!;
  const filled = cells.flatMap((cell, at) => (isFilled(cell) ? [at] : []));
  if (filled.some((at) => isNumeric(cells[at]!))) return false;
  if (step > 1.9 * row.size) return false;
  if (filled.some((at) => !open.some((line) => isFilled(line.cells[at]!)))) return false;
  const first_filled = first.cells.filter(isFilled).length;
  const lastOf = (at: number): readonly Word[] =>
    open.findLast((line) => isFilled(line.cells[at]!))!.cells[at]!;
  // The first word would not have fitted on the previous line.
  const isWrapped = (at: number): boolean => {
    const [word] = cells[at] as [Word];
    return lastOf(at).at(-1)!.right + (word.right - word.left) + 0.2 * word.size > rights[at]!;
  };
  const isFull = (at: number): boolean => {
    const { left } = lastOf(at)[0]!;
    return lastOf(at).at(-1)!.right - left >= 0.8 * (rights[at]! - left);
  };
  if (filled.length < first_filled) return small === null ? filled.some(isWrapped) : step <= small;
  // Running text in all of them.
  return (
    (small === null || step <= small) &&
    filled.every((at) => isWrapped(at) && isFull(at)) &&
    filled.some((at) => /^\p{Ll}/u.test(cells[at]![0]!.text)) &&
    cells.flat().length >= 3 * filled.length
  );
}

/**
 * The rows of a header: its lines form one row, except lines with fragments that span columns,
 * which are separate rows above.
 */
export function headRows(
  lines: readonly CellLine[],
  isSpanning: (line: CellLine) => boolean,
): Cells[] {
  const above = lines.findLastIndex(isSpanning) + 1;
  const rows = lines.slice(0, above).map((line) => joinedRow([line]));
  return above === lines.length ? rows : [...rows, joinedRow(lines.slice(above))];
}

/** Whether a fragment of the line spans several columns. */
export const isSpanning =
  (columns: readonly Column[]) =>
  ({ row }: CellLine): boolean =>
    piecesOf(row, piece_gap).some(
      (piece) =>
        columns.filter(
          ({ left, right }) =>
            Math.min(right, piece.at(-1)!.right) - Math.max(left, piece[0]!.left) >
            0.5 * Math.max(0.1, right - left),
        ).length > 1,
    );
