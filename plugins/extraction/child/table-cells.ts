/**
 * Runs in the child: arranges the cells of a table in columns. Merged cells span several; in
 * formats that only have cell edges, the edges define the columns.
 */
import { countLeading } from "../../../core/lib/binary-search";
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
/** A table whose cells have columns. Those in which no cell begins are not counted. */
export interface SetTable {
  readonly width: number;
  /** The cells that begin in each row, from left to right. */
  readonly rows: readonly (readonly TableCell[])[];
  /** Each row with all its columns. A hostile table may have millions of empty ones. */
  readonly all: () => SetRow[];
}

/** A merged cell that would widen the table takes one column. */
const columns_max = 1_024;
/** Edges closer than this, in twentieths of a point, count as one. */
const edge_tolerance = 40;

/** Gives each cell its column. */
export function setCells(rows: readonly CellRow[]): SetTable {
  const all_cells = rows.map(({ cells }) => cells);
  if (isPlain(rows))
    return { width: all_cells[0]?.length ?? 0, rows: all_cells, all: () => all_cells };
  const spanned = spansOfEdges(rows);
  /** For each column, the row in which the cell that covers it ends. */
  const covered_until: number[] = [];
  const columns = spanned.map((cells, row) => columnsOf(cells, row, covered_until));
  const begun = new Set<number>();
  for (const row of columns) for (const column of row) begun.add(column);
  const places = new Map([...begun].toSorted((a, b) => a - b).map((column, at) => [column, at]));
  const setRow = (cells: readonly TableCell[], row: number): SetRow => {
    const set: (TableCell | null)[] = Array.from({ length: places.size }, () => null);
    for (const [at, cell] of cells.entries()) set[places.get(columns[row]![at]!)!] = cell;
    return set;
  };
  return { width: places.size, rows: spanned, all: () => spanned.map(setRow) };
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

/** The column of each cell of a row, past those that cells from above cover. */
function columnsOf(cells: readonly TableCell[], row: number, covered_until: number[]): number[] {
  let column = 0;
  return cells.map((cell) => {
    while ((covered_until[column] ?? 0) > row) column++;
    const begin = column;
    const end = begin + (begin + cell.columns > columns_max ? 1 : cell.columns);
    // In a broken table, a cell from above may continue in the middle of another.
    for (; column < end; column++)
      covered_until[column] = Math.max(covered_until[column] ?? 0, row + cell.rows);
    return begin;
  });
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
  const columnOf = (edge: number): number => {
    const column = countLeading(all, (other) => other <= edge) - 1;
    return column >= 0 && edge - all[column]! <= edge_tolerance * 2 ? column : -1;
  };
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
