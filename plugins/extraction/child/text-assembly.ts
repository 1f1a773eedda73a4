/** Runs in the child: turns the blocks of a document into its text, with pages and headings. */
import { ExtractionFailure, type HeadingSpan, type PageSpan, type Warning } from "../contract";
import type { Page } from "./blocks";
import { ListWriter } from "./list-writer";
import { writeOutput, type ReaderInput } from "./output";
import { fewWarnings, headings_max, shortLabel } from "../result-limits";

/** The text of a document. Spans are UTF-16 indices. */
export interface AssembledText {
  readonly text: string;
  readonly pages: readonly PageSpan[];
  readonly headings: readonly HeadingSpan[];
}

/** Joins the blocks to a Markdown text. @throws ExtractionFailure `too_large` */
export function assemble(pages: readonly Page[], characters_max: number): AssembledText {
  const pieces: string[] = [];
  const spans: PageSpan[] = [];
  const headings: HeadingSpan[] = [];
  let characters = 0;
  const add = (text: string): void => {
    pieces.push(text);
    characters += text.length;
  };
  for (const { page, label, blocks } of pages) {
    const lists = new ListWriter();
    let start = -1;
    for (const block of blocks) {
      const { before, text, continues } = lists.write(block);
      if (characters > 0) add(continues && start >= 0 ? "\n" : "\n\n");
      if (start < 0) start = characters;
      add(before);
      if (block.level !== null && headings.length < headings_max)
        headings.push({ start: characters, end: characters + text.length, level: block.level });
      add(text);
      if (characters > characters_max)
        throw new ExtractionFailure(
          "too_large",
          `The text of this file is longer than ${characters_max} characters.`,
        );
    }
    if (page !== null && start >= 0)
      spans.push({
        page,
        start,
        end: characters,
        ...(label === undefined ? {} : { label: shortLabel(label) }),
      });
  }
  return { text: pieces.join(""), pages: spans, headings };
}

/** What a document reader returns besides the text, which it writes to a file. */
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
  { output, characters_max, pages_max }: Omit<ReaderInput, "path">,
): Omit<DocumentOutput, "media_type"> {
  const { text, ...spans } = assemble(pages, characters_max);
  const { length: with_text } = spans.pages;
  if (with_text > pages_max)
    throw new ExtractionFailure(
      "too_large",
      `This file has ${with_text} pages with text, which is more than the limit of ${pages_max}.`,
    );
  writeOutput(output, text);
  return {
    ...spans,
    page_count: pages.every(({ page }) => page === null) ? null : pages.length,
    warnings: fewWarnings(pages.flatMap(({ warnings = [] }) => warnings)),
  };
}
