/**
 * Tables of formats that never say where one begins: each paragraph says how many tables it stands
 * in, and marks end cells and rows.
 */
import type { Block } from "./block-builder";
import { Flow } from "./block-builder";

/** Deeper tables are paragraphs of the one around them. */
const depth_max = 8;

interface Level {
  in_row: boolean;
  in_cell: boolean;
}

/** Feeds a `Flow` with whole paragraphs. */
export class TableFlow {
  private readonly flow = new Flow();
  private readonly levels: Level[] = [];
  private written = false;
  private readonly held: string[] = [];
  private readonly aside: Block[] = [];

  /** The paragraph so far is not blank. */
  get has_text(): boolean {
    return this.written;
  }

  /** More of the paragraph that the next call ends. */
  text(text: string): void {
    this.held.push(text);
    this.written ||= text.trim() !== "";
  }
  /** Puts this before the paragraph so far. */
  begin(marker: string): void {
    if (marker !== "") this.held.unshift(marker, " ");
  }
  /** What stands beside the paragraph, and follows it. */
  add(blocks: readonly Block[]): void {
    this.aside.push(...blocks);
  }
  endParagraph(depth: number, level: number | null = null): void {
    this.within(depth, this.written || this.aside.length > 0);
    this.put(level);
  }
  endCell(depth: number): void {
    this.within(Math.max(1, depth), true);
    this.put(null);
    const table = this.levels.at(-1)!;
    this.flow.endCell();
    table.in_cell = false;
  }
  endRow(depth: number): void {
    if (this.written || this.aside.length > 0) this.endParagraph(depth);
    this.within(Math.max(1, depth), false);
    const table = this.levels.at(-1)!;
    if (table.in_row) this.flow.endRow();
    table.in_row = table.in_cell = false;
  }
  /** Everything. */
  take(): Block[] {
    this.endParagraph(0);
    return this.flow.take();
  }

  private put(level: number | null): void {
    this.flow.text(this.held.join(""));
    this.held.length = 0;
    this.written = false;
    this.flow.endParagraph(level);
    this.flow.add(this.aside.splice(0));
  }
  /**
   * Opens and closes tables until the place is so many tables deep; with `cell`, inside a cell of
   * the innermost.
   */
  private within(asked: number, cell: boolean): void {
    const depth = Math.min(asked, depth_max);
    while (this.levels.length > depth) {
      const table = this.levels.pop()!;
      if (table.in_row) this.flow.endRow();
      this.flow.endTable();
    }
    while (this.levels.length < depth) {
      this.openCell();
      this.flow.beginTable();
      this.levels.push({ in_row: false, in_cell: false });
    }
    if (cell) this.openCell();
  }
  private openCell(): void {
    const table = this.levels.at(-1);
    if (table === undefined) return;
    if (!table.in_row) this.flow.beginRow();
    if (!table.in_cell) this.flow.beginCell();
    table.in_row = table.in_cell = true;
  }
}
