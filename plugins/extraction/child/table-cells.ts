/**
 * Runs in the child: the cells of a table, set into columns: merged cells take the place of
 * several, and where a format only says where its cells end, the edges make the columns.
 */
import type { Block } from "./blocks";

/** A cell as a format gives it. */
export interface TableCell {
  readonly blocks: Block[];
  /** How many columns and rows it takes. */
  columns: number;
  rows: number;
  /** A part of a merged cell that has no text of its own. */
  covered: boolean;
  /** It is marked as the head of a column or a row. */
  head: boolean;
}
export interface CellRow {
  readonly cells: TableCell[];
  /** Where each cell ends, from left to right, in any unit; absent for formats with columns. */
  readonly edges?: readonly number[] | undefined;
}
/** A row in which every cell has its column; null where a merged cell goes on. */
export type SetRow = readonly (TableCell | null)[];

/** A merged cell that would make a table wider takes one column. */
const columns_max = 1_024;
/** Edges nearer than this, in twentieths of a point, are one. */
const edge_tolerance = 40;

/** The rows, all of the same length. Columns in which no cell begins are left out. */
export function setCells(rows: readonly CellRow[]): SetRow[] {
  const spanned = spansOfEdges(rows);
  /** For each column, in how many more rows a cell of a row above goes on. */
  const below: number[] = [];
  const set = spanned.map((cells) => setRow(cells, below));
  const width = set.reduce((most, row) => Math.max(most, row.length), 0);
  const begun = Array.from({ length: width }, () => false);
  for (const row of set)
    for (const [column, cell] of row.entries()) if (cell !== null) begun[column] = true;
  return set.map((row) => begun.flatMap((used, column) => (used ? [row[column] ?? null] : [])));
}

function setRow(cells: readonly TableCell[], below: number[]): (TableCell | null)[] {
  const row: (TableCell | null)[] = [];
  const skip = (): void => {
    while ((below[row.length] ?? 0) > 0) {
      below[row.length]!--;
      row.push(null);
    }
  };
  for (const cell of cells) {
    skip();
    const columns = row.length + cell.columns > columns_max ? 1 : cell.columns;
    for (let at = 0; at < columns; at++) {
      // A cell of a row above may go on in the middle of a broken one.
      below[row.length] = Math.max(below[row.length] ?? 0, cell.rows) - 1;
      row.push(at === 0 ? cell : null);
    }
  }
  while (row.length < below.length) {
    if ((below[row.length] ?? 0) > 0) below[row.length]!--;
    row.push(null);
  }
  return row;
}

/** The cells of each row, as wide as the edges of all rows say. */
function spansOfEdges(rows: readonly CellRow[]): (readonly TableCell[])[] {
  const known = rows.every(
    ({ cells, edges }) => edges !== undefined && edges.length >= cells.length && isRising(edges),
  );
  if (!known) return rows.map(({ cells }) => cells);
  const all: number[] = [];
  for (const edge of rows.flatMap(({ edges }) => edges!).toSorted((one, other) => one - other))
    if (all.length === 0 || edge - all.at(-1)! > edge_tolerance) all.push(edge);
  if (all.length > columns_max) return rows.map(({ cells }) => cells);
  const columnOf = (edge: number): number =>
    all.findLastIndex((one) => edge - one >= 0 && edge - one <= edge_tolerance * 2);
  return rows.map(({ cells, edges }) => {
    let column = -1;
    for (const [at, cell] of cells.entries()) {
      const end = Math.max(column + 1, columnOf(edges![at]!));
      cell.columns = end - column;
      column = end;
    }
    return cells;
  });
}
const isRising = (edges: readonly number[]): boolean =>
  edges.every((edge, at) => at === 0 || edge > edges[at - 1]!);
