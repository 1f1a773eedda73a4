/**
 * Tables that continue on the next page: a header that is not repeated on paper is repeated in the
 * text.
 */
import type { Line, LineTable } from "../paragraphs";
import { pipeTable } from "../pipe-table";

/** Lines between the table and the edge of the page: running headers and footers. */
const edge_lines_max = 3;
/** How far the columns of the two parts may differ, in points. */
const tolerance = 4;

/** Remembers the table at the end of a page until the next page is read. */
export class ContinuedTables {
  /** The table at the bottom of the previous page. */
  private last: LineTable | null = null;

  /** The lines of the next page, with the header of a table that began before. */
  next(lines: readonly Line[]): readonly Line[] {
    const before = this.last;
    const at = lines.findIndex(({ table }) => table !== undefined);
    const first = lines[at];
    let page_lines = lines;
    if (before !== null && first?.table && isAtHead(lines, first) && goesOn(first.table, before)) {
      const table = { ...first.table, rows: [before.rows[0]!, ...first.table.rows] };
      page_lines = lines.with(at, { ...first, table, text: pipeTable(table.rows).join("\n") });
    }
    const foot = page_lines.findLast(({ table }) => table !== undefined);
    this.last = foot?.table && isAtFoot(page_lines, foot.table) ? foot.table : null;
    return page_lines;
  }
}

const isAtHead = (lines: readonly Line[], first: Line): boolean =>
  lines.filter((line) => line !== first && line.base > first.base).length <= edge_lines_max;
const isAtFoot = (lines: readonly Line[], { bottom }: LineTable): boolean =>
  lines.filter(({ base }) => base < bottom).length <= edge_lines_max;

/** Whether a table has the columns of another, and no header of its own. */
function goesOn({ edges, rows }: LineTable, before: LineTable): boolean {
  const same_columns =
    edges.length === before.edges.length &&
    edges.every((edge, at) => Math.abs(edge - before.edges[at]!) <= tolerance);
  if (!same_columns) return false;
  const [first] = rows;
  const [head, ...body] = before.rows;
  if (first!.every((cell, at) => cell === head![at])) return false;
  // A numeric column has a number in the first row, so that row is not a header.
  return first!.some(
    (cell, at) =>
      /\p{Nd}/u.test(cell) &&
      !/\p{Nd}/u.test(head![at]!) &&
      body.filter((row) => /\p{Nd}/u.test(row[at]!)).length > 0.5 * body.length,
  );
}
