/**
 * Divides text into chunks: paragraphs of 400 to 1,600 characters, with their pages and headings. A
 * change of its output needs a new version.
 */
import type { ReadableText } from "../../../core/lib/text-window";
import type { HeadingSpan, PageSpan } from "../../extraction/contract";
import { ChunkAssembler, gap_chars_max, type Block, type Chunk } from "./chunk-assembler";
import { heading_chars_max, headingLike, isLabel, MarkedHeadings } from "./headings";
import { target_chars } from "./paragraph-cuts";
import { TableRows } from "./table-rows";
import { crossesPage, endOfLine, skipSpace, trimSpace } from "./text-scan";

export { gap_chars_max, type Chunk } from "./chunk-assembler";

/** Stored with everything that was chunked. A new one needs a migration step (`indexOutdated`). */
export const chunker_version = 4;

/** Lines that may become one paragraph; `line_start` is the start of the last one. */
interface Lines {
  readonly start: number;
  readonly end: number;
  readonly line_start: number;
  readonly lines: number;
}
/** A longer line is a paragraph of its own. */
const wrapped_chars_max = 200;

/**
 * The chunks of `text` in order, without overlap; only white space lies between them. Takes linear
 * time for any text, and yields each chunk as soon as it is final. Reads from beginning to end, but
 * returns to the start of a line that is too long for a chunk. When `headings` is missing or empty,
 * lines that look like headings are used, except in a `spoken` text, where every short line looks
 * like one.
 */
export function* chunksOf(
  text: ReadableText,
  pages: readonly PageSpan[],
  headings: readonly HeadingSpan[] = [],
  spoken = false,
): Generator<Chunk, void> {
  const marked = headings.length > 0 || spoken ? new MarkedHeadings(text, headings) : undefined;
  const tables = new TableRows(text);
  const assembler = new ChunkAssembler(text, pages, tables);
  let block = null as Lines | null;
  for (let line_start = 0; line_start < text.length;) {
    const line_end = endOfLine(text, line_start);
    const start = skipSpace(text, line_start, line_end);
    const end = trimSpace(text, start, line_end);
    if (start < end) {
      const in_table = tables.take(start, end);
      const breaks =
        block !== null &&
        (marked ? marked.breaks(block, start, end) : startsOrEndsHeading(text, block, line_start));
      const is_cut =
        block !== null &&
        (in_table
          ? end - block.start > target_chars || start - block.end > gap_chars_max
          : breaks || breaksBefore(text, pages, block, start));
      if (block !== null && is_cut) {
        assembler.add(blockOf(text, block, marked));
        yield* assembler.takeFinal();
        block = null;
      }
      block = { start: block?.start ?? start, end, line_start, lines: (block?.lines ?? 0) + 1 };
    } else tables.end();
    line_start = line_end + 1;
  }
  if (block !== null) assembler.add(blockOf(text, block, marked));
  yield* assembler.takeAll();
}

/** Whether a paragraph ends between the lines so far and the line whose text begins at `start`. */
function breaksBefore(
  text: ReadableText,
  pages: readonly PageSpan[],
  block: Lines,
  start: number,
): boolean {
  if (start - block.end > gap_chars_max) return true;
  if (crossesPage(pages, block.end, start)) return !continuesSentence(text, block.end, start);
  return lineBreaks(text, block.end, start) > 1 || block.end - block.line_start > wrapped_chars_max;
}
const startsOrEndsHeading = (text: ReadableText, block: Lines, line_start: number): boolean =>
  isMarkdownHeading(text, line_start) ||
  (block.lines === 1 && isMarkdownHeading(text, block.line_start));
function lineBreaks(text: ReadableText, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10) count++;
    else if (unit === 12 || unit === 0x2029) count += 2;
  }
  return count;
}
const isMarkdownHeading = (text: ReadableText, line_start: number): boolean =>
  text.charCodeAt(line_start) === 35 && /^#{1,6}\s/.test(text.slice(line_start, line_start + 8));
/** A sentence that continues from the bottom of a page to the top of the next one. */
const continuesSentence = (text: ReadableText, end: number, start: number): boolean =>
  /[\p{L},\-\u2010\u00ad\ufffe\u0002]$/u.test(text.slice(end - 2, end)) &&
  /^\p{Ll}/u.test(text.slice(start, start + 2));

/** Turns lines into a block. */
function blockOf(text: ReadableText, lines: Lines, marked: MarkedHeadings | undefined): Block {
  const { start, end } = lines;
  const heading = marked ? marked.of(start, end) : headingLike(text, lines);
  return { start, end, heading, leads_on: heading === null ? leadsOn(text, lines) : null };
}
function leadsOn(text: ReadableText, { start, end, lines }: Lines): Block["leads_on"] {
  if (/[:：]/.test(text.slice(end - 1, end))) return "announces";
  const is_short = lines === 1 && end - start <= heading_chars_max;
  return is_short && isLabel(text.slice(start, end)) ? "names" : null;
}
