/**
 * Runs in the child: marks bold and italic words as Markdown. Only what a reader perceives as
 * emphasis is marked: whole words within a line, not a sentence or a paragraph.
 */

/** How a run of text is emphasised. */
export interface Emphasis {
  readonly bold: boolean;
  readonly italic: boolean;
}
/** Plain text. */
export const no_emphasis: Emphasis = { bold: false, italic: false };

/** The Markdown mark. */
function markOf({ bold, italic }: Emphasis): string {
  if (bold) return italic ? "***" : "**";
  return italic ? "*" : "";
}
/** A longer part is a style of its own rather than emphasis. */
const emphasised_chars_max = 120;

/** Text of a line with the same emphasis, up to the next run; blank for none. */
interface Run {
  readonly start: number;
  readonly mark: string;
}
const plain_start: Run = { start: 0, mark: "" };

/** The emphasis of a line, by position. */
export class LineEmphasis {
  private now = "";
  private last = plain_start;
  private runs: Run[] = [];

  /** The emphasis of the text that follows. */
  set(emphasis: Emphasis): void {
    this.now = markOf(emphasis);
  }
  /** This text is added to the line at `start`. Emphasis of white space is invisible. */
  add(text: string, start: number): void {
    if (this.now === this.last.mark || !/\S/.test(text)) return;
    this.last = { start, mark: this.now };
    this.runs.push(this.last);
  }
  /** A new line starts. */
  reset(): void {
    if (this.runs.length === 0) return;
    this.last = plain_start;
    this.runs = [];
  }

  /** The line with Markdown marks; null if it has no visible emphasis. */
  mark(line: string): string | null {
    if (this.runs.length === 0) return null;
    const runs = [plain_start, ...this.runs];
    const texts = runs.map(({ start }, at) => line.slice(start, runs[at + 1]?.start));
    const trimmed = line.trim();
    const marked = texts
      .map((text, at) => {
        const { mark } = runs[at]!;
        if (mark === "") return text;
        const before = texts[at - 1]?.slice(-1) ?? "";
        const after = texts[at + 1]?.slice(0, 1) ?? "";
        return emphasised(text, mark, { before, after, is_whole: text.trim() === trimmed });
      })
      .join("");
    return marked === line ? null : marked;
  }
}

function emphasised(
  text: string,
  mark: string,
  around: { readonly before: string; readonly after: string; readonly is_whole: boolean },
): string {
  const trimmed = text.trim();
  const from = text.indexOf(trimmed);
  const before = from > 0 ? text[from - 1]! : around.before;
  const after = text[from + trimmed.length] ?? around.after;
  const shows =
    trimmed.length <= emphasised_chars_max &&
    /[\p{L}\p{N}]/u.test(trimmed) &&
    !/[*_\n`\\]|[.!?。！？]\s/u.test(trimmed) &&
    // An entirely bold sentence stays a plain sentence.
    !(around.is_whole && /[.!?。！？]$/u.test(trimmed)) &&
    !/[\p{L}\p{N}*_]/u.test(before) &&
    !/[\p{L}\p{N}*_]/u.test(after);
  return shows
    ? text.slice(0, from) + mark + trimmed + mark + text.slice(from + trimmed.length)
    : text;
}
