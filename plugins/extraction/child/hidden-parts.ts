/**
 * Runs in the child: leaves out hidden parts of a workbook: sheets, rows and columns that a user
 * has hidden. Rows hidden by a filter or a collapsed outline are read.
 */
import { counted } from "../../../core/lib/counted";
import type { Warning } from "../contract";
import type { Block, Page } from "./blocks";

/** The widest sheet of any program. */
const columns_max = 16_384;

/** The hidden rows and columns of one sheet. */
export class HiddenParts {
  private readonly rows = new Set<number>();
  /** 1 for each hidden column. Only few sheets have any, but a file may have many sheets. */
  private columns: Uint8Array | undefined;
  /** Rows and columns in which something was left out. */
  readonly rows_left_out = new Set<number>();
  readonly columns_left_out = new Set<number>();

  /** Hides a row, counted as the format counts. */
  hideRow(row: number): void {
    this.rows.add(row);
  }
  /** Hides the columns from `from` to `to`, both included. */
  hideColumns(from: number, to: number): void {
    if (from > to || to < 0) return;
    this.columns ??= new Uint8Array(columns_max);
    this.columns.fill(1, Math.max(0, from), to + 1);
  }
  /** Whether a cell that has a value is hidden. */
  has(row: number, column: number): boolean {
    const in_row = this.rows.has(row);
    const in_column = this.columns?.[column] === 1;
    if (in_row) this.rows_left_out.add(row);
    else if (in_column) this.columns_left_out.add(column);
    return in_row || in_column;
  }
}

interface ReadSheet {
  readonly blocks: readonly Block[];
  readonly hidden: HiddenParts;
}

/** A page for each visible sheet; for all sheets if all are hidden. */
export function visiblePages<S extends { readonly name: string; readonly hidden: boolean }>(
  sheets: readonly S[],
  read: (sheet: S, at: number) => ReadSheet,
): Page[] {
  const visible = sheets.filter(({ hidden }) => !hidden);
  const used = visible.length === 0 ? sheets : visible;
  return used.map((sheet, at) => {
    const { blocks, hidden } = read(sheet, at);
    const left_out = at === 0 && visible.length > 0 ? sheets.length - visible.length : 0;
    return {
      page: at + 1,
      ...(sheet.name.trim() === "" ? {} : { label: `Sheet ${sheet.name.trim()}` }),
      blocks,
      warnings: [
        ...(left_out === 0 ? [] : [leftOut(counted(left_out, "sheet"), "the workbook", null)]),
        ...hiddenIn(hidden, `sheet “${sheet.name}”`, at + 1),
      ],
    };
  });
}
function hiddenIn(
  { rows_left_out, columns_left_out }: HiddenParts,
  where: string,
  page: number,
): Warning[] {
  const parts = [
    ...(rows_left_out.size === 0 ? [] : [counted(rows_left_out.size, "row")]),
    ...(columns_left_out.size === 0 ? [] : [counted(columns_left_out.size, "column")]),
  ];
  return parts.length === 0 ? [] : [leftOut(parts.join(" and "), where, page)];
}
const leftOut = (parts: string, where: string, page: number | null): Warning => ({
  code: "hidden_left_out",
  message:
    `Hidden content was left out: ${parts} of ${where}. To include it, unhide it and upload ` +
    "the file again.",
  page,
});
