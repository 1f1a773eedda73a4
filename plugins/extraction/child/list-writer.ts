/** Runs in the child: writes headings and list items as Markdown. */
import { withMarker, type Block } from "./blocks";

/** Markdown has six levels. */
const levels_max = 6;
const depth_max = 9;
const bullet = "- ";

interface WrittenBlock {
  /** The Markdown mark, which is not part of the text. */
  readonly before: string;
  readonly text: string;
  /** It follows another item: no blank line is written between them. */
  readonly continues: boolean;
}

/** Knows which items are open, so that what belongs to an item is indented. */
export class ListWriter {
  /** The marks of the open items, by depth; none outside of a list. */
  private open: string[] = [];
  /** The depth of the outermost item: a list may begin with an item of a nested one. */
  private base = 0;

  /** The Markdown of the next block of the document. */
  write(block: Block): WrittenBlock {
    const { level, label, marker = "" } = block;
    const mark = level === null ? itemMark(marker) : null;
    const continued_at = mark === null && level === null ? this.openItem(block.within) : null;
    if (continued_at !== null) {
      this.open.length = continued_at + 1;
      const before = " ".repeat(this.open.join("").length);
      return { before, text: shown(block).replaceAll("\n", `\n${before}`), continues: false };
    }
    if (mark === null) {
      this.open = [];
      const before = label ?? (level === null ? "" : `${"#".repeat(Math.min(levels_max, level))} `);
      return { before, text: level === null ? shown(block) : headingText(block), continues: false };
    }
    const declared = Math.min(block.depth ?? 0, depth_max);
    this.base = this.open.length === 0 ? declared : Math.min(this.base, declared);
    const depth = declared - this.base;
    const beside = this.open[depth];
    // A different kind of list begins.
    const changes = beside !== undefined && (beside === bullet) !== (mark === bullet);
    const continues = this.open.length > 0 && !changes;
    this.open.length = Math.min(this.open.length, depth);
    const indent = " ".repeat(this.open.join("").length);
    this.open.push(mark);
    const inner = `\n${indent}${" ".repeat(mark.length)}`;
    const text = (block.marked ?? block.text).replaceAll("\n", inner);
    return { before: indent + mark, text, continues };
  }

  /** Which open item a paragraph continues; null if none. */
  private openItem(within: number | undefined): number | null {
    if (within === undefined) return null;
    const depth = Math.min(within, depth_max) - this.base;
    return depth >= 0 && depth < this.open.length ? depth : null;
  }
}

/** Bullets and plain numbers become Markdown marks. Any other number stays in the text. */
function itemMark(marker: string): string | null {
  if (marker === "") return null;
  if (/^\d{1,9}[.)]$/.test(marker)) return `${marker} `;
  return /[\p{L}\p{N}]/u.test(marker) ? null : bullet;
}
const shown = ({ marked, ...block }: Block): string =>
  withMarker(marked === undefined ? block : { ...block, text: marked });
/** On one line, with its number but without a bullet. */
const headingText = (block: Block): string =>
  (/[\p{L}\p{N}]/u.test(block.marker ?? "") ? withMarker(block) : block.text).replace(
    /\s*\n\s*/g,
    " ",
  );
