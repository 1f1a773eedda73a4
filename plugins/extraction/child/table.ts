/**
 * Runs in the child: decides whether a table is data or page layout, and creates the blocks for
 * either.
 */
import { withMarker, paragraph, type Block } from "./blocks";
import { pipeTable, type TableRow } from "./pipe-table";
import { setCells, type CellRow, type SetRow, type TableCell } from "./table-cells";

/** A cell with several paragraphs and more characters than this is page layout. */
const cell_chars_max = 600;
/** In a table of one column without a header, cells have at most this many characters. */
const listed_chars_max = 200;
const listed_rows_min = 3;
/** With more empty cells than this per filled one, a large grid is not a table. */
const empty_ratio_max = 20;
const sparse_cells_min = 20_000;

/** What the format says about a table. */
export interface TableMarks {
  /** The format marks it as layout. */
  readonly layout: boolean;
  /** In this format, most unmarked tables are layout. */
  readonly web: boolean;
}

/** The table as a block, or the text of its cells. */
export function tableBlocks(rows: readonly CellRow[], marks: TableMarks): Block[] {
  const all = rows.flatMap(({ cells }) => cells);
  for (const cell of all) if (cell.covered) cell.blocks.length = 0;
  const filled = all.filter(({ blocks }) => blocks.length > 0);
  if (filled.length === 0) return [];
  if (marks.layout || holdsPage(rows, filled, marks)) return filled.flatMap(({ blocks }) => blocks);
  const table = setCells(rows.filter(({ cells }) => cells.length > 0));
  if (table.rows.length === 1) return oneRow(table.rows[0]!);
  if (table.width === 1 && !isListed(table.rows, filled, marks))
    return filled.flatMap(({ blocks }) => blocks);
  const textOf = (cell: TableCell | null): string => (cell === null ? "" : cellText(cell.blocks));
  const area = table.width * table.rows.length;
  if (area > sparse_cells_min && area > empty_ratio_max * filled.length)
    return [sparse(table.rows.map((cells) => cells.map(textOf)))];
  const set = table.all();
  const texts = set.map((row) => row.map(textOf));
  return [tableBlock(hasHeadsOfRowsOnly(set) ? [[], ...texts] : texts)];
}
/** A table as a block, in Markdown. */
export const tableBlock = (rows: readonly TableRow[]): Block => ({
  ...paragraph(pipeTable(rows).join("\n")),
  rows,
});

/** A nearly empty table: lines with tabs between cells. */
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

/** A single row becomes a line, or as many paragraphs as it contains. */
function oneRow(row: readonly TableCell[]): Block[] {
  const cells = row.filter(({ blocks }) => blocks.length > 0);
  const lines = cells.map(({ blocks }) => cellText(blocks));
  return cells.some(({ blocks }) => blocks.length > 1) || lines.some((line) => line.includes("\n"))
    ? cells.flatMap(({ blocks }) => blocks)
    : [paragraph(lines.join("\t"))];
}

/** Whether a single column is a table: it has a header, or is a list of short texts. */
function isListed(
  rows: readonly (readonly TableCell[])[],
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

/** Whether only the first cell of each row is a header: then there is no header row. */
const hasHeadsOfRowsOnly = (rows: readonly SetRow[]): boolean =>
  rows.every(([first]) => first === null || first?.head === true) &&
  rows[0]!.some((cell, column) => column > 0 && cell !== null && !cell.head) &&
  rows[0]![0] !== null;

/** The text of a cell: one line per paragraph, and per row of a nested table. */
export function cellText(blocks: readonly Block[]): string {
  const [first] = blocks;
  if (first === undefined) return "";
  if (blocks.length === 1) return linesIn(first, false);
  const items = blocks.filter(({ marker }) => marker !== undefined);
  /** A list inside one cell keeps its numbers through the line breaks. */
  const bare = items.length > 1 && /^\D?1\D?$/.test(items[0]!.marker!);
  return blocks.map((block) => linesIn(block, bare)).join("\n");
}
function linesIn(block: Block, bare: boolean): string {
  if (block.rows !== undefined)
    return block.rows
      .map((row) => row.filter((cell) => cell !== "").join(" "))
      .filter((line) => line !== "")
      .join("\n");
  const { marker = "" } = block;
  return bare || marker === "" || isBullet(marker) ? block.text : withMarker(block);
}
const isBullet = (marker: string): boolean => !/[\p{L}\p{N}]/u.test(marker);
