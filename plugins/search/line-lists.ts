/**
 * Lists of short lines, such as `tenor C4` or `*.ubx u-blox receivers`: each line is an entry. A
 * text that is only wrapped fills its lines. Pure.
 */

/** How many lines on either side show how wide the text is. */
const lines_for_width = 10;
/** How many breaks around, with the one itself, show whether it is a list. */
const breaks_around = 11;
const breaks_min = 3;
/** The share of them that come early, at least. */
const early_min = 0.4;
/** The share of lines that end in punctuation, at most: in prose broken by sense, many do. */
const punctuated_max = 0.34;
/** Justified lines have different widths once their spaces are single. */
const full_share = 0.85;
/** A line of a list that is shorter is not wrapped, even if the next word would not fit. */
const short_line_chars = 45;
/** No line of a list is longer. */
const line_chars_max = 160;

interface Line {
  readonly text: string;
  /** UTF-16 index of the break after it. */
  readonly end: number;
}

/** The breaks between two entries of lists, as UTF-16 indices. */
export function entryBreaks(text: string): ReadonlySet<number> {
  const breaks: number[] = [];
  let paragraph: Line[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > breaks_min) breaks.push(...breaksIn(paragraph));
    paragraph = [];
  };
  for (let start = 0; start < text.length;) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    const line = text.slice(start, end).trim().replace(/\s+/g, " ");
    if (line === "" || line.startsWith("|") || line.length > line_chars_max) endParagraph();
    else paragraph.push({ text: line, end });
    start = end + 1;
  }
  endParagraph();
  return new Set(breaks);
}

function breaksIn(lines: readonly Line[]): number[] {
  const is_early = lines.slice(0, -1).map(({ text }, at) => {
    const [first_word] = lines[at + 1]!.text.split(" ", 1);
    const width = widthOf(around(lines, at, lines_for_width));
    return text.length + 1 + first_word!.length <= full_share * width;
  });
  const is_punctuated = lines.map(({ text }) => /[.,;:!?…。、-]$/.test(text));
  return is_early.flatMap((early, at) => {
    const near = around(is_early, at, breaks_around >> 1);
    const is_list =
      near.length >= breaks_min &&
      countOf(near) >= early_min * near.length &&
      countOf(around(is_punctuated, at, breaks_around >> 1)) <= punctuated_max * near.length;
    return is_list && (early || lines[at]!.text.length < short_line_chars) ? lines[at]!.end : [];
  });
}

const around = <T>(all: readonly T[], at: number, on_each_side: number): readonly T[] =>
  all.slice(Math.max(0, at - on_each_side), at + on_each_side + 1);

const countOf = (flags: readonly boolean[]): number => flags.filter(Boolean).length;

/** The width of all but the longest, which may be a heading. */
const widthOf = (lines: readonly Line[]): number =>
  lines.map(({ text }) => text.length).sort((a, b) => b - a)[1] ?? 0;
