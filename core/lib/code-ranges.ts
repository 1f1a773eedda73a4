/** Code in a Markdown text as it is written: fenced blocks, and code spans between backticks. */

/** UTF-16 indices, end exclusive. The code itself is without its fences or backticks. */
export interface CodeRange {
  readonly start: number;
  readonly end: number;
  readonly code_start: number;
  readonly code_end: number;
}
/** The code of a text. */
export interface CodeParts {
  /** In order. */
  readonly ranges: readonly CodeRange[];
  /** A block without its closing fence, up to the end of the text. */
  readonly open: (CodeRange & { readonly fence: string }) | null;
  /** Further text can change what is code only from here on. */
  readonly settled: number;
}

const list_marks = String.raw`(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*`;
const opening_fence = new RegExp(`^([ \\t]*${list_marks})(\`{3,}|~{3,})`);
/** Models put the marker of a source behind the fence, too. */
const closing_fence =
  /^[ \t]*(`{3,}|~{3,})((?:[ \t]*(?:\[[^\]\n]{1,40}\]|【[^】\n]{1,40}】))*\.?[ \t]*)$/;
/** A line that ends the paragraph before it, and with it every open code span. */
const block_start = /^[ \t]*(?:[-*+][ \t]|[>|]|#{1,6}[ \t]|\d{1,9}[.)][ \t])/;

/**
 * The code of a text. `is_growing`: more will follow; `starts_line`: false if it continues a line,
 * where no fence can be.
 */
export function codeIn(text: string, { is_growing = false, starts_line = true } = {}): CodeParts {
  if (!/`|~~~/.test(text)) return { ranges: [], open: null, settled: text.length };
  return new CodeScanner(text, is_growing, starts_line).parts();
}

/** The text with everything but its code replaced by what `replace` makes of it. */
export function outsideCode(text: string, replace: (prose: string) => string): string {
  let changed = "";
  let from = 0;
  const { ranges } = codeIn(text);
  for (const { start, end } of ranges) {
    changed += replace(text.slice(from, start)) + text.slice(start, end);
    from = end;
  }
  return changed + replace(text.slice(from));
}

/** The text with its code blotted out, of the same length. */
export function withBlankCode(text: string): string {
  let blank = "";
  let from = 0;
  for (const { start, end } of codeIn(text).ranges) {
    blank += text.slice(from, start) + "_".repeat(end - start);
    from = end;
  }
  return blank + text.slice(from);
}

interface OpenFence {
  readonly start: number;
  readonly code_start: number;
  readonly mark: string;
}

/** Reads a text line by line. */
class CodeScanner {
  private readonly ranges: CodeRange[] = [];
  private fence: OpenFence | null = null;
  private open: CodeParts["open"] = null;
  private settled: number;
  /** The lines since this index may share a code span. */
  private paragraph_start = 0;

  constructor(
    private readonly text: string,
    private readonly is_growing: boolean,
    private readonly starts_line: boolean,
  ) {
    this.settled = text.length;
  }

  parts(): CodeParts {
    const { text } = this;
    for (let from = 0; from < text.length;) {
      const line_break = text.indexOf("\n", from);
      const to = line_break < 0 ? text.length : line_break + 1;
      this.read(from, to, from > 0 || this.starts_line);
      from = to;
    }
    if (this.fence) this.leaveOpen(this.fence, text.length, text.length);
    else this.readSpans(this.paragraph_start, text.length, this.is_growing);
    const { ranges, open, settled } = this;
    // Of a text that ends here, all is settled.
    const decided = ranges.filter(({ end }) => end <= settled);
    return { ranges: decided.toSorted((a, b) => a.start - b.start), open, settled };
  }

  /** Reads the line, with its break, that ends at `to`. */
  private read(from: number, to: number, is_line: boolean): void {
    const line = this.text.slice(from, to);
    // What this line is may depend on the rest of it.
    const is_partial = this.is_growing && !line.endsWith("\n");
    if (this.fence) return this.readCode(this.fence, from, line, is_partial);
    const opening = is_line ? opening_fence.exec(line) : null;
    const [, indent, mark] = opening ?? [];
    const rest = opening ? line.slice(opening[0].length) : "";
    if (mark !== undefined && (mark.startsWith("~") || !rest.includes("`"))) {
      if (is_partial) return this.limit(from);
      this.endParagraph(from, to);
      const start = from + indent!.length;
      this.fence = { start, code_start: start + mark.length, mark };
    } else if (line.trim() === "" && line.endsWith("\n")) this.endParagraph(from, to);
    else if (is_line && block_start.test(line)) this.endParagraph(from, from);
  }

  private readCode(fence: OpenFence, from: number, line: string, is_partial: boolean): void {
    const [, mark, markers] = closing_fence.exec(line.replace(/\r?\n$/, "")) ?? [];
    if (mark === undefined || mark[0] !== fence.mark[0] || mark.length < fence.mark.length) return;
    const code_end = from + line.indexOf(mark);
    if (is_partial) return;
    const end = code_end + mark.length;
    this.ranges.push({ start: fence.start, end, code_start: fence.code_start, code_end });
    this.fence = null;
    this.paragraph_start = markers!.trim() === "" ? from + line.length : end;
  }

  private leaveOpen({ start, code_start, mark }: OpenFence, code_end: number, end: number): void {
    this.open = { start, end, code_start, code_end, fence: mark };
    if (this.is_growing) this.limit(start);
    else this.ranges.push({ start, end, code_start, code_end });
  }

  private endParagraph(end: number, next_start: number): void {
    this.readSpans(this.paragraph_start, end, false);
    this.paragraph_start = next_start;
  }

  /** Pairs the runs of backticks of one paragraph. */
  private readSpans(from: number, to: number, may_continue: boolean): void {
    const runs = runsOf(this.text, from, to);
    const by_length = Map.groupBy(runs, ({ length }) => length);
    let end = from;
    let first_open = to;
    for (const run of runs) {
      if (run.start < end) continue;
      const is_escaped = /(?<!\\)(?:\\\\)*\\$/.test(
        this.text.slice(Math.max(from, run.start - 8), run.start),
      );
      if (is_escaped) continue;
      const same = by_length.get(run.length)!;
      while (same.length > 0 && same[0]!.start <= run.start) same.shift();
      const closing = same[0];
      if (closing === undefined) first_open = Math.min(first_open, run.start);
      if (closing === undefined || isQuotation(this.text.slice(run.start, closing.start))) continue;
      const code_start = run.start + run.length;
      end = closing.start + closing.length;
      // The last run may still grow, and close nothing then.
      if (may_continue && end === to) first_open = Math.min(first_open, run.start);
      else this.ranges.push({ start: run.start, end, code_start, code_end: closing.start });
    }
    if (may_continue) this.limit(first_open);
  }

  private limit(settled: number): void {
    this.settled = Math.min(this.settled, settled);
  }
}

/** `-q' and ``this'', as older manuals quote, with the beginning of the next one as the end. */
const isQuotation = (quoted: string): boolean =>
  /^`+[^`\s][^]*\s$/.test(quoted) || /^``[^`][^]*''/.test(quoted);

const runsOf = (text: string, from: number, to: number) =>
  [...text.slice(from, to).matchAll(/`+/g)].map(({ 0: run, index }) => ({
    start: from + index,
    length: run.length,
  }));
