/** Which lines of a text are headings: those that the document marks, or that look like one. */
import type { ReadableText } from "../../../core/lib/text-window";
import type { HeadingSpan } from "../../extraction/contract";
import type { Heading } from "./heading-path";

/** A line that looks like a heading is not longer than this … */
export const heading_chars_max = 100;
/** … and one marked by the document not longer than this. */
const marked_chars_max = 300;
/** Levels of lines that look like headings: below those of Markdown, by their number if any. */
const numbered_level = 7;
const plain_level = 20;

/** The headings marked in a document, looked up line after line. */
export class MarkedHeadings {
  private at = 0;
  constructor(
    private readonly text: ReadableText,
    private readonly headings: readonly HeadingSpan[],
  ) {}

  /** Whether a heading ends with these lines, or begins with the line from `start` to `end`. */
  breaks(
    block: { readonly start: number; readonly end: number },
    start: number,
    end: number,
  ): boolean {
    const in_heading = this.overlapping(block.start, block.end);
    return this.overlapping(start, end) !== in_heading;
  }
  /** The heading consisting of these lines; null when they are none, or too long for one. */
  of(start: number, end: number): Heading | null {
    const span = this.overlapping(start, end);
    if (span === undefined || span.end - span.start > marked_chars_max) return null;
    const text = this.text.slice(span.start, span.end).replace(/\s+/g, " ").trim();
    return text === "" ? null : { text, level: span.level };
  }
  /** The heading that overlaps this range. Ranges only ascend, except for one step back. */
  private overlapping(start: number, end: number): HeadingSpan | undefined {
    while (this.at > 0 && this.headings[this.at - 1]!.end > start) this.at--;
    while (this.at < this.headings.length && this.headings[this.at]!.end <= start) this.at++;
    const span = this.headings[this.at];
    return span !== undefined && span.start < end ? span : undefined;
  }
}

/**
 * The heading that these lines look like: with markup, or a short single line that does not end
 * like a sentence.
 */
export function headingLike(
  text: ReadableText,
  { start, end, lines }: { readonly start: number; readonly end: number; readonly lines: number },
): Heading | null {
  if (end - start > heading_chars_max + 8 || lines > 2) return null;
  const written = text.slice(start, end);
  const [, marks, marked] = /^(#{1,6})\s+(.+?)\s*#*$/.exec(written) ?? [];
  const [, underlined, line] = /^(.+)\n\s*(=|-)\2{2,}$/.exec(written) ?? [];
  if (marked !== undefined) return { text: marked.trim(), level: marks!.length };
  if (underlined !== undefined) return { text: underlined.trim(), level: line === "=" ? 1 : 2 };
  if (lines > 1 || written.length > heading_chars_max || !isLabel(written)) return null;
  const number = /^\d+(?:\.\d+)*(?=\.?\s)/.exec(written)?.[0];
  return {
    text: written,
    level: number === undefined ? plain_level : numbered_level + number.split(".").length,
  };
}

/** A line that names something: it has letters, begins no list and ends no sentence. */
export const isLabel = (line: string): boolean =>
  /\p{L}/u.test(line) && !/^[-*•–—>|]/.test(line) && !/[.!?。！？…,;:|।]["'”’)\]]*$/u.test(line);
