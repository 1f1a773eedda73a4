/**
 * Runs in the child: builds the blocks of a document from what a reader emits in reading order:
 * text, ends of paragraphs, tables, and asides such as notes and text boxes.
 */
import { paragraph, type Block } from "./blocks";
import { LineEmphasis, type Emphasis } from "./emphasis";
import { tableBlocks, type TableMarks } from "./table";
import type { CellRow, TableCell } from "./table-cells";

interface Table {
  readonly marks: TableMarks;
  readonly rows: CellRow[];
  /** The open row and cell. */
  row: TableCell[] | null;
  cell: TableCell | null;
  in_head: boolean;
  /** Text outside of cells, such as a caption. */
  readonly before: Block[];
}
/** A separate text: the body, or an aside. */
interface Frame {
  /** The paragraph so far. */
  line: string;
  readonly emphasis: LineEmphasis;
  readonly blocks: Block[];
  readonly tables: Table[];
  /** The blocks of asides, which follow the paragraph. */
  aside: Block[];
}
const newFrame = (): Frame => ({
  line: "",
  emphasis: new LineEmphasis(),
  blocks: [],
  tables: [],
  aside: [],
});

/** Nesting limit of tables and asides; deeper ones become plain paragraphs. */
const depth_max = 8;
/** The most columns or rows that a cell may span. */
const span_max = 10_000;

/** Takes events in reading order; `finish` returns the blocks. Unbalanced events are harmless. */
export class BlockBuilder {
  private frames: Frame[] = [newFrame()];
  private frame = this.frames[0]!;
  private tables_ignored = 0;
  private asides_ignored = 0;
  /** Characters added so far. */
  length = 0;

  /** Adds text to the current line. */
  text(text: string): void {
    this.frame.emphasis.add(text, this.frame.line.length);
    this.frame.line += text;
    this.length += text.length;
  }
  /** Nothing was added since the last paragraph ended. */
  get is_at_start(): boolean {
    return this.frame.line === "";
  }

  /** Emphasis of the text that follows. */
  emphasise(emphasis: Emphasis): void {
    this.frame.emphasis.set(emphasis);
  }
  /**
   * `level` makes it a heading; `marker` is the number or bullet of a list item, in a list nested
   * `depth` levels deep; a paragraph without a marker may continue such an item (`continues`).
   */
  endParagraph(level: number | null = null, marker = "", depth = 0, continues = false): void {
    const { line, emphasis } = this.frame;
    if (line !== "") {
      const text = trimLines(line);
      const marked = level === null ? emphasis.mark(line) : null;
      this.frame.line = "";
      emphasis.reset();
      if (text !== "")
        this.addBlock({
          text,
          level,
          marker: marker === "" ? undefined : marker,
          depth: marker === "" ? undefined : depth,
          within: continues ? depth : undefined,
          marked: marked === null ? undefined : trimLines(marked),
        });
    }
    this.flushAside();
  }
  /** Ends a text whose line breaks are kept, such as program code. */
  endCode(): void {
    const text = this.frame.line.replace(/^\n+|\s+$/g, "");
    this.frame.line = "";
    this.frame.emphasis.reset();
    if (text.trim() !== "") {
      const fence = "`".repeat(Math.max(3, 1 + longestRun(text)));
      const marked = text.includes("\n") ? `${fence}\n${text}\n${fence}` : text.trim();
      this.addBlock({ ...paragraph(text.trim()), marked });
    }
    this.flushAside();
  }
  /** Adds finished blocks: immediately, or after the open paragraph. */
  add(blocks: readonly Block[]): void {
    for (const block of blocks) this.length += block.text.length;
    if (this.frame.line === "") for (const block of blocks) this.addBlock(block);
    else for (const block of blocks) this.frame.aside.push(block);
  }

