/** The headings of a Markdown text. */
import type { HeadingSpan } from "../contract";
import { headings_max } from "../result-limits";

/** ATX headings (`## Use`) and underlined ones, except inside code blocks. */
export function markdownHeadings(text: string): HeadingSpan[] {
  const headings: HeadingSpan[] = [];
  let fence = "";
  let last = { start: 0, end: 0 };
  for (let start = afterFrontMatter(text); start < text.length && headings.length < headings_max;) {
    const line_end = text.indexOf("\n", start);
    const end = line_end < 0 ? text.length : line_end;
    const line = text.slice(start, Math.min(end, start + line_chars_max));
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (
      mark !== undefined &&
      (fence === "" ||
        (mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark))
    )
      fence = fence === "" ? mark : "";
    else if (fence === "") {
      const heading =
        end - start <= line_chars_max
          ? (headingOf(line, start) ?? underlinedHeading(line, last))
          : null;
      if (heading !== null) headings.push(heading);
    }
    last =
      fence === "" &&
      mark === undefined &&
      /^ {0,3}[^\s#>|*+-]/.test(line) &&
      !/^ {0,3}(?:=+|-+)\s*$/.test(line)
        ? {
            start: start + line.length - line.trimStart().length,
            end: start + line.trimEnd().length,
          }
        : { start: 0, end: 0 };
    start = end + 1;
  }
  return headings;
}
const line_chars_max = 1_000;

/** Where the text begins after front matter between `---` and `---`. */
function afterFrontMatter(text: string): number {
  if (!/^\ufeff?---[ \t]*\n/.test(text)) return 0;
  const end = /\n(?:---|\.\.\.)[ \t]*(?:\n|$)/g;
  end.lastIndex = 3;
  return end.test(text) ? end.lastIndex : 0;
}

function headingOf(line: string, at: number): HeadingSpan | null {
  const [all, marks, title] = /^( {0,3}#{1,6}[ \t]+)(\S.*)$/.exec(line) ?? [];
  if (all === undefined) return null;
  // The lookbehind keeps a long run of blanks from being tried from each of them.
  const bare = title!.replace(/(?<![ \t])[ \t]+#+[ \t]*$/, "").trimEnd();
  return /^#*$/.test(bare)
    ? null
    : {
        start: at + marks!.length,
        end: at + marks!.length + bare.length,
        level: marks!.trim().length,
      };
}
/** The previous line as a heading, if this one underlines it. */
function underlinedHeading(
  line: string,
  { start, end }: { readonly start: number; readonly end: number },
): HeadingSpan | null {
  const rule = /^ {0,3}(={2,}|-{2,})[ \t]*$/.exec(line)?.[1];
  return rule === undefined || end <= start
    ? null
    : { start, end, level: rule.startsWith("=") ? 1 : 2 };
}
