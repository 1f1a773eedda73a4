/**
 * Puts the lines of a page together again: a line break stays a line break, and a blank line goes
 * between paragraphs.
 */

/**
 * A line of text and its place, in points; the line runs from left to right, and `base` grows
 * upwards.
 */
export interface Line {
  readonly text: string;
  /** The line ended with a hyphen that PDFium took away: the word goes on in the next line. */
  readonly hyphenated: boolean;
  readonly left: number;
  readonly right: number;
  /** The height of its base line. */
  readonly base: number;
  /** The size of its type. */
  readonly size: number;
}

/** The text of a page. */
export function joinLines(lines: readonly Line[]): string {
  const leading = leadingOf(lines);
  const pieces: string[] = [];
  lines.forEach((line, at) => {
    pieces.push(line.text, line.hyphenated ? "-" : "");
    if (at + 1 < lines.length) pieces.push(separator(lines, at, leading));
  });
  return pieces.join("");
}

/** What stands between the line at this place and the next one. */
function separator(lines: readonly Line[], at: number, leading: (size: number) => number): string {
  const [line, next] = [lines[at]!, lines[at + 1]!];
  if (line.hyphenated) return "\n";
  if (Math.abs(line.base - next.base) < 0.5 * line.size) return besideIt(line, next);
  return startsParagraph(lines, at + 1, leading) ? "\n\n" : "\n";
}

/** Two pieces on one base line: the same line when little lies between them. */
function besideIt(line: Line, next: Line): string {
  const gap = next.left - line.right;
  if (gap < -line.size || gap > 4 * line.size) return "\n";
  return gap < 0.15 * line.size ? "" : " ";
}

function startsParagraph(
  lines: readonly Line[],
  at: number,
  leading: (size: number) => number,
): boolean {
  const [previous, line] = [lines[at - 1]!, lines[at]!];
  const step = previous.base - line.base;
  const goes_on = !endsSentence(previous.text) && /^\p{Ll}/u.test(line.text);
  const size_ratio = line.size / previous.size;
  const isUnfinished = (): boolean =>
    !endsSentence(previous.text) && Math.abs(size_ratio - 1) < 0.05 && !endedEarly(lines, at);
  // Up again: the next column, or a part that stands elsewhere.
  if (step < 0) return !(goes_on || isUnfinished());
  if (size_ratio > 1.3 || size_ratio < 0.77) return true;
  const usual = leading(Math.max(line.size, previous.size));
  if (step > 2.2 * usual) return true;
  if (goes_on) return false;
  if (size_ratio > 1.12 || size_ratio < 0.89 || step > 1.18 * usual) return true;
  return isIndented(lines, at) || (endedEarly(lines, at) && endsSentence(previous.text));
}

/** The number of a footnote may follow; `11.5` is no such end. */
const endsSentence = (text: string): boolean =>
  /(?:[!?:…。！？：]|(?<!\d)\.)["'”’»)\]]*\d{0,2}$|\.["'”’»)\]]*$/u.test(text);

/** The first line of a paragraph that is set in from the lines around it. */
function isIndented(lines: readonly Line[], at: number): boolean {
  const [previous, line, next] = [lines[at - 1]!, lines[at]!, lines[at + 1]];
  const indent = line.left - previous.left;
  if (
    indent < 0.7 * line.size ||
    indent > 6 * line.size ||
    !(endsSentence(previous.text) || endedEarly(lines, at))
  )
    return false;
  return next === undefined || line.left - next.left > 0.7 * line.size || next.base > line.base;
}

/**
 * The line before ended although the first word of this one would have fitted: a break that
 * somebody meant.
 */
function endedEarly(lines: readonly Line[], at: number): boolean {
  const [previous, line] = [lines[at - 1]!, lines[at]!];
  const first_word =
    ((line.text.search(/\s/) + 1 || line.text.length) / line.text.length) *
    (line.right - line.left);
  const room_needed = previous.right + first_word + 0.5 * line.size;
  for (let near = Math.max(0, at - 4); near < Math.min(lines.length, at + 4); near++) {
    const { left, right } = lines[near]!;
    if (left < previous.right && right > previous.left && right > room_needed) return true;
  }
  return false;
}

/** The usual distance between two lines of a paragraph, for type of this size on this page. */
function leadingOf(lines: readonly Line[]): (size: number) => number {
  const steps = new Map<number, number[]>();
  for (let at = 1; at < lines.length; at++) {
    const [previous, line] = [lines[at - 1]!, lines[at]!];
    const step = previous.base - line.base;
    if (
      step < 0.7 * line.size ||
      step > 2.5 * line.size ||
      Math.abs(line.size / previous.size - 1) > 0.1
    )
      continue;
    const key = Math.round(line.size);
    const some = steps.get(key);
    if (some === undefined) steps.set(key, [step]);
    else some.push(step);
  }
  for (const some of steps.values()) some.sort((a, b) => a - b);
  return (size) => {
    const some = steps.get(Math.round(size)) ?? [];
    return some.length < 4 ? 1.25 * size : some[Math.floor(some.length * 0.3)]!;
  };
}
