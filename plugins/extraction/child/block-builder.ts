/**
 * The text of a document while it is read: paragraphs, rows of tables, and what stands beside the
 * text, such as notes and boxes.
 */
import type { HeadingSpan, PageSpan } from "../contract";
import { ExtractionFailure } from "../contract";

export interface Block {
  /** Not blank, without white space around it. */
  readonly text: string;
  /** A row that follows the row before it: on the next line, without a blank one between. */
  readonly joined: boolean;
  /** Of a heading: 1 is the highest. */
  readonly level: number | null;
}
export const paragraph = (text: string, level: number | null = null): Block => ({
  text,
  joined: false,
  level,
});

interface Table {
  readonly cells: Block[][];
  /** The last thing it gave was a row. */
  rows_run: boolean;
}
/** A text that is read on its own: the body, or a note or box beside a paragraph of it. */
interface Frame {
  line: string;
  readonly blocks: Block[];
  readonly tables: Table[];
  /** What follows when the paragraph is over. */
  aside: Block[];
}
const newFrame = (): Frame => ({ line: "", blocks: [], tables: [], aside: [] });

/**
 * Tables in tables, and boxes in boxes, are told apart up to here; deeper ones are plain
 * paragraphs.
 */
const nested_max = 8;
/**
 * A cell of more than one paragraph and more characters than this is no cell of data: its row
 * stands there for the layout.
 */
const cell_chars_max = 600;

export class Flow {
  private frames: Frame[] = [newFrame()];
  private frame = this.frames[0]!;
  private tables_ignored = 0;
  private asides_ignored = 0;
  /** Grows with everything that is added. */
  length = 0;

  text(text: string): void {
    this.frame.line += text;
    this.length += text.length;
  }
  /** The paragraph so far has nothing in it. */
  get fresh(): boolean {
    return this.frame.line === "";
  }

  endParagraph(level: number | null = null, marker = ""): void {
    const text = tidied(this.frame.line);
    this.frame.line = "";
    if (text !== "") this.put(paragraph(marker === "" ? text : `${marker} ${text}`, level));
    this.flushAside();
  }
  /** Adds what is already a block. */
  add(blocks: readonly Block[]): void {
    for (const block of blocks) this.length += block.text.length;
    if (this.frame.line === "") for (const block of blocks) this.put(block);
    else for (const block of blocks) this.frame.aside.push(block);
  }

  beginTable(): void {
    this.endParagraph();
    if (this.frame.tables.length >= nested_max) this.tables_ignored++;
    else this.frame.tables.push({ cells: [], rows_run: false });
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
      table.rows_run = false;
    } else if (row !== "") {
      this.put({ text: row, joined: table.rows_run, level: null });
      table.rows_run = true;
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

  /** What comes now stands beside the paragraph and follows it. */
  beginAside(): void {
    if (this.frames.length > nested_max || this.tables_ignored > 0) {
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
    const { blocks } = this.close();
    if (this.frame.line === "") for (const block of blocks) this.put(block);
    else for (const block of blocks) this.frame.aside.push(block);
  }

  /** The blocks so far, which are then forgotten. */
  take(): Block[] {
    while (this.frames.length > 1) this.endAside();
    this.endParagraph();
    while (this.frame.tables.length > 0) this.endTable();
    return this.frame.blocks.splice(0);
  }

  /** Ends the innermost text. */
  private close(): Frame {
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

/** Without white space at the ends of lines, and with one blank line at most. */
function tidied(line: string): string {
  const text = line.trim();
  return text.includes("\n")
    ? text
        .split("\n")
        .map((one) => one.trimEnd())
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
    : text;
}

/** A row as one line with tabs between the cells; null when it is there for the layout only. */
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

/** One page of blocks; a document without pages is one of number null. */
export interface Page {
  readonly page: number | null;
  readonly blocks: readonly Block[];
}
export interface Assembled {
  readonly text: string;
  readonly pages: readonly PageSpan[];
  readonly headings: readonly HeadingSpan[];
}

const headings_max = 50_000;
/** Puts the text together. @throws ExtractionFailure `too_large` */
export function assemble(pages: readonly Page[], characters_max: number): Assembled {
  const pieces: string[] = [];
  const spans: PageSpan[] = [];
  const headings: HeadingSpan[] = [];
  let characters = 0;
  const put = (text: string): void => {
    pieces.push(text);
    characters += text.length;
  };
  for (const { page, blocks } of pages) {
    let start = -1;
    for (const { text, joined, level } of blocks) {
      if (characters > 0) put(joined && start >= 0 ? "\n" : "\n\n");
      if (start < 0) start = characters;
      if (level !== null && headings.length < headings_max)
        headings.push({ start: characters, end: characters + text.length, level });
      put(text);
      if (characters > characters_max)
        throw new ExtractionFailure(
          "too_large",
          `The text of this file is longer than ${characters_max} characters.`,
        );
    }
    if (page !== null && start >= 0) spans.push({ page, start, end: characters });
  }
  return { text: pieces.join(""), pages: spans, headings };
}
