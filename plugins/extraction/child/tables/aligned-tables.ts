/** Tables without rules: lines whose gaps are aligned, and whose cells are values. */
import { cellsOf, columnsOf, edgesOf, type Column } from "./columns";
import { median, piecesOf, type Rule, type Table, type TextRow, type Word } from "./geometry";
import { headRows, isSpanning, logicalRows, type CellLine } from "./logical-rows";
import { makeTable } from "./table-builder";
import { isProse } from "./prose";
import { hasBoldHead, hasTableContent, isHeadedGrid, isValue } from "./values";

/** Minimum gap between two columns, in font sizes. */
const gap_min = 0.9;
/** On a page with more lines, such tables are not searched for. */
const rows_max = 600;
const head_lines_max = 4;
/** From the header to the first row, in font sizes. */
const head_step_max = 2.2;
/** The most words in the name of a column. */
const head_words_max = 6;
/** Charts are excluded: they have words and numbers all over. */
const filled_share_min = 0.34;
/** The most words in candidate lines that are inspected per page. */
const words_max = 50_000;
const columns_max = 60;
/** Lines with a value. */
const values_share_min = 0.3;

interface Range {
  readonly from: number;
  readonly to: number;
}
interface Run {
  /** Minimum number of consecutive rows. */
  readonly rows: TextRow[];
  /** How many of them must have a value. */
  readonly values: number;
  readonly next: number;
}

/**
 * The tables, from top to bottom. `across` are horizontal rules that are not part of another table.
 */
export function alignedTables(rows: readonly TextRow[], across: readonly Rule[]): Table[] {
  if (rows.length > rows_max) return [];
  const parted = rows.map((row): PartedRow => {
    const pieces = piecesOf(row, gap_min);
    return {
      row,
      pieces,
      gaps: gapsOf(pieces),
      has_value: pieces.length > 1 && pieces.some((piece) => isValue(piece)),
    };
  });
  const tables: Table[] = [];
  let words = 0;
  let end = 0;
  for (let at = 0; at < rows.length && words < words_max;) {
    const run = parted[at]!.pieces.length > 1 ? runFrom(parted, at) : null;
    if (run === null) {
      at++;
      continue;
    }
    for (const row of run.rows) words += row.words.length;
    const is_likely =
      run.values >= values_share_min * run.rows.length || isHeaded(run.rows, across);
    const before = at > end ? parted[at - 1]! : null;
    const is_near =
      before !== null &&
      before.row.base - run.rows[0]!.base <= head_step_max * before.row.size &&
      parted[at]!.has_value;
    const above = is_near ? before : null;
    const table = is_likely ? tableOf(run.rows, across, above) : null;
    if (table !== null) {
      tables.push(table);
      end = run.next;
    }
    // Later runs would give much the same.
    at = table === null ? at + Math.max(1, run.rows.length >> 3) : run.next;
  }
  return tables;
}

/** A line with its fragments and the gaps between them. */
interface PartedRow {
  readonly row: TextRow;
  readonly pieces: readonly (readonly Word[])[];
  readonly gaps: readonly Range[];
  readonly has_value: boolean;
}

/** Rows from this one on that share a gap. */
function runFrom(all: readonly PartedRow[], start: number): Run | null {
  const rows: TextRow[] = [];
  let gaps: readonly Range[] = [{ from: -Infinity, to: Infinity }];
  let parted = 0;
  let end = start;
  let left = Infinity;
  let right = -Infinity;
  let step_max = 0;
  for (let at = start; at < all.length; at++) {
    const { row, pieces, gaps: own_gaps } = all[at]!;
    const before = rows.at(-1);
    if (before !== undefined) {
      const step = before.base - row.base;
      if (step > Math.max(2.7 * row.size, 1.4 * step_max)) break;
      step_max = Math.max(step_max, step);
    }
    if (pieces.length > 1 && pieces.every((piece) => piece.length >= 5)) break;
    const shared = intersection(gaps, own_gaps, gap_min * row.size);
    left = Math.min(left, row.words[0]!.left);
    right = Math.max(right, row.words.at(-1)!.right);
    // Text on both sides.
    if (!shared.some(({ from, to }) => from > left && to < right)) break;
    if (pieces.length > 1) {
      parted++;
      end = at;
    } else if (at - end > 2) break;
    gaps = shared;
    rows.push(row);
  }
  rows.length = Math.max(0, end - start + 1);
  const values = all.slice(start, end + 1).filter(({ has_value }) => has_value).length;
  return parted < 3 ? null : { rows, values, next: end + 1 };
}

