/**
 * Runs in the child: arranges the cells of a table in columns. Merged cells span several; in
 * formats that only have cell edges, the edges define the columns.
 */
import type { Block } from "./blocks";

/** A cell as the format describes it. */
export interface TableCell {
  readonly blocks: Block[];
  /** The number of columns and rows it spans. */
  columns: number;
  rows: number;
  /** A part of a merged cell that has no text of its own. */
  covered: boolean;
  /** It is marked as a column or row header. */
  head: boolean;
}
/** A row before its cells have columns. */
export interface CellRow {
  readonly cells: TableCell[];
  /**
   * The right edge of each cell, from left to right, in any unit; absent for formats with columns.
   */
  readonly edges?: readonly number[] | undefined;
}
/** A row with one entry per column; null where a merged cell continues. */
export type SetRow = readonly (TableCell | null)[];

/** A merged cell that would widen the table takes one column. */
const columns_max = 1_024;
/** Edges closer than this, in twentieths of a point, count as one. */
const edge_tolerance = 40;

/** The rows, all of the same length. Columns in which no cell begins are left out. */
export function setCells(rows: readonly CellRow[]): SetRow[] {
  if (isPlain(rows)) return rows.map(({ cells }) => cells);
  const spanned = spansOfEdges(rows);
  /** For each column, the number of further rows that a cell from above covers. */
  const below: number[] = [];
  const set = spanned.map((cells) => setRow(cells, below));
  const width = set.reduce((most, row) => Math.max(most, row.length), 0);
  const begun = Array.from({ length: width }, () => false);
  for (const row of set)
    row.forEach((cell, column) => {
      if (cell !== null) begun[column] = true;
    });
  const columns = [...begun.keys()].filter((column) => begun[column]);
  return set.map((row) => columns.map((column) => row[column] ?? null));
}

/** Whether every row has the same number of cells, and none is merged with others. */
function isPlain(rows: readonly CellRow[]): boolean {
  const width = rows[0]?.cells.length;
  for (const { cells, edges } of rows) {
    if (edges !== undefined || cells.length !== width || width > columns_max) return false;
    for (const { columns, rows: spanned } of cells)
      if (columns !== 1 || spanned !== 1) return false;
  }
  return true;
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
      // In a broken table, a cell from above may continue in the middle of another.
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

/** The cells of each row, with spans derived from the edges of all rows. */
function spansOfEdges(rows: readonly CellRow[]): (readonly TableCell[])[] {
  const has_edges = rows.every(
    ({ cells, edges }) => edges !== undefined && edges.length >= cells.length && isRising(edges),
  );
  if (!has_edges) return rows.map(({ cells }) => cells);
  const all: number[] = [];
  for (const edge of rows.flatMap(({ edges }) => edges!).toSorted((a, b) => a - b))
    if (all.length === 0 || edge - all.at(-1)! > edge_tolerance) all.push(edge);
  if (all.length > columns_max) return rows.map(({ cells }) => cells);
  const columnOf = (edge: number): number =>
    all.findLastIndex((other) => edge - other >= 0 && edge - other <= edge_tolerance * 2);
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
