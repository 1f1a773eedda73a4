/**
 * Runs in the child: builds the blocks of a document from what a reader finds, in the order of
 * reading: text, ends of paragraphs, tables, and asides such as notes and boxes.
 */
import { paragraph, type Block } from "./blocks";

interface Table {
  /** The cells of the row that is open. */
  readonly cells: Block[][];
  /** The block before was a row of this table. */
  after_row: boolean;
}
/** A text of its own: the body, or an aside. */
interface Frame {
  /** The paragraph so far. */
  line: string;
  readonly blocks: Block[];
  readonly tables: Table[];
  /** The blocks of asides, which follow the paragraph. */
  aside: Block[];
}
const newFrame = (): Frame => ({ line: "", blocks: [], tables: [], aside: [] });

/** Tables inside tables, and asides inside asides; deeper ones are plain paragraphs. */
const depth_max = 8;
/**
 * A cell of several paragraphs and more characters than this is no data: its table is there for the
 * layout.
 */
const cell_chars_max = 600;

export class BlockBuilder {
  private frames: Frame[] = [newFrame()];
  private frame = this.frames[0]!;
  private tables_ignored = 0;
  private asides_ignored = 0;
  /** Characters added so far. */
  length = 0;

  text(text: string): void {
    this.frame.line += text;
    this.length += text.length;
  }
  /** Nothing was added since the last paragraph ended. */
  get is_at_start(): boolean {
    return this.frame.line === "";
  }

  /** `level` makes it a heading; `marker` is the number or bullet of a list item. */
  endParagraph(level: number | null = null, marker = ""): void {
    const text = trimLines(this.frame.line);
    this.frame.line = "";
    if (text !== "") this.put(paragraph(marker === "" ? text : `${marker} ${text}`, level));
    this.flushAside();
  }
  /** Adds finished blocks: at once, or after the paragraph that has begun. */
  add(blocks: readonly Block[]): void {
    for (const block of blocks) this.length += block.text.length;
    if (this.frame.line === "") for (const block of blocks) this.put(block);
    else for (const block of blocks) this.frame.aside.push(block);
  }

  beginTable(): void {
    this.endParagraph();
    if (this.frame.tables.length >= depth_max) this.tables_ignored++;
    else this.frame.tables.push({ cells: [], after_row: false });
  }
  beginRow(): void {
    this.endParagraph();
    if (this.tables_ignored === 0 && this.frame.tables.length > 0)
      this.frame.tables.at(-1)!.cells.length = 0;
  }
  beginCell(): void {
    this.endParagraph();
    if (this.tables_ignored === 0) this.frame.tables.at(-1)?.cells.push([]);
  }
  endCell(): void {
    this.endParagraph();
  }
  endRow(): void {
    this.endParagraph();
    const table = this.frame.tables.at(-1);
    if (table === undefined || this.tables_ignored > 0) return;
    const cells = table.cells.splice(0);
    this.frame.tables.pop();
    const row = rowOf(cells);
    if (row === null) {
      for (const block of cells.flat()) this.put(block);
      table.after_row = false;
    } else if (row !== "") {
      this.put({ text: row, joined: table.after_row, level: null });
      table.after_row = true;
    }
    this.frame.tables.push(table);
  }
  endTable(): void {
    this.endParagraph();
    if (this.tables_ignored > 0) this.tables_ignored--;
    else {
      const left = this.frame.tables.pop()?.cells ?? [];
      for (const block of left.flat()) this.put(block);
    }
  }

  /** Up to `endAside`, what is added follows the paragraph that is open, as blocks of its own. */
  beginAside(): void {
    if (this.frames.length > depth_max || this.tables_ignored > 0) {
      this.asides_ignored++;
      return;
    }
    this.frame = newFrame();
    this.frames.push(this.frame);
  }
  endAside(): void {
    if (this.asides_ignored > 0) {
      this.endParagraph();
      this.asides_ignored--;
      return;
    }
    if (this.frames.length === 1) return;
    const { blocks } = this.closeFrame();
    if (this.frame.line === "") for (const block of blocks) this.put(block);
    else for (const block of blocks) this.frame.aside.push(block);
  }

  /** Ends everything that is open, and gives out the blocks. The builder is empty then. */
  take(): Block[] {
    while (this.frames.length > 1) this.endAside();
    this.endParagraph();
    while (this.frame.tables.length > 0) this.endTable();
    return this.frame.blocks.splice(0);
  }

  private closeFrame(): Frame {
    this.endParagraph();
    while (this.frame.tables.length > 0) this.endTable();
    const closed = this.frames.pop()!;
    this.frame = this.frames.at(-1)!;
    return closed;
  }
  private put(block: Block): void {
    const cells = this.frame.tables.at(-1)?.cells;
    if (cells === undefined) this.frame.blocks.push(block);
    else if (cells.length === 0) cells.push([block]);
    else cells.at(-1)!.push(block);
  }
  private flushAside(): void {
    if (this.frame.aside.length === 0) return;
    const aside = this.frame.aside;
    this.frame.aside = [];
    for (const block of aside) this.put(block);
  }
}

/** Without white space at the ends of lines, and with one blank line in a row at most. */
function trimLines(line: string): string {
  const text = line.trim();
  return text.includes("\n")
    ? text
        .split("\n")
        .map((one) => one.trimEnd())
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
    : text;
}

/** A row as one line with tabs between the cells; null when its table is there for the layout. */
function rowOf(cells: readonly Block[][]): string | null {
  const filled = cells.filter((cell) => cell.length > 0);
  const isLong = (cell: readonly Block[]): boolean =>
    cell.length > 1 && cell.reduce((sum, { text }) => sum + text.length, 0) > cell_chars_max;
  const holds_table = filled.length === 1 && filled[0]!.some(({ joined }) => joined);
  if (holds_table || filled.some(isLong)) return null;
  return cells
    .map((cell) => cell.map(({ text }) => text.replaceAll("\n", " ")).join(" "))
    .join("\t")
    .trim();
}
