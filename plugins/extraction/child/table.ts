/**
 * Runs in the child: decides whether a table is one, or there for the layout of a page, and makes
 * the blocks of either.
 */
import { withMarker, paragraph, type Block } from "./blocks";
import { pipeTable, type TableRow } from "./pipe-table";
import { setCells, type CellRow, type SetRow, type TableCell } from "./table-cells";

/** A cell of several paragraphs and more characters than this is a part of a page. */
const cell_chars_max = 600;
/** A table of one column without a head has cells of at most so many characters. */
const listed_chars_max = 200;
const listed_rows_min = 3;
/** More empty cells than this for each filled one, in a table of so many, are no table. */
const empty_ratio_max = 20;
const sparse_cells_min = 20_000;

export interface TableMarks {
  /** The format says that it is there for the layout. */
  readonly layout: boolean;
  /** In this format, most tables without marks are there for the layout. */
  readonly web: boolean;
}

/** The table as a block, or the text of its cells. */
export function tableBlocks(rows: readonly CellRow[], marks: TableMarks): Block[] {
  const all = rows.flatMap(({ cells }) => cells);
  for (const cell of all) if (cell.covered) cell.blocks.length = 0;
  const filled = all.filter(({ blocks }) => blocks.length > 0);
  if (filled.length === 0) return [];
  if (marks.layout || holdsPage(rows, filled, marks)) return filled.flatMap(({ blocks }) => blocks);
  const set = setCells(rows.filter(({ cells }) => cells.length > 0));
  if (set.length === 1) return oneRow(set[0]!);
  const width = set[0]!.length;
  if (width === 1 && !isListed(set, filled, marks)) return filled.flatMap(({ blocks }) => blocks);
  const texts = set.map((row) => row.map((cell) => (cell === null ? "" : cellText(cell.blocks))));
  const area = width * set.length;
  if (area > sparse_cells_min && area > empty_ratio_max * filled.length) return [sparse(texts)];
  return [tableBlock(hasHeadsOfRowsOnly(set) ? [[], ...texts] : texts)];
}
export const tableBlock = (rows: readonly TableRow[]): Block => ({
  ...paragraph(pipeTable(rows).join("\n")),
  rows,
});

/** A table that is nearly empty: lines with tabs between their cells. */
const sparse = (rows: readonly TableRow[]): Block =>
  paragraph(
    rows
      .map((row) => row.filter((cell) => cell !== "").join("\t"))
      .filter((line) => line !== "")
      .join("\n"),
  );

/** Whether its cells hold the parts of a page: long texts, or other tables. */
function holdsPage(
  rows: readonly CellRow[],
  filled: readonly TableCell[],
  { web }: TableMarks,
): boolean {
  const isLong = ({ blocks }: TableCell): boolean =>
    blocks.length > 1 &&
    blocks.reduce((sum, { text }) => sum + text.length, 0) >
      (blocks.some(({ level }) => level !== null) ? cell_chars_max / 3 : cell_chars_max);
  const holdsTable = ({ blocks }: TableCell): boolean =>
    blocks.some(({ rows: nested }) => nested !== undefined);
  const holding = filled.filter(holdsTable).length;
  const is_web_layout = web && !filled.some(({ head }) => head);
  if (holding > 0 && (is_web_layout ? 3 : 2) * holding >= filled.length) return true;
  const rows_of_page = rows.filter(({ cells }) => cells.some(isLong)).length;
  return 2 * rows_of_page >= Math.max(2, rows.length) || (rows.length === 1 && rows_of_page === 1);
}

/** A single row is a line, or as many paragraphs as it has. */
function oneRow(row: SetRow): Block[] {
  const cells = row.flatMap((cell) => (cell === null || cell.blocks.length === 0 ? [] : [cell]));
  const lines = cells.map(({ blocks }) => cellText(blocks));
  return cells.some(({ blocks }) => blocks.length > 1) || lines.some((line) => line.includes("\n"))
    ? cells.flatMap(({ blocks }) => blocks)
    : [paragraph(lines.join("\t"))];
}

/** Whether a table of one column is one: it has a head, or is a list of short texts. */
function isListed(
  rows: readonly SetRow[],
  filled: readonly TableCell[],
  { web }: TableMarks,
): boolean {
  if (rows[0]![0]?.head === true && rows.some(([cell]) => cell?.head === false)) return true;
  return (
    !web &&
    filled.length >= listed_rows_min &&
    filled.every(({ blocks: [first, ...rest] }) => rest.length === 0 && isShort(first!))
  );
}
const isShort = ({ text, level }: Block): boolean =>
  level === null && text.length <= listed_chars_max;

/** Whether only the first cell of each row is a head: then no row is the head of the columns. */
const hasHeadsOfRowsOnly = (rows: readonly SetRow[]): boolean =>
  rows.every(([first]) => first === null || first?.head === true) &&
  rows[0]!.some((cell, column) => column > 0 && cell !== null && !cell.head) &&
  rows[0]![0] !== null;

/** The text of a cell: a line for each paragraph and each row of a table in it. */
export function cellText(blocks: readonly Block[]): string {
  const items = blocks.filter(({ marker }) => marker !== undefined);
  /** The numbers of a list that stands in one cell are told by its lines. */
  const bare = items.length > 1 && /^\D?1\D?$/.test(items[0]!.marker!);
  return blocks.map((block) => linesIn(block, bare)).join("\n");
}
function linesIn(block: Block, bare: boolean): string {
  if (block.rows !== undefined)
    return block.rows
      .map((row) => row.filter((cell) => cell !== "").join(" "))
      .filter((line) => line !== "")
      .join("\n");
  const is_bullet = !/[\p{L}\p{N}]/u.test(block.marker ?? "");
  return bare || is_bullet ? block.text : withMarker(block);
}