/** Whether its first line is bold, or a rule follows one of its first lines. */
const isHeaded = (rows: readonly TextRow[], across: readonly Rule[]): boolean => {
  const top = rows[0]!.base;
  const bottom = rows[Math.min(head_lines_max, rows.length - 1)]!.base;
  return hasBoldHead(rows) || across.some(({ at }) => at < top && at > bottom);
};

const gapsOf = (pieces: readonly (readonly Word[])[]): Range[] => {
  const gaps: Range[] = [];
  let from = -Infinity;
  for (const piece of pieces) {
    gaps.push({ from, to: piece[0]!.left });
    from = Math.max(...piece.map(({ right }) => right));
  }
  return [...gaps, { from, to: Infinity }];
};
function intersection(one: readonly Range[], other: readonly Range[], least: number): Range[] {
  const shared: Range[] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    const from = Math.max(one[i]!.from, other[j]!.from);
    const to = Math.min(one[i]!.to, other[j]!.to);
    if (to - from >= least) shared.push({ from, to });
    if (one[i]!.to < other[j]!.to) i++;
    else j++;
  }
  return shared;
}
/** `above` is the preceding line. */
function tableOf(
  rows: readonly TextRow[],
  across: readonly Rule[],
  above: PartedRow | null,
): Table | null {
  const columns = columnsOf(rows, gap_min);
  if (columns.length < 2 || columns.length > columns_max) return null;
  const edges = edgesOf(columns, columns[0]!);
  const lineOf = (row: TextRow): CellLine => ({ row, cells: cellsOf(row, columns, edges) });
  const lines = rows.map(lineOf);
  const head_above =
    above !== null && isHeadOf(above, lineOf(above.row)) ? lineOf(above.row) : null;
  let ruled = headRule(lines, columns, across);
  const is_table = hasTableContent(lines, columns, ruled !== null);
  if (head_above !== null && (is_table || isHeadedGrid([head_above, ...lines]))) {
    lines.unshift(head_above);
    ruled = headRule(lines, columns, across);
  } else if (!is_table) return null;
  if (isProse(lines, columns)) return null;
  const head = ruled ?? headLines(lines);
  return makeTable(
    [
      ...headRows(lines.slice(0, head), isSpanning(columns)),
      ...logicalRows(
        lines.slice(head),
        columns.map(({ right }) => right),
      ),
    ],
    edges,
    null,
    filled_share_min,
  );
}

/** Whether a line has column names, which may be wider than the cells below. */
function isHeadOf({ pieces }: PartedRow, { cells }: CellLine): boolean {
  const named = cells.filter((cell) => cell.some(({ text }) => /\p{L}{2}/u.test(text))).length;
  return (
    pieces.length > 1 &&
    pieces.length === named &&
    cells.filter((cell) => cell.length > 0).length === named &&
    named >= cells.length - 1 &&
    cells.every((cell) => cell.length <= head_words_max)
  );
}

/** The number of lines above a rule as wide as the table; null if there is no such rule. */
function headRule(
  lines: readonly CellLine[],
  columns: readonly Column[],
  across: readonly Rule[],
): number | null {
  const left = columns[0]!.left;
  const right = columns.at(-1)!.right;
  for (let at = 1; at <= Math.min(head_lines_max, lines.length - 2); at++) {
    const above = lines[at - 1]!.row;
    const below = lines[at]!.row;
    const is_ruled = across.some(
      (rule) =>
        rule.at < above.base &&
        rule.at > below.base &&
        Math.min(rule.to, right) - Math.max(rule.from, left) > 0.8 * (right - left),
    );
    if (is_ruled) return at;
  }
  return null;
}

/** The lines before the first number. */
function headLines(lines: readonly CellLine[]): number {
  const first = lines.findIndex(({ cells }) =>
    cells.some((cell) => cell.length > 0 && cell.every(({ text }) => /\p{Nd}/u.test(text))),
  );
  const body = median(lines.slice(1).map(({ row }) => weightOf(row)));
  const bold = lines.findIndex(({ row }) => weightOf(row) < 1.25 * body);
  const head = bold > 0 && body > 0 ? bold : first;
  return head > 0 && head <= head_lines_max ? head : 1;
}
const weightOf = ({ words }: TextRow): number => median(words.map(({ weight }) => weight));
