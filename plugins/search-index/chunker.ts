/**
 * Text to chunks: paragraphs of 400 to 1,600 characters, with their page and heading. A change of
 * its output needs a new version.
 */
import type { ReadableText } from "../../core/lib/text-window";
import type { HeadingSpan, PageSpan } from "../extraction/contract";

export const chunker_version = 2;

/** UTF-16 indices into the text, end exclusive; neither end lies on white space. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly page_end: number | null;
  /** The last heading at or above the chunk. */
  readonly heading: string | null;
  /** The chunk begins with that heading. */
  readonly holds_heading: boolean;
}
/** Lines that may become one paragraph; `line_start` is where the last one begins. */
interface Lines {
  readonly start: number;
  readonly end: number;
  readonly line_start: number;
  readonly lines: number;
}
interface Block {
  readonly start: number;
  readonly end: number;
  readonly heading: string | null;
}

const short_chars = 400,
  long_chars = 1_600,
  target_chars = 1_000,
  heading_chars_max = 100;
/** A heading that the document marks may be longer than one that only looks like a heading. */
const marked_chars_max = 300;
/** A line longer than this is a paragraph of its own. */
const wrapped_chars_max = 200;
/** No chunk holds more white space in a row than this. */
export const gap_chars_max = 64;

/**
 * The chunks of `text` in order, without overlap; only white space lies between them. Takes linear
 * time whatever the text, and gives each chunk as soon as it is final. Reads from the beginning to
 * the end, but goes back to that of a line too long for a chunk. When `headings` is absent or
 * empty, lines that look like headings are taken for them, except in a `spoken` text: there every
 * short line looks like one.
 */
export function* chunksOf(
  text: ReadableText,
  pages: readonly PageSpan[],
  headings: readonly HeadingSpan[] = [],
  spoken = false,
): Generator<Chunk, void> {
  const assembler = new ChunkAssembler(text, pages);
  const marked = headings.length > 0 || spoken ? new MarkedHeadings(text, headings) : undefined;
  let block = null as Lines | null;
  for (let line_start = 0; line_start < text.length;) {
    const line_end = endOfLine(text, line_start);
    const start = skipSpace(text, line_start, line_end),
      end = trimSpace(text, start, line_end);
    if (start < end) {
      const breaks =
        block !== null &&
        (marked ? marked.breaks(block, start, end) : startsOrEndsHeading(text, block, line_start));
      if (block !== null && (breaks || breaksBefore(text, pages, block, start))) {
        assembler.add(blockOf(text, block, marked));
        yield* assembler.takeFinal();
        block = null;
      }
      block = { start: block?.start ?? start, end, line_start, lines: (block?.lines ?? 0) + 1 };
    }
    line_start = line_end + 1;
  }
  if (block !== null) assembler.add(blockOf(text, block, marked));
  yield* assembler.takeAll();
}

/** What `trim` removes. */
const isSpace = (unit: number): boolean =>
  unit === 32 || (unit > 8 && unit < 14) || (unit >= 0xa0 && rare_spaces.has(unit));
