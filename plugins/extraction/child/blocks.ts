/** Runs in the child: the blocks that a document is read as. */
import type { Warning } from "../contract";
import type { TableRow } from "./pipe-table";

/** A paragraph, a heading, an item of a list, or a table. */
export interface Block {
  /** Not blank, without white space around it. Of a table, its lines. */
  readonly text: string;
  /** Of a heading, 1 is the highest; null for other blocks. */
  readonly level: number | null;
  /** The number or the bullet of an item, which is not in `text`. */
  readonly marker?: string;
  /** Inside how many other lists its list is. */
  readonly depth?: number;
  /** It goes on with an item of a list that is inside so many others. */
  readonly within?: number;
  /** The text with Markdown's marks of emphasis, when it has any. */
  readonly marked?: string;
  /** What stands before a heading and does not belong to it, in place of a mark. */
  readonly label?: string;
  /** Of a table. */
  readonly rows?: readonly TableRow[];
}
export const paragraph = (text: string, level: number | null = null): Block => ({
  text,
  level,
});
/** The text of a block with its marker. */
export const withMarker = ({ text, marker = "" }: Block): string =>
  marker === "" ? text : `${marker} ${text}`;

/** The blocks of a page. A document without pages is one page of number null. */
export interface Page {
  readonly page: number | null;
  /** As of `PageSpan`. */
  readonly label?: string;
  readonly blocks: readonly Block[];
  readonly warnings?: readonly Warning[];
}

/** The label of a slide: its number with its title, which is the first of its headings. */
export function slideLabel(page: number, blocks: readonly Block[]): string {
  const title = blocks.find(({ level }) => level !== null)?.text;
  return title === undefined ? `Slide ${page}` : `Slide ${page} · ${title}`;
}
