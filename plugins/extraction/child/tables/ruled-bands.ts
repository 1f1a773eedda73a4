/**
 * Tables with horizontal rules only, as in books, or with shaded rows: columns are found by the
 * gaps in their text.
 */
import { cellsOf, columnsOf, edgesOf, piece_gap, type Column } from "./columns";
import {
  centre,
  median,
  middle,
  piecesOf,
  rowsOfWords,
  type Rule,
  type Table,
  type TextRow,
  type Word,
} from "./geometry";
import {
  headRows,
  isSpanning,
  joinedRow,
  logicalRows,
  separateRows,
  type CellLine,
  type Cells,
} from "./logical-rows";
import { makeTable } from "./table-builder";
import { isProse } from "./prose";
import { rule_tolerance, type Stack } from "./rules";
import { hasTableContent } from "./values";

/** The text between two consecutive rules. */
interface Interval {
  readonly top: number;
  readonly bottom: number;
  readonly rows: readonly TextRow[];
  readonly width: number;
}
/**
 * The gap between fragments that distinguishes a row of a table from a line of text, in font sizes.
 */
const apart_min = 0.8;
const filled_share_min = 0.25;
/**
 * A cell beside a label has no more lines than this; otherwise it is running text beside other
 * text.
 */
const hanging_lines_max = 8;
/** A header has no more lines. */
const head_lines_max = 6;

/** The tables between a stack of rules. */
export function bandTables(stack: Stack, words: readonly Word[]): Table[] {
  if (stack.at.length < 2) return [];
  const inside = words.filter(
    (word) => middle(word) > stack.left - 6 && middle(word) < stack.right + 6,
  );
  if (!inside.some((word) => centre(word) < stack.top && centre(word) > stack.bottom)) return [];
  const rows = rowsOfWords(inside);
  const intervals = stack.at.slice(1).map((bottom, at): Interval => {
    const top = stack.at[at]!;
    return {
      top,
      bottom,
      rows: rows.filter((row) => centre(row) < top && centre(row) > bottom),
      width: stack.right - stack.left,
    };
  });
  return runsOf(intervals).flatMap((run) => tableOf(run, rows, stack) ?? []);
}

/** Consecutive intervals that may be rows of one table. */
function runsOf(intervals: readonly Interval[]): Interval[][] {
  const runs: Interval[][] = [];
  let run: Interval[] = [];
  const end = (): void => {
    while (run.length > 0 && !isTabular(run.at(-1)!)) run.pop();
    if (run.length > 0) runs.push(run);
    run = [];
  };
  for (const interval of intervals) {
    if (isTabular(interval) || (run.length > 0 && isShort(interval))) run.push(interval);
    else end();
  }
  end();
  return runs;
}
const isTabular = ({ rows, width }: Interval): boolean => {
  const pieces = rows.map((row) => piecesOf(row, apart_min));
  const parted = pieces.filter(({ length }) => length > 1).length;
  const [, second] = pieces[0] ?? [];
  const hangs_from = rows.length <= hanging_lines_max ? (second?.[0]!.left ?? Infinity) : Infinity;
  // Continuation lines of a cell: they are narrow, or below the second cell of the first line.
  const further = pieces.filter(
    ([first, ...others]) =>
      others.length === 0 &&
      (first!.at(-1)!.right - first![0]!.left < 0.45 * width || first![0]!.left > hangs_from - 2),
  ).length;
  return parted > 0 && (parted >= 0.5 * rows.length || further + parted >= rows.length);
};
/** A section title within the table, or the space between two rules. */
const isShort = ({ top, bottom, rows }: Interval): boolean =>
  rows.length === 0 ? top - bottom < 30 : rows.length === 1 && top - bottom < 2.6 * rows[0]!.size;

