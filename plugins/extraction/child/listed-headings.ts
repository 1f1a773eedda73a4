/** Runs in the child: locates entries of the document's outline on a page. */
import type { ListedHeading } from "./page-layout";
import type { JoinedLines } from "./paragraphs";

/** An entry of the document's outline. */
export interface OutlineEntry {
  readonly title: string;
  /** 1 is the top level. */
  readonly level: number;
  /** Starts at 1. */
  readonly page: number;
}
interface ComparedLine {
  readonly start: number;
  readonly end: number;
  readonly letters: string;
  /** It is nothing but a whole number. */
  readonly is_number: boolean;
  /** It is an item of a list, perhaps of what a chapter contains. */
  readonly is_item: boolean;
}

/** The most lines of one heading. */
const heading_lines_max = 3;
/** The most entries that are searched for on one page. */
const entries_max = 200;
/** A title is not cut so early that fewer letters or digits remain. */
const cut_letters_min = 40;
/** The most letters and digits that it lacks. */
const cut_letters_max = 60;
/** Letters and digits of a number before a title. */
const number_max = 16;

/** The entries of this page with their positions, without those that are not found. */
export function listedHeadings(
  { text, places }: JoinedLines,
  entries: readonly OutlineEntry[],
): ListedHeading[] {
  if (entries.length === 0) return [];
  const lines = places.map(({ start, end }) => {
    const line = text.slice(start, end);
    return {
      start,
      end,
      letters: lettersOf(line),
      is_number: whole_number.test(line),
      is_item: bullet.test(line),
    };
  });
  const headings = new Map<number, ListedHeading>();
  for (const { title, level } of entries.slice(0, entries_max)) {
    const title_letters = lettersOf(title);
    for (const [at, { start, is_item }] of title_letters === "" ? [] : lines.entries()) {
      const end = is_item ? undefined : endOf(lines, at, title_letters);
      if (end === undefined || headings.has(start) || beginsLater(lines, at, title_letters))
        continue;
      headings.set(start, { start, end, level, text: text.slice(start, end) });
      break;
    }
  }
  const sorted = [...headings.values()].sort((a, b) => a.start - b.start);
  return sorted.filter(({ start }, at) => at === 0 || sorted[at - 1]!.end <= start);
}

/** Perhaps the number of the page: `12`, `— 12 —`. */
const whole_number = /^\P{L}?\s*\d{1,4}\s*\P{L}?$/u;

const bullet = /^[•●○◦■□▪▫‣▶]/;

/** Letters and digits only: `4.1  Paper Size` is `41papersize`. */
const lettersOf = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** The end of the title that begins at this line; undefined if none does. */
function endOf(lines: readonly ComparedLine[], at: number, title: string): number | undefined {
  let letters = "";
  for (const line of lines.slice(at, at + heading_lines_max)) {
    letters += line.letters;
    if (letters === title || isNumbered(letters, title) || isCut(letters, title)) return line.end;
    if (letters.length > title.length + number_max) return undefined;
  }
  return undefined;
}

/**
 * Whether it begins on a later line: this one is the number of a note or of the page, the end of a
 * sentence, or a label in a figure.
 */
function beginsLater(lines: readonly ComparedLine[], at: number, title: string): boolean {
  const { letters, is_number } = lines[at]!;
  const below = lines.slice(at + 1, at + heading_lines_max);
  return (
    letters === "" ||
    (letters !== title && below.some((line) => line.letters === title)) ||
    (((is_number && !title.startsWith(letters)) || /^\d/.test(below[0]?.letters ?? "")) &&
      endOf(lines, at + 1, title) !== undefined)
  );
}

/** Whether the outline has only the beginning of it: some programs cut long titles. */
const isCut = (letters: string, title: string): boolean =>
  title.length >= cut_letters_min &&
  letters.length <= title.length + cut_letters_max &&
  letters.startsWith(title);

/** Whether one of the two has a number before the title, or a word for it, that the other lacks. */
function isNumbered(letters: string, title: string): boolean {
  const [long, short] = letters.length > title.length ? [letters, title] : [title, letters];
  if (short.length < 2 || !long.endsWith(short)) return false;
  const before = long.slice(0, long.length - short.length);
  return (
    /^(?:chapter|kapitel|appendix|section|part)?(?:\d{1,8}|[a-z]\d{0,6}|[ivxlc]{1,6})?$/.test(
      before,
    ) ||
    (/^\d/.test(short) && /^\p{L}{1,12}$/u.test(before))
  );
}