  /** Begins a table in the current cell or frame. Tables nested too deeply become paragraphs. */
  beginTable(marks: Partial<TableMarks> = {}): void {
    this.endParagraph();
    if (this.frame.tables.length >= depth_max) this.tables_ignored++;
    else
      this.frame.tables.push({
        marks: { layout: false, web: false, ...marks },
        rows: [],
        row: null,
        cell: null,
        in_head: false,
        before: [],
      });
  }
  /** Begins a row of the current table, and ends the one before. */
  beginRow(): void {
    this.endParagraph();
    const table = this.table;
    if (table === undefined) return;
    closeRow(table);
    table.row = [];
    table.in_head = false;
  }
  /** `columns` and `rows` are the cell's spans. */
  beginCell({ columns = 1, rows = 1, covered = false, head = false } = {}): void {
    this.endParagraph();
    const table = this.table;
    if (table === undefined) return;
    table.cell = {
      blocks: [],
      columns: atMost(span_max, columns),
      rows: atMost(span_max, rows),
      covered,
      head,
    };
    (table.row ??= []).push(table.cell);
  }
  /** Sets further properties of the open cell. */
  describeCell(properties: { columns?: number; covered?: boolean; head?: boolean }): void {
    const cell = this.table?.cell;
    if (cell === null || cell === undefined) return;
    if (properties.columns !== undefined) cell.columns = atMost(span_max, properties.columns);
    if (properties.covered !== undefined) cell.covered = properties.covered;
    if (properties.head !== undefined) cell.head = properties.head;
  }
  /** The open row is the header of its table. */
  headRow(): void {
    if (this.table !== undefined) this.table.in_head = true;
  }
  /** Ends the current cell. */
  endCell(): void {
    this.endParagraph();
    if (this.table !== undefined) this.table.cell = null;
  }
  /**
   * For formats without columns: `edges` are the right edges of the cells, and `covered` marks
   * those that belong to others.
   */
  endRow(edges?: readonly number[], covered: readonly boolean[] = []): void {
    this.endParagraph();
    const table = this.table;
    if (table === undefined) return;
    table.row?.forEach((cell, at) => {
      cell.covered ||= covered[at] === true;
    });
    closeRow(table, edges);
  }
  /** Ends the current table. */
  endTable(): void {
    this.endParagraph();
    if (this.tables_ignored > 0) {
      this.tables_ignored--;
      return;
    }
    const table = this.frame.tables.pop();
    if (table === undefined) return;
    closeRow(table);
    for (const block of table.before) this.addBlock(block);
    for (const block of tableBlocks(table.rows, table.marks)) this.addBlock(block);
  }

  /** Until `endAside`, content is collected as separate blocks that follow the open paragraph. */
  beginAside(): void {
    if (this.frames.length > depth_max || this.tables_ignored > 0) {
      this.asides_ignored++;
      return;
    }
    this.frame = newFrame();
    this.frames.push(this.frame);
  }
  /** Ends the current aside. */
  endAside(): void {
    if (this.asides_ignored > 0) {
      this.endParagraph();
      this.asides_ignored--;
      return;
    }
    if (this.frames.length === 1) return;
    const { blocks } = this.closeFrame();
    if (this.frame.line === "") for (const block of blocks) this.addBlock(block);
    else for (const block of blocks) this.frame.aside.push(block);
  }

  /** Closes everything that is open and returns the blocks. The builder is empty then. */
  finish(): Block[] {
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
  /** The table whose cells are open; none inside an ignored one. */
  private get table(): Table | undefined {
    return this.tables_ignored > 0 ? undefined : this.frame.tables.at(-1);
  }
  private addBlock(block: Block): void {
    const table = this.frame.tables.at(-1);
    if (table === undefined) this.frame.blocks.push(block);
    else (table.cell?.blocks ?? table.row?.at(-1)?.blocks ?? table.before).push(block);
  }
  private flushAside(): void {
    if (this.frame.aside.length === 0) return;
    const aside = this.frame.aside;
    this.frame.aside = [];
    for (const block of aside) this.addBlock(block);
  }
}

/** Removes white space at line ends, and collapses blank lines. */
function trimLines(line: string): string {
  const text = line.trim();
  return text.includes("\n")
    ? text
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
    : text;
}

function closeRow(table: Table, edges?: readonly number[]): void {
  if (table.in_head) for (const cell of table.row ?? []) cell.head = true;
  if (table.row !== null && table.row.length > 0) table.rows.push({ cells: table.row, edges });
  table.row = null;
  table.cell = null;
}
const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
const atMost = (most: number, number: number): number =>
  Math.min(most, Math.max(1, Math.floor(number) || 1));
