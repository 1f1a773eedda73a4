/** The cells of a sheet as lines: empty columns and rows are left out, the rest keeps its place. */
import type { Block } from "./flow";

/** A wider gap in a row is not shown in full. */
const gap_max = 20;

interface Row { readonly row: number; readonly columns: number[]; readonly cells: string[] }

export class Grid {
  private readonly rows: Row[] = [];
  private readonly used = new Set<number>();

  constructor(private readonly spend: (characters: number) => void) {}

  /** In the order of rows. Blank cells are passed over. */
  put(row: number, column: number, text: string): void {
    const cell = text.trim();
    if (cell === "") return;
    this.spend(cell.length + 1);
    let last = this.rows.at(-1);
    if (last === undefined || last.row !== row) this.rows.push(last = { row, columns: [], cells: [] });
    last.columns.push(column);
    last.cells.push(cell.replace(/[\t\n\r]+/g, " "));
    this.used.add(column);
  }
  /** A blank row separates two tables. `title` comes first, as the line above them. */
  blocks(title: string): Block[] {
    const place = new Map([...this.used].toSorted((one, other) => one - other).map((column, at) => [column, at]));
    const blocks: Block[] = title.trim() === "" ? [] : [{ text: title.trim(), joined: false, level: 1 }];
    let before: number | null = null;
    for (const { row, columns, cells } of this.rows) {
      blocks.push({ text: lineOf(columns.map((column) => place.get(column)!), cells), joined: before === null || row - before <= 1, level: null });
      before = row;
    }
    return blocks;
  }
}

function lineOf(places: readonly number[], cells: readonly string[]): string {
  const pieces: string[] = [];
  let at = 0;
  cells.forEach((cell, index) => {
    const gap = places[index]! - at;
    pieces.push("\t".repeat(Math.min(gap_max, Math.max(index === 0 ? 0 : 1, gap))), cell);
    at = places[index]!;
  });
  return pieces.join("");
}
