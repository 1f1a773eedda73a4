/** Runs in the child: the blocks that make up a document. */
import type { Warning } from "../contract";
import type { TableRow } from "./pipe-table";

/** A paragraph, a heading, a list item, or a table. */
export interface Block {
  /** Not blank, trimmed. For a table, its lines. */
  readonly text: string;
  /** For a heading, 1 is the top level; null for other blocks. */
  readonly level: number | null;
  /** The number or bullet of a list item, which is not in `text`. */
  readonly marker?: string;
  /** The nesting depth of its list. */
  readonly depth?: number;
  /** It continues a list item at this depth. */
  readonly within?: number;
  /** The text with Markdown emphasis, if it has any. */
  readonly marked?: string;
  /** Text before a heading that is not part of it, used instead of a Markdown mark. */
  readonly label?: string;
  /** For a table. */
  readonly rows?: readonly TableRow[];
}
/** A paragraph, or with a `level` a heading; 1 is the top level. */
export const paragraph = (text: string, level: number | null = null): Block => ({
  text,
  level,
});
/** The text of a block with its marker. */
export const withMarker = ({ text, marker = "" }: Block): string =>
  marker === "" ? text : `${marker} ${text}`;

/** The blocks of a page. A document without pages is one page with number null. */
export interface Page {
  readonly page: number | null;
  /** As in `PageSpan`. */
  readonly label?: string;
  readonly blocks: readonly Block[];
  readonly warnings?: readonly Warning[];
}

/** The label of a slide: its number with its title, the first of its headings. */
export function slideLabel(page: number, blocks: readonly Block[]): string {
  const title = blocks.find(({ level }) => level !== null)?.text;
  return title === undefined ? `Slide ${page}` : `Slide ${page} · ${title}`;
}
