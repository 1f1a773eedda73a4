/** The head of a pipe table, for chunks that begin in the middle of its rows. */
import { isDelimiterRow, pipeCells } from "../../../core/lib/pipe-rows";
import type { ReadableText } from "../../../core/lib/text-window";

/** Longer lines are ignored; UTF-16 units. */
const line_chars_max = 20_000;
/** A longer head is cut. */
const head_chars_max = 300;
/** The number of tables in which unfinished chunks may begin. */
const tables_max = 8;

/** A table: its rows, starting below the head. */
interface Rows {
  /** The start of the line with its head. */
  readonly start: number;
  readonly head: string;
  end: number;
}

/** Between the cells of a head. */
const cell_separator = " | ";

/** Takes the lines of a text in order. */
export class TableRows {
  private readonly tables: Rows[] = [];
  /** The previous line, if it may be a head. */
  private before: { readonly start: number; readonly cells: readonly string[] } | null = null;
  private open: Rows | null = null;

  constructor(private readonly text: ReadableText) {}

  /**
   * Takes the next line, without surrounding white space. Returns whether it belongs to a table.
   */
  take(start: number, end: number): boolean {
    const before = this.before;
    this.before = null;
    if (this.text.charCodeAt(start) !== bar || end - start > line_chars_max) {
      this.open = null;
      return false;
    }
    const line = this.text.slice(start, end);
    if (before !== null && isDelimiterRow(line)) {
      const head = before.cells.map((cell) => cell || "–").join(cell_separator);
      this.open = { start: before.start, head: head.slice(0, head_chars_max).trim(), end };
      this.tables.push(this.open);
      if (this.tables.length > tables_max) this.tables.shift();
      return true;
    }
    const cells = pipeCells(line);
    if (cells === null) {
      this.open = null;
      return false;
    }
    if (this.open === null) this.before = { start, cells };
    else this.open.end = end;
    return this.open !== null;
  }

  /** A blank line: what follows is another table. */
  end(): void {
    this.open = null;
    this.before = null;
  }

  /** The head of the table whose rows contain this position; null when there is none. */
  headAbove(at: number): string | null {
    return this.tables.findLast(({ start, end }) => at > start && at < end)?.head ?? null;
  }
}
const bar = 124;
