/**
 * Runs in the child: marks bold and italic words as Markdown. Only what a reader perceives as
 * emphasis is marked: whole words within a line, not a sentence or a paragraph.
 */

export interface Emphasis {
  readonly bold: boolean;
  readonly italic: boolean;
}
export const no_emphasis: Emphasis = { bold: false, italic: false };

/** Codes in a line that precede emphasised text. They are noncharacters, which occur in no text. */
const codes = { "": "\ufdd0", b: "\ufdd1", i: "\ufdd2", bi: "\ufdd3" } as const;
const any_code = /[\ufdd0-\ufdd3]/g;
function keyOf({ bold, italic }: Emphasis): keyof typeof codes {
  if (bold) return italic ? "bi" : "b";
  return italic ? "i" : "";
}
const marks: Readonly<Record<string, string>> = {
  [codes[""]]: "",
  [codes.b]: "**",
  [codes.i]: "*",
  [codes.bi]: "***",
};
/** A longer part is a style of its own rather than emphasis. */
const emphasised_chars_max = 120;

/** Inserts codes into the text of a line where its emphasis changes. */
export class EmphasisWriter {
  private last: keyof typeof codes = "";
  private now: keyof typeof codes = "";
  /** The paragraph so far has codes. */
  is_used = false;

  set(emphasis: Emphasis): void {
    this.now = keyOf(emphasis);
  }
  /** Emphasis of white space is invisible. */
  write(text: string): string {
    const clean = text.replace(any_code, "");
    if (this.now === this.last || !/\S/.test(clean)) return clean;
    this.last = this.now;
    this.is_used = true;
    return codes[this.now] + clean;
  }
  /** A new paragraph starts. */
  reset(): void {
    this.last = "";
    this.is_used = false;
  }
}

/** The line without codes. */
export const plainLine = (line: string): string => line.replace(any_code, "");

/** The line with Markdown marks; null if it has no visible emphasis. */
export function markedLine(line: string): string | null {
  if (line.search(any_code) < 0) return null;
  const parts = line.split(/(?=[\ufdd0-\ufdd3])/);
  const whole = plainLine(line).trim();
  const marked = parts
    .map((part, at) => {
      const mark = marks[part[0]!] ?? "";
      const text = plainLine(part);
      if (mark === "") return text;
      const before = at === 0 ? "" : plainLine(parts[at - 1]!).slice(-1);
      const after = plainLine(parts[at + 1] ?? "").slice(0, 1);
      return emphasised(text, mark, { before, after, is_whole: text.trim() === whole });
    })
    .join("");
  return marked === plainLine(line) ? null : marked;
}

function emphasised(
  text: string,
  mark: string,
  around: { readonly before: string; readonly after: string; readonly is_whole: boolean },
): string {
  const said = text.trim();
  const from = text.indexOf(said);
  const before = from > 0 ? text[from - 1]! : around.before;
  const after = text[from + said.length] ?? around.after;
  const shows =
    said.length <= emphasised_chars_max &&
    /[\p{L}\p{N}]/u.test(said) &&
    !/[*_\n`\\]|[.!?。！？]\s/u.test(said) &&
    // An entirely bold sentence stays a plain sentence.
    !(around.is_whole && /[.!?。！？]$/u.test(said)) &&
    !/[\p{L}\p{N}*_]/u.test(before) &&
    !/[\p{L}\p{N}*_]/u.test(after);
  return shows ? text.slice(0, from) + mark + said + mark + text.slice(from + said.length) : text;
}
