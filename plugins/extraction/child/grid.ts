/**
 * Runs in the child: the cells of a sheet as tables. A sheet is one table, including its empty rows
 * and columns, unless its parts are clearly separate tables.
 */
import { paragraph, type Block } from "./blocks";
import { pipeRow, delimiterRow } from "./pipe-table";
import { partsOf, type Area, type SheetRow } from "./sheet-parts";

/** The widest sheet of any program. */
const columns_max = 16_384;
/** The most consecutive empty rows or columns that are kept. */
const gap_max = 10;
/**
 * With more empty cells than this per filled one, a large grid is not a table, and neither are
 * further small ones on a sheet that has as many.
 */
const empty_ratio_max = 20;
const sparse_cells_min = 20_000;
/**
 * Reading a cell leaves several times its memory as garbage, which would count towards the limit:
 * the collector waits until there is as much garbage as live memory.
 */
const cells_per_collection = 150_000;
/** Longer cells than this, one below the other, are paragraphs. */
const prose_chars_min = 200;

/** Merged cells: the value is that of the first one. */
export interface MergedArea {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** Collects the cells of a sheet, row by row. */
export class Grid {
  /** Rows with cells that are not blank; there may be millions of cells. */
  private readonly rows: SheetRow[] = [];
  private empty_left = sparse_cells_min;
  private cells = 0;

  /** `spend` counts the characters of the sheet, and throws when there are too many. */
  constructor(private readonly spend: (characters: number) => void) {}

  /** Must be called in row order. Leaves out blank cells, and those beyond the widest sheet. */
  add(row: number, column: number, text: string, numeric = false): void {
    const cell = text.trim();
    if (cell === "" || column >= columns_max || column < 0) return;
    this.spend(cell.length + 3);
    if (++this.cells % cells_per_collection === 0) Bun.gc(true);
    const { columns, texts, numeric: kinds } = this.rowOf(row);
    let at = columns.length;
    while (at > 0 && columns[at - 1]! >= column) at--;
    if (columns[at] === column) return;
    if (at === columns.length) {
      columns.push(column);
      texts.push(cell);
      kinds.push(numeric);
    } else {
      columns.splice(at, 0, column);
      texts.splice(at, 0, cell);
      kinds.splice(at, 0, numeric);
    }
  }

  /** The sheet with its name as a heading. */
  blocks(name: string, merged: readonly MergedArea[] = []): Block[] {
    if (this.cells > cells_per_collection) Bun.gc(true);
    const wide = new Set(merged.filter(({ columns }) => columns > 1).map(placeOf));
    return [
      ...(name.trim() === "" ? [] : [paragraph(name.trim(), 1)]),
      ...partsOf(this.shownRows(merged), (row, column) =>
        wide.has(placeOf({ row, column })),
      ).flatMap((part) => (typeof part === "string" ? [paragraph(part)] : this.areaBlocks(part))),
    ];
  }

  /** A table, or paragraphs if it is a column of prose. */
  private areaBlocks({ rows, left, right }: Area): Block[] {
    const filled = rows.reduce((sum, { texts }) => sum + texts.length, 0);
    if (filled === 1 || (left === right && isProse(rows)))
      return rows.flatMap(({ texts }) => texts).map((text) => paragraph(text));
    const columns = keptColumns(rows);
    const height = rows.at(-1)!.row - rows[0]!.row + 1;
    const area = Math.min(height, rows.length * gap_max) * columns.length;
    const lines = this.isSparse(area, filled) ? sparseLines(rows) : tableLines(rows, columns);
    return [paragraph(lines.join("\n"))];
  }
  private isSparse(area: number, filled: number): boolean {
    const surplus = Math.max(0, area - empty_ratio_max * filled);
    if (surplus > 0 && (area > sparse_cells_min || surplus > this.empty_left)) return true;
    this.empty_left -= surplus;
    return false;
  }

  private rowOf(row: number): SheetRow {
    const last = this.rows.at(-1);
    if (last?.row === row) return last;
    const added: SheetRow = { row, columns: [], texts: [], numeric: [] };
    this.rows.push(added);
    return added;
  }
  /** Only the first of merged cells has a value. */
  private shownRows(merged: readonly MergedArea[]): readonly SheetRow[] {
    const covered = coveredPlaces(merged);
    if (covered.size === 0) return this.rows;
    return this.rows.flatMap(({ row, columns, texts, numeric }) => {
      const isShown = (_: unknown, at: number): boolean =>
        !covered.has(placeOf({ row, column: columns[at]! }));
      const shown_columns = columns.filter(isShown);
      return shown_columns.length === 0
        ? []
        : [
            {
              row,
              columns: shown_columns,
              texts: texts.filter(isShown),
              numeric: numeric.filter(isShown),
            },
          ];
    });
  }
}
const placeOf = ({ row, column }: { readonly row: number; readonly column: number }): number =>
  row * columns_max + column;

/** Positions inside merged areas, without the first of each. */
function coveredPlaces(merged: readonly MergedArea[]): Set<number> {
  const covered = new Set<number>();
  let left = covered_max;
  for (const { row, column, rows, columns } of merged) {
    if (rows * columns > left) continue;
    left -= rows * columns;
    for (let at = row; at < row + rows; at++)
      for (let beside = column; beside < column + columns; beside++)
        if (at > row || beside > column) covered.add(placeOf({ row: at, column: beside }));
  }
  return covered;
}
/** Later ones are practically never non-empty. */
const covered_max = 500_000;

const isProse = (rows: readonly SheetRow[]): boolean =>
  rows.some(({ texts }) => texts.some((text) => text.length >= prose_chars_min));

/** The columns in use, and the empty ones between them. */
function keptColumns(rows: readonly SheetRow[]): number[] {
  const used = new Set<number>();
  for (const { columns } of rows) for (const column of columns) used.add(column);
  const shown: number[] = [];
  for (const column of [...used].toSorted((a, b) => a - b)) {
    const before = shown.at(-1) ?? column;
    for (let gap = before + 1; gap < Math.min(column, before + 1 + gap_max); gap++) shown.push(gap);
    shown.push(column);
  }
  return shown;
}

function tableLines(rows: readonly SheetRow[], columns: readonly number[]): string[] {
  const places = new Map(columns.map((column, at) => [column, at]));
  const lines: string[] = [];
  let row = rows[0]!.row;
  for (const { row: next, columns: filled, texts } of rows) {
    for (let gap = Math.min(gap_max, next - row - 1); gap > 0; gap--)
      lines.push(pipeRow([], columns.length));
    row = next;
    const cells: string[] = Array.from({ length: columns.length }, () => "");
    for (const [at, column] of filled.entries()) cells[places.get(column)!] = texts[at]!;
    lines.push(pipeRow(cells, columns.length));
    if (lines.length === 1) lines.push(delimiterRow(columns.length));
  }
  return lines;
}

/** A nearly empty sheet: its rows, with tabs between cells. */
const sparseLines = (rows: readonly SheetRow[]): string[] =>
  rows.map(({ texts }) => texts.map((text) => text.replace(/\s+/g, " ")).join("\t"));
