/** The cells of a sheet as lines: empty columns and rows are left out, the rest keeps its place. */
import type { Block } from "./block-builder";

/** A wider gap in a row is not shown in full. */
const gap_max = 20;
/** No sheet is wider. */
const columns_max = 16_384;

export class Grid {
  /** The cells that are not blank: three lists of the same length, for there may be millions. */
  private readonly rows: number[] = [];
  private readonly columns: number[] = [];
  private readonly cells: string[] = [];
  private readonly used = new Set<number>();

  constructor(private readonly spend: (characters: number) => void) {}

  /** In the order of rows. Blank cells are passed over, and those beyond the edge of a sheet. */
  put(row: number, column: number, text: string): void {
    const cell = text.trim();
    if (cell === "" || column >= columns_max) return;
    this.spend(cell.length + 1);
    this.rows.push(row);
    this.columns.push(column);
    this.cells.push(/[\t\n\r]/.test(cell) ? cell.replace(/[\t\n\r]+/g, " ") : cell);
    this.used.add(column);
  }
  /** A blank row separates two tables. `title` comes first, as the line above them. */
  blocks(title: string): Block[] {
    const blocks: Block[] =
      title.trim() === "" ? [] : [{ text: title.trim(), joined: false, level: 1 }];
    const place = new Map(
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
      const here = place.get(this.columns[at]!)!;
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