const rare_spaces = new Set([
  0xa0,
  0x1680,
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
  0xfeff,
  ...Array.from({ length: 11 }, (_, i) => 0x2000 + i),
]);
function endOfLine(text: ReadableText, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 12 || unit === 0x2029) return at;
  }
  return at;
}
function skipSpace(text: ReadableText, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(text.charCodeAt(at))) at++;
  return at;
}
function trimSpace(text: ReadableText, from: number, to: number): number {
  let at = to;
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
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
/** A sentence that runs on from the foot of a page to the head of the next one. */
const continuesSentence = (text: ReadableText, end: number, start: number): boolean =>
  /[\p{L},\-\u2010\u00ad\ufffe\u0002]$/u.test(text.slice(end - 2, end)) &&
  /^\p{Ll}/u.test(text.slice(start, start + 2));

function crossesPage(pages: readonly PageSpan[], from: number, to: number): boolean {
  return pages.length > 0 && pageAt(pages, from - 1) !== pageAt(pages, to);
}
/** Index of the page that holds `at`, or of the last one before it; -1 before the first. */
function pageAt(pages: readonly PageSpan[], at: number): number {
  let low = 0,
    high = pages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pages[middle]!.start <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The headings that a document marks itself, looked up line after line. */
class MarkedHeadings {
  private at = 0;
  constructor(
    private readonly text: ReadableText,
    private readonly headings: readonly HeadingSpan[],
  ) {}

  /** Whether a heading ends with these lines, or begins with the line from `start` to `end`. */
  breaks(block: Lines, start: number, end: number): boolean {
    const in_heading = this.overlapping(block.start, block.end);
    return this.overlapping(start, end) !== in_heading;
  }
  /** The heading that these lines are; null when they are none, or too long for one. */
  of(start: number, end: number): string | null {
    const span = this.overlapping(start, end);
    if (span === undefined || span.end - span.start > marked_chars_max) return null;
    return this.text.slice(span.start, span.end).replace(/\s+/g, " ").trim() || null;
  }
  /** The heading that overlaps this range. Ranges only go forward, except for one step back. */
  private overlapping(start: number, end: number): HeadingSpan | undefined {
    while (this.at > 0 && this.headings[this.at - 1]!.end > start) this.at--;
    while (this.at < this.headings.length && this.headings[this.at]!.end <= start) this.at++;
    const span = this.headings[this.at];
    return span !== undefined && span.start < end ? span : undefined;
  }
}

/**
 * Lines as a block. A heading is one that is marked, or a short single line that does not end like
 * a sentence.
 */
function blockOf(
  text: ReadableText,
  { start, end, lines }: Lines,
  known: MarkedHeadings | undefined,
): Block {
  if (known) return { start, end, heading: known.of(start, end) };
  if (end - start > heading_chars_max + 8 || lines > 2) return { start, end, heading: null };
  const written = text.slice(start, end);
  const marked =
    /^#{1,6}\s+(.+?)\s*#*$/.exec(written)?.[1] ?? /^(.+)\n\s*(?:={3,}|-{3,})$/.exec(written)?.[1];
  if (marked !== undefined) return { start, end, heading: marked.trim() };
  const plain =
    lines === 1 &&
    written.length <= heading_chars_max &&
    /\p{L}/u.test(written) &&
    !/^[-*•–—>|]/.test(written) &&
    !/[.!?。！？…,;:|।]["'”’)\]]*$/u.test(written);
  return { start, end, heading: plain ? written : null };
}

/** Joins short blocks with the next and headings with what follows; splits long blocks. */
class ChunkAssembler {
  private readonly chunks: Chunk[] = [];
  private open: { start: number; end: number; has_body: boolean; holds_heading: boolean } | null =
    null;
  private heading: string | null = null;

  constructor(
    private readonly text: ReadableText,
    private readonly pages: readonly PageSpan[],
  ) {}

  add(block: Block): void {
    const open = this.open;
    if (open !== null && this.closes(open, block)) this.close();
    if (block.heading !== null) this.heading = block.heading;
    const holds_heading = this.open?.holds_heading === true || block.heading !== null;
    this.open = {
      start: this.open?.start ?? block.start,
      end: block.end,
      has_body: this.open?.has_body === true || block.heading === null,
      holds_heading,
    };
    if (block.end - this.open.start > long_chars) this.close();
  }

  private closes(open: { start: number; end: number; has_body: boolean }, block: Block): boolean {
    if (block.start - open.end > gap_chars_max || crossesPage(this.pages, open.end, block.start))
      return true;
    if (!open.has_body) return block.heading !== null && block.end - open.start > target_chars;
    return (
      block.heading !== null ||
      open.end - open.start >= short_chars ||
      block.end - open.start > long_chars
    );
  }

  private close(): void {
    const open = this.open!;
    this.open = null;
    if (
      !open.holds_heading &&
      open.end - open.start < short_chars &&
      this.joinsLast(open.start, open.end)
    )
      return;
    for (const [start, end] of pieces(this.text, open.start, open.end))
      this.push(start, end, open.holds_heading && start === open.start);
  }

  /** A short remainder of a section is appended to the chunk before it. */
  private joinsLast(start: number, end: number): boolean {
    const last = this.chunks.at(-1);
    if (
      last === undefined ||
      last.heading !== this.heading ||
      end - last.start > long_chars ||
      start - last.end > gap_chars_max ||
      crossesPage(this.pages, last.end, start)
    )
      return false;
    this.chunks.pop();
    this.push(last.start, end, last.holds_heading);
    return true;
  }

  private push(start: number, end: number, holds_heading: boolean): void {
    const first = this.pages[pageAt(this.pages, start)],
      last = this.pages[pageAt(this.pages, end - 1)];
    this.chunks.push({
      start,
      end,
      page: first?.page ?? null,
      page_end: last?.page ?? null,
      heading: this.heading,
      holds_heading,
    });
  }

  /** The chunks that nothing is joined to any more. */
  takeFinal(): Chunk[] {
    return this.chunks.splice(0, this.chunks.length - 1);
  }
  takeAll(): Chunk[] {
    if (this.open !== null) this.close();
    return this.chunks.splice(0);
  }
}

/**
 * Splits a long paragraph evenly: at sentence ends, else at white space, else between characters.
 */
function* pieces(
  text: ReadableText,
  start: number,
  end: number,
): Generator<readonly [number, number]> {
  let from = start;
  while (end - from > long_chars) {
    const target = Math.ceil((end - from) / Math.max(2, Math.round((end - from) / target_chars)));
    const cut = cutNear(text, from, from + target, Math.min(from + long_chars, end));
    yield [from, trimSpace(text, from, cut)];
    from = skipSpace(text, cut, end);
  }
  if (from < end) yield [from, end];
}

function cutNear(text: ReadableText, from: number, ideal: number, limit: number): number {
  const reach = Math.floor((ideal - from) / 2);
  const sentence = nearest(text, ideal, Math.max(from + reach, from + 1), limit, endsSentence);
  if (sentence > 0) return sentence;
  const space = nearest(text, ideal, from + 1, limit, (units, at) => isSpace(units.charCodeAt(at)));
  if (space > 0) return space;
  let cut = ideal;
  while (cut > from + reach && /^[\p{M}\u200d\ufe0f\udc00-\udfff]/u.test(text.slice(cut, cut + 1)))
    cut--;
  return cut;
}
/** The index nearest to `ideal`, from `low` to below `limit`, that `fits`; 0 when none does. */
function nearest(
  text: ReadableText,
  ideal: number,
  low: number,
  limit: number,
  fits: (text: ReadableText, at: number) => boolean,
): number {
  for (let distance = 0; ideal - distance >= low || ideal + distance < limit; distance++) {
    if (ideal - distance >= low && fits(text, ideal - distance)) return ideal - distance;
    if (ideal + distance < limit && fits(text, ideal + distance)) return ideal + distance;
  }
  return 0;
}
/**
 * Whether a sentence ends just before `at`: at a line break, after an ideographic full stop, or
 * after a full stop and closing marks that white space follows.
 */
function endsSentence(text: ReadableText, at: number): boolean {
  const unit = text.charCodeAt(at),
    before = text.charCodeAt(at - 1);
  if (unit === 10) return true;
  if (before === 0x3002 || before === 0xff01 || before === 0xff1f || before === 0x0964)
    return unit !== 0x300d && unit !== 0x300f && unit !== 0x201d;
  return isSpace(unit) && /[.!?…؟۔][)\]"'”’»]*$/.test(text.slice(Math.max(0, at - 4), at));
}
