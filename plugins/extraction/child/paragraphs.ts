/**
 * Runs in the child: joins the lines of a page, by position, to a text with a blank line between
 * paragraphs. Other line breaks stay.
 */

/**
 * A line of text and its position, in points or pixels, rotated so that it runs from left to right.
 */
export interface Line {
  readonly text: string;
  /** Its last word continues on the next line; the hyphen is not in `text`. */
  readonly hyphenated: boolean;
  readonly left: number;
  readonly right: number;
  /** The height of its baseline, counted upwards. */
  readonly base: number;
  /** Its font size. */
  readonly size: number;
  /** The weight of its font: 400 is normal, 700 bold; 0 if unknown. */
  readonly weight: number;
  /** It is a table, of several lines of text; `base` is its upper edge. */
  readonly table?: LineTable;
}
/** A table among the lines, which is one of them. */
export interface LineTable {
  readonly rows: readonly (readonly string[])[];
  /** The start and end of its columns. */
  readonly edges: readonly number[];
  /** The height of its lower edge. */
  readonly bottom: number;
}

/** The range of a line in the text of its page, UTF-16 units, end exclusive. */
export interface LinePlace {
  readonly start: number;
  readonly end: number;
}
/** The text of a page, and where each of its lines is in it. */
export interface JoinedLines {
  readonly text: string;
  /** Per line. A hyphenated word belongs completely to the line where it begins. */
  readonly places: readonly LinePlace[];
}

/** The text of a page. `compounds` are hyphenated compounds known from the document. */
export function joinLines(
  lines: readonly Line[],
  compounds: ReadonlySet<string> = new Set(),
): JoinedLines {
  const leading = leadingOf(lines);
  const places: LinePlace[] = [];
  let text = "";
  /** The rest of a word that begins on the previous line and was moved there. */
  let moved = "";
  lines.forEach((line, at) => {
    const next = lines[at + 1];
    const start = text.length;
    text += withShortLeaders(line.text.slice(moved.length).trimStart());
    moved = "";
    if (line.hyphenated) {
      moved = next === undefined ? "" : restOfWord(next);
      text += moved === "" || keepsHyphen(text, moved, compounds) ? "-" : "";
      text += moved;
    }
    places.push({ start, end: text.length });
    if (next !== undefined && moved.length < next.text.length)
      text += separator(lines, at, leading);
  });
  return { text, places };
}

/**
 * Dots that lead from an entry to its number: a hundred of them would be most of a passage. They
 * match only from their beginning.
 */
const leader = /(?<![.·] ?)(?:[.·] ?){10,}/g;
const leader_chars = 8;
const withShortLeaders = (line: string): string =>
  line.includes("...") || line.includes(". .") || line.includes("··")
    ? line.replace(leader, (dots) => dots.slice(0, leader_chars).trim() + / ?$/.exec(dots)![0])
    : line;

/** The rest of a hyphenated word at the beginning of this line; empty if there is none. */
const restOfWord = ({ text, hyphenated }: Line): string => {
  const continuation = /^\p{Ll}[\p{L}\p{M}]*[.,;:!?)\]"'”’»]*/u.exec(text)?.[0] ?? "";
  return hyphenated && continuation === text ? "" : continuation;
};

/**
 * Whether the hyphen at the end of `text` is part of the word: it belongs to a compound that occurs
 * elsewhere in the document, a word with another hyphen, a command-line option, or a word that is
 * never written as one.
 */
function keepsHyphen(text: string, continuation: string, compounds: ReadonlySet<string>): boolean {
  const start = /\S*$/.exec(text.slice(-word_max))![0];
  const letters = /[\p{L}\p{M}]*$/u.exec(start)![0];
  return (
    start.includes("-") ||
    letters.length < 2 ||
    /^(?:self|well|half)$/i.test(letters) ||
    compounds.has(`${letters}-${continuation.replace(/[^\p{L}\p{M}]+$/u, "")}`.toLowerCase())
  );
}

/** The most characters of a word that are inspected. */
const word_max = 64;

/** The separator between the line at this index and the next one. */
function separator(lines: readonly Line[], at: number, leading: (size: number) => number): string {
  const line = lines[at]!;
  const next = lines[at + 1]!;
  if (line.table || next.table) return "\n\n";
  if (line.hyphenated) return "\n";
  if (Math.abs(line.base - next.base) < 0.5 * line.size) return sameLineSeparator(line, next);
  return startsParagraph(lines, at + 1, leading) ? "\n\n" : "\n";
}

