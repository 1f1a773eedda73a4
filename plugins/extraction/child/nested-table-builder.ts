/**
 * Runs in the child: builds blocks for formats (.doc, RTF) that don't mark the beginning of tables.
 * There each paragraph has a table nesting depth, and marks end cells and rows.
 */
import { BlockBuilder } from "./block-builder";
import type { Block } from "./blocks";
import { no_emphasis, type Emphasis } from "./emphasis";

/** Deeper tables become paragraphs of the surrounding one. */
const depth_max = 8;

/** The cells of a row, as the mark at its end describes them. */
export interface RowShape {
  /** From left to right, in twentieths of a point. */
  readonly edges?: readonly number[] | undefined;
  /** For each cell, whether it belongs to one before it or above it. */
  readonly covered?: readonly boolean[] | undefined;
}
interface OpenTable {
  in_row: boolean;
  in_cell: boolean;
}

/** Collects text until a mark tells where it belongs. */
export class NestedTableBuilder {
  private readonly builder = new BlockBuilder();
  private readonly tables: OpenTable[] = [];
  /** The text of the paragraph so far. */
  private readonly pieces: { readonly text: string; readonly emphasis: Emphasis }[] = [];
  private not_blank = false;
  private mark = "";
  private list_depth = 0;
  private readonly asides: Block[] = [];

  /** The paragraph so far is not blank. */
  get has_text(): boolean {
    return this.not_blank;
  }

  /** Adds text to the current paragraph. */
  text(text: string, emphasis = no_emphasis): void {
    this.pieces.push({ text, emphasis });
    this.not_blank ||= text.trim() !== "";
  }
  /** List nesting depth of the paragraph so far. */
  marker(marker: string, depth = 0): void {
    this.mark = marker;
    this.list_depth = depth;
  }
  /** Blocks that follow the paragraph, such as notes. */
  aside(blocks: readonly Block[]): void {
    this.asides.push(...blocks);
  }

  /** `depth` is the table nesting depth of the paragraph; `level` makes it a heading. */
  endParagraph(depth: number, level: number | null = null): void {
    this.enter(depth, this.not_blank || this.asides.length > 0);
    this.endText(level);
  }
  /** Ends a cell of the table at this depth; 1 is the outermost. */
  endCell(depth: number): void {
    this.enter(Math.max(1, depth), true);
    this.endText(null);
    this.builder.endCell();
    this.tables.at(-1)!.in_cell = false;
  }
  /**
   * The right edge of each cell of the row, and which cells belong to others, if the format has
   * them.
   */
  endRow(depth: number, { edges, covered }: RowShape = {}): void {
    if (this.not_blank || this.asides.length > 0) this.endParagraph(depth);
    this.enter(Math.max(1, depth), false);
    const table = this.tables.at(-1)!;
    if (table.in_row) this.builder.endRow(edges, covered);
    table.in_row = false;
    table.in_cell = false;
  }
  /** Closes everything that is open and returns the blocks. */
  finish(): Block[] {
    this.endParagraph(0);
    return this.builder.finish();
  }

  private endText(level: number | null): void {
    for (const { text, emphasis } of this.pieces) {
      this.builder.emphasise(emphasis);
      this.builder.text(text);
    }
    this.pieces.length = 0;
    this.not_blank = false;
    this.builder.endParagraph(level, this.mark, this.list_depth);
    this.mark = "";
    this.builder.add(this.asides.splice(0));
  }

  /** Opens and closes tables to reach this depth, and opens a cell of the innermost if asked. */
  private enter(wanted_depth: number, cell: boolean): void {
    const depth = Math.min(wanted_depth, depth_max);
    while (this.tables.length > depth) {
      const table = this.tables.pop()!;
      if (table.in_row) this.builder.endRow();
      this.builder.endTable();
    }
    while (this.tables.length < depth) {
      this.openCell();
      this.builder.beginTable();
      this.tables.push({ in_row: false, in_cell: false });
    }
    if (cell) this.openCell();
  }
  private openCell(): void {
    const table = this.tables.at(-1);
    if (table === undefined) return;
    if (!table.in_row) this.builder.beginRow();
    if (!table.in_cell) this.builder.beginCell();
    table.in_row = true;
    table.in_cell = true;
  }
}