function tableOf(
  run: readonly Interval[],
  all: readonly TextRow[],
  stack: Stack,
  header_columns: readonly Column[] | null = null,
): Table | null {
  const filled = run.filter(({ rows }) => rows.length > 0);
  const has_head = filled.length > 1 && filled[0]!.rows.length <= head_lines_max;
  const body = (has_head ? filled.slice(1) : filled).flatMap(({ rows }) => rows);
  const head = has_head ? filled[0]!.rows : [];
  let columns = header_columns ?? columnsOf(body.length < 2 ? [...head, ...body] : body);
  if (columns.length === 0) return null;
  columns = withHeadColumns(columns, head);
  if (columns.length < 2) return null;
  const edges = edgesOf(columns, stack);
  const top = run[0]!.top;
  const bottom = run.at(-1)!.bottom;
  const lineOf = (row: TextRow): CellLine => ({
    row,
    cells: cellsOf(row, columns, edges, underlinesOf(row, stack.partial)),
  });
  const body_filled = has_head ? filled.slice(1) : filled;
  const is_banded = isBanded(body_filled);
  const step = is_banded ? Math.min(...body_filled.map((band) => band.top - band.bottom)) : 0;
  const context = { columns, step, lineOf };
  const above = neighbours(all.filter((row) => centre(row) > top).toReversed(), top, context);
  const below = neighbours(
    all.filter((row) => centre(row) < bottom),
    bottom,
    context,
  );
  // Rules only around the header: the rows below determine its columns.
  if (header_columns === null && below.length > body.length) {
    const wider = columnsOf([...head, ...body, ...below.map(({ row }) => row)]);
    if (wider.length > 1) return tableOf(run, all, stack, wider);
  }
  const lines = filled.map(({ rows }) => rows.map(lineOf));
  if (isProse([...above, ...lines.flat(), ...below], columns)) return null;
  // Two rules around a few lines say nothing about columns.
  const is_framed = filled.length === 1 && above.length + below.length === 0;
  if (is_framed && !hasTableContent(lines.flat(), columns, false)) return null;
  const rights = columns.map(({ right }) => right);
  const rows: Cells[] = [
    ...headRows(above.toReversed(), isSpanning(columns)),
    ...(has_head ? splitHead(lines[0]!, stack.partial, columns) : []),
    ...bodyRows(has_head ? lines.slice(1) : lines, rights, is_banded),
    ...logicalRows(below, rights, is_banded ? 0.85 * step : null),
  ];
  return makeTable(rows, edges, { ...stack, top, bottom }, filled_share_min);
}

/** A column may be empty below its name. */
function withHeadColumns(columns: readonly Column[], head: readonly TextRow[]): Column[] {
  const split_columns = [...columns];
  for (const row of head)
    for (const piece of piecesOf(row, piece_gap)) {
      const left = piece[0]!.left;
      const right = piece.at(-1)!.right;
      const gap = piece_gap * row.size;
      if (split_columns.every((column) => right + gap < column.left || left - gap > column.right))
        split_columns.push({ left, right });
    }
  return split_columns.sort((a, b) => a.left - b.left);
}

/** A rule closely follows a line. */
const underlinesOf = (row: TextRow, partial: readonly Rule[]): Rule[] =>
  partial.filter(({ at }) => at < row.base + 1 && at > row.base - 0.9 * row.size);

interface Neighbourhood {
  readonly columns: readonly Column[];
  /** The height of its rows; 0 if unknown. */
  readonly step: number;
  readonly lineOf: (row: TextRow) => CellLine;
}
/** Lines beyond the outer rules that continue the columns: a header above, rows below. */
function neighbours(
  rows: readonly TextRow[],
  edge: number,
  { columns, step, lineOf }: Neighbourhood,
): CellLine[] {
  const lines_found: CellLine[] = [];
  let base = edge;
  let typical_step = 0;
  for (const row of rows) {
    const distance = Math.abs(row.base - base);
    if (distance > Math.max(2.1 * row.size, 1.3 * step, 1.1 * typical_step)) break;
    const line = lineOf(row);
    const filled = line.cells.flatMap((cell, at) => (cell.length > 0 ? [at] : []));
    const before = lines_found.at(-1);
    // The next line of a cell.
    const continues =
      before !== undefined &&
      row.base < before.row.base &&
      distance < 1.5 * row.size &&
      filled.every((at) => at > 0 && before.cells[at]!.length > 0) &&
      !isSpanning(columns)(line);
    if ((piecesOf(row, apart_min).length < 2 || filled.length < 2) && !continues) break;
    lines_found.push(line);
    base = row.base;
    if (lines_found.length > 1) typical_step = Math.max(typical_step, distance);
  }
  return lines_found;
}

/** Rules over some columns separate the rows of a header. */
function splitHead(
  lines: readonly CellLine[],
  partial: readonly Rule[],
  columns: readonly Column[],
): Cells[] {
  const rules = partial.map(({ at }) => at);
  const groups: CellLine[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    const before = last?.at(-1)?.row;
    const is_parted =
      before !== undefined &&
      rules.some((at) => at < before.base + rule_tolerance && at > centre(line.row));
    if (last === undefined || is_parted) groups.push([line]);
    else last.push(line);
  }
  return groups.length > 1 ? groups.map(joinedRow) : headRows(lines, isSpanning(columns));
}

/** Whether rules or shades separate individual rows, not groups of them. */
const isBanded = (intervals: readonly Interval[]): boolean =>
  intervals.length >= 3 && median(intervals.map(({ rows }) => rows.length)) <= 3;

function bodyRows(
  intervals: readonly (readonly CellLine[])[],
  rights: readonly number[],
  is_banded: boolean,
): Cells[] {
  return intervals.flatMap((lines) => {
    if (lines.length < 2) return lines.map((line) => line.cells);
    if (is_banded) return separateRows(lines) ?? [joinedRow(lines)];
    return logicalRows(lines, rights);
  });
}
