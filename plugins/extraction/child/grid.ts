/**
 * Runs in the child: the cells of a sheet as lines. Columns without any cell are left out, and rows
 * without one separate tables.
 */
import type { Block } from "./blocks";

/** Tabs between two cells of a row, at most. */
const gap_max = 20;
/** The widest sheet of any program. */
const columns_max = 16_384;

export class Grid {
  /** Cells that are not blank, in three lists of the same length: there may be millions. */
  private readonly rows: number[] = [];
  private readonly columns: number[] = [];
  private readonly cells: string[] = [];
  private readonly used = new Set<number>();

  /** `spend` counts the characters of the sheet, and throws when they are too many. */
  constructor(private readonly spend: (characters: number) => void) {}

  /** Call it in the order of rows. Leaves out blank cells, and those beyond the widest sheet. */
  add(row: number, column: number, text: string): void {
    const cell = text.trim();
    if (cell === "" || column >= columns_max) return;
    this.spend(cell.length + 1);
    this.rows.push(row);
    this.columns.push(column);
    this.cells.push(/[\t\n\r]/.test(cell) ? cell.replace(/[\t\n\r]+/g, " ") : cell);
    this.used.add(column);
  }
  /** A block for each table, after the title. */
  blocks(title: string): Block[] {
    const blocks: Block[] =
      title.trim() === "" ? [] : [{ text: title.trim(), joined: false, level: 1 }];
    const positions = new Map(
      [...this.used].toSorted((one, other) => one - other).map((column, at) => [column, at]),
    );
    let pieces: string[] = [];
    let column = 0;
    const endTable = (): void => {
      if (pieces.length > 0)
        blocks.push({
          text: pieces.join(""),
          joined: blocks.length === 1 && title.trim() !== "",
          level: null,
        });
      pieces = [];
    };
    this.cells.forEach((cell, at) => {
      const [row, before] = [this.rows[at]!, this.rows[at - 1]];
      const here = positions.get(this.columns[at]!)!;
      if (before !== undefined && row - before > 1) endTable();
      const first = pieces.length === 0 || row !== before;
      if (first && pieces.length > 0) pieces.push("\n");
      const gap = Math.min(gap_max, first ? here : Math.max(1, here - column));
      if (gap > 0) pieces.push("\t".repeat(gap));
      pieces.push(cell);
      column = here;
    });
    endTable();
    return blocks;
  }
}
