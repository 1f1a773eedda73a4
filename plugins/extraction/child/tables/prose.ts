/** Distinguishes columns of running text from the columns of a table. */
import type { Column } from "./columns";
import type { CellLine } from "./logical-rows";
import type { Word } from "./geometry";

/** A line of running text fills at least this share of its column's width … */
const full_share = 0.8;
/** … in at least this share of lines … */
const full_lines_share = 0.5;
/** … and has at least this many words. */
const words_min = 4;

/** Whether two of the columns, or all of them, are running text. */
export function isProse(lines: readonly CellLine[], columns: readonly Column[]): boolean {
  const running = columns.filter((column, at) =>
    isRunning(
      lines.flatMap(({ cells }) => (cells[at]!.length === 0 ? [] : [cells[at]!])),
      column,
    ),
  ).length;
  return running === columns.length || (running >= 2 && running >= 0.5 * columns.length);
}

function isRunning(cells: readonly (readonly Word[])[], { left, right }: Column): boolean {
  if (cells.length < 4) return false;
  const full = cells.filter(
    (cell) =>
      cell.length >= words_min && cell.at(-1)!.right - cell[0]!.left >= full_share * (right - left),
  ).length;
  return full >= full_lines_share * cells.length;
}
