/**
 * Runs in the child: the blocks that a document is read as, and how they become its text with pages
 * and headings.
 */
import { ExtractionFailure, type HeadingSpan, type PageSpan, type Warning } from "../contract";
import { writeOutput, type ReaderInput } from "./output";
import type { TableRow } from "./pipe-table";

/** A paragraph, a heading, an item of a list, or a table. */
export interface Block {
  /** Not blank, without white space around it. Of a table, its lines. */
  readonly text: string;
  /** It begins on the next line, without a blank line between. */
  readonly joined: boolean;
  /** Of a heading, 1 is the highest; null for other blocks. */
  readonly level: number | null;
  /** The number or the bullet of an item, which is not in `text`. */
  readonly marker?: string;
  /** Of a table. */
  readonly rows?: readonly TableRow[];
}
export const paragraph = (text: string, level: number | null = null): Block => ({
  text,
  joined: false,
  level,
});
/** The text of a block with its marker. */
export const markedText = ({ text, marker = "" }: Block): string =>
  marker === "" ? text : `${marker} ${text}`;

/** The blocks of a page. A document without pages is one page of number null. */
export interface Page {
  readonly page: number | null;
  readonly blocks: readonly Block[];
  readonly warnings?: readonly Warning[];
}

export interface AssembledText {
  readonly text: string;
  readonly pages: readonly PageSpan[];
  readonly headings: readonly HeadingSpan[];
}

const headings_max = 50_000;

/** Joins the blocks to a text. @throws ExtractionFailure `too_large` */
export function assemble(pages: readonly Page[], characters_max: number): AssembledText {
  const pieces: string[] = [];
  const spans: PageSpan[] = [];
  const headings: HeadingSpan[] = [];
  let characters = 0;
  const add = (text: string): void => {
    pieces.push(text);
    characters += text.length;
  };
  for (const { page, blocks } of pages) {
    let start = -1;
    for (const block of blocks) {
      const { joined, level } = block;
      const text = markedText(block);
      if (characters > 0) add(joined && start >= 0 ? "\n" : "\n\n");
      if (start < 0) start = characters;
      if (level !== null && headings.length < headings_max)
        headings.push({ start: characters, end: characters + text.length, level });
      add(text);
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

/** What a reader of documents returns beside the text, which it writes. */
export interface DocumentOutput {
  readonly media_type: string;
  readonly pages: readonly PageSpan[];
  readonly page_count: number | null;
  readonly headings: readonly HeadingSpan[];
  readonly warnings: readonly Warning[];
}

/** Writes the text of these pages. @throws ExtractionFailure `too_large` */
export function writeDocument(
  pages: readonly Page[],
  { output, characters_max }: Omit<ReaderInput, "path">,
): Omit<DocumentOutput, "media_type"> {
  const { text, ...spans } = assemble(pages, characters_max);
  writeOutput(output, text);
  return {
    ...spans,
    page_count: pages.every(({ page }) => page === null) ? null : pages.length,
    warnings: pages.flatMap(({ warnings = [] }) => warnings),
  };
}