/** Two fragments on one baseline are one line if the gap between them is small. */
function sameLineSeparator(line: Line, next: Line): string {
  const gap = next.left - line.right;
  if (gap < -line.size || gap > 4 * line.size) return "\n";
  return gap < 0.15 * line.size ? "" : " ";
}

function startsParagraph(
  lines: readonly Line[],
  at: number,
  leading: (size: number) => number,
): boolean {
  const previous = lines[at - 1]!;
  const line = lines[at]!;
  const step = previous.base - line.base;
  const continues = !endsSentence(previous.text) && /^\p{Ll}/u.test(line.text);
  const size_ratio = line.size / previous.size;
  const isUnfinished = (): boolean =>
    !endsSentence(previous.text) && Math.abs(size_ratio - 1) < 0.05 && !endedEarly(lines, at);
  // Further up: the next column, or another part of the page.
  if (step < 0) return !(continues || isUnfinished());
  if (size_ratio > 1.3 || size_ratio < 0.77) return true;
  const normal_step = leading(Math.max(line.size, previous.size));
  if (step > 2.2 * normal_step) return true;
  if (continues) return false;
  if (size_ratio > 1.12 || size_ratio < 0.89 || step > 1.18 * normal_step) return true;
  return isIndented(lines, at) || (endedEarly(lines, at) && endsSentence(previous.text));
}

/** A footnote number may follow. `11.5` ends no sentence. */
const endsSentence = (text: string): boolean =>
  sentence_ends.includes(text.slice(-1)) &&
  /(?:[!?:…。！？：]|(?<!\d)\.)["'”’»)\]]*\d{0,2}$|\.["'”’»)\]]*$/u.test(text);

/** The last characters of such a text: most lines are ruled out by theirs. */
const sentence_ends = `!?:….。！？："'”’»)]0123456789`;

/** Whether this is the first line of a paragraph, indented relative to the lines around it. */
function isIndented(lines: readonly Line[], at: number): boolean {
  const previous = lines[at - 1]!;
  const line = lines[at]!;
  const next = lines[at + 1];
  const indent = line.left - previous.left;
  if (
    indent < 0.7 * line.size ||
    indent > 6 * line.size ||
    !(endsSentence(previous.text) || endedEarly(lines, at))
  )
    return false;
  return next === undefined || line.left - next.left > 0.7 * line.size || next.base > line.base;
}

/** Whether the first word of this line would have fitted on the previous line. */
function endedEarly(lines: readonly Line[], at: number): boolean {
  const previous = lines[at - 1]!;
  const line = lines[at]!;
  const first_word =
    ((line.text.search(/\s/) + 1 || line.text.length) / line.text.length) *
    (line.right - line.left);
  const right_needed = previous.right + first_word + 0.5 * line.size;
  for (
    let neighbour = Math.max(0, at - 4);
    neighbour < Math.min(lines.length, at + 4);
    neighbour++
  ) {
    const { left, right, table } = lines[neighbour]!;
    if (!table && left < previous.right && right > previous.left && right > right_needed)
      return true;
  }
  return false;
}

/** The usual line spacing within a paragraph, by font size, on this page. */
function leadingOf(lines: readonly Line[]): (size: number) => number {
  const steps = new Map<number, number[]>();
  for (let at = 1; at < lines.length; at++) {
    const previous = lines[at - 1]!;
    const line = lines[at]!;
    const step = previous.base - line.base;
    if (
      step < 0.7 * line.size ||
      step > 2.5 * line.size ||
      Math.abs(line.size / previous.size - 1) > 0.1
    )
      continue;
    const key = Math.round(line.size);
    const count = steps.get(key);
    if (count === undefined) steps.set(key, [step]);
    else count.push(step);
  }
  for (const values of steps.values()) values.sort((a, b) => a - b);
  return (size) => {
    const steps_of_size = steps.get(Math.round(size)) ?? [];
    return steps_of_size.length < 4
      ? 1.25 * size
      : steps_of_size[Math.floor(steps_of_size.length * 0.3)]!;
  };
}
