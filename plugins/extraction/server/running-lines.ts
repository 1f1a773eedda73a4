/**
 * Running headers and footers: lines at the same position of many pages. They are removed from the
 * text: a page number would split a sentence, and a chapter's header would be found on all its
 * pages.
 */
import { countLeading } from "../../../core/lib/binary-search";
import { StepPauses } from "../../../core/lib/chunked-work";
import type { EdgeLine } from "../child/page-layout";
import { headings_max } from "../result-limits";

/** A page with the lines at its edges; positions are in the text of the document. */
export interface PageEdges {
  readonly page: number;
  readonly edges: readonly EdgeLine[];
}
/** What is cut out of the text, UTF-16 units, end exclusive. */
export interface Cut {
  readonly start: number;
  readonly end: number;
}

/** Pages before and after one that are compared with it. */
const near_pages = 12;
/** A line is a running one if this many nearby pages have it, including this one. */
const same_text_min = 3;
/** The minimum number of nearby pages with consecutive numbers, including this one. */
const counting_min = 4;
/** The tolerance of a line's position from page to page, in points. */
const base_tolerance = 2;
/**
 * If this share of nearby pages have a running line at a position, everything at that position is
 * one.
 */
const running_place_min = 0.6;
/** The most distinct running lines that are compared with all headings. */
const heads_max = 500;

/** A line that is cut, with what it has in common with those of other pages. */
export interface RunningLine extends Cut {
  /** Its text without numbers. */
  readonly words: string;
}

interface Candidate extends EdgeLine {
  /** Sorted by page, for pages with text. */
  readonly at_page: number;
  /** Its text without numbers: lines that differ only by number are the same. */
  readonly words: string;
  /** Its number minus the page number, separately for Arabic and Roman numerals. */
  readonly counts: readonly string[];
}

/** The running lines of these pages, in text order. Yields to other work meanwhile. */
export async function runningLines(pages: readonly PageEdges[]): Promise<RunningLine[]> {
  const pauses = new StepPauses();
  const candidates: Candidate[] = [];
  for (const [at_page, { page, edges }] of pages.entries()) {
    await pauses.pause();
    for (const edge of edges) candidates.push(candidateOf(edge, page, at_page));
  }
  const neighboursOf = byPlace(candidates);
  const repeated = await select(candidates, (candidate) => repeats(candidate, neighboursOf));
  const rows = rowsOf(repeated);
  const in_row = new Set(
    candidates.filter((candidate) =>
      rows.get(rowKey(candidate))?.some((base) => isNear(base, candidate.base)),
    ),
  );
  const at_place = await select(
    candidates,
    (candidate) =>
      in_row.has(candidate) || isRunningPlace(candidate, neighboursOf, in_row, pages.length),
  );
  return at_place
    .map(({ start, end, words }) => ({ start, end, words }))
    .sort((a, b) => a.start - b.start);
}

async function select(
  candidates: readonly Candidate[],
  holds: (candidate: Candidate) => boolean,
): Promise<Candidate[]> {
  const pauses = new StepPauses();
  const selected: Candidate[] = [];
  for (const candidate of candidates) {
    await pauses.pause();
    if (holds(candidate)) selected.push(candidate);
  }
  return selected;
}

/** Lower-case words, without numbers and punctuation; empty for a number alone. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^\P{L}*[ivxlc]{1,8}\P{L}*$/u, "")
    .replace(/[^\p{L}\p{M}]+/gu, " ")
    .trim();

function candidateOf(edge: EdgeLine, page: number, at_page: number): Candidate {
  const { text } = edge;
  const numbers = [
    ...text.matchAll(/(?<![\p{L}\p{N}])(?:\d{1,4}|[ivxlc]{1,8})(?![\p{L}\p{N}])/giu),
  ];
  // A page number is at one end of its line; `2. Water` is a chapter title.
  const ends = numbers.filter(
    ({ 0: number, index }) =>
      (text.slice(0, index).trim() === "" &&
        !/^[.)]\s*\p{L}/u.test(text.slice(index + number.length))) ||
      text.slice(index + number.length).trim() === "",
  );
  return {
    ...edge,
    at_page,
    words: wordsOf(text),
    counts: ends.map(({ 0: number }) =>
      /\d/.test(number) ? `1:${Number(number) - page}` : `i:${roman(number) - page}`,
    ),
  };
}

const roman_digits: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
function roman(number: string): number {
  const digits = [...number.toLowerCase()].map((digit) => roman_digits[digit]!);
  return digits.reduce(
    (sum, digit, at) => sum + (digit < (digits[at + 1] ?? 0) ? -digit : digit),
    0,
  );
}

/** Those at the top or bottom, by position in steps of points. */
function byPlace(candidates: readonly Candidate[]): (candidate: Candidate) => Candidate[] {
  const places = new Map<string, Candidate[]>();
  const key = ({ at }: Candidate, base: number): string => `${at} ${base}`;
  const stepOf = ({ base }: Candidate): number => Math.round(base / (2 * base_tolerance));
  for (const candidate of candidates) {
    const same = places.get(key(candidate, stepOf(candidate)));
    if (same === undefined) places.set(key(candidate, stepOf(candidate)), [candidate]);
    else same.push(candidate);
  }
  return (candidate) =>
    [-1, 0, 1].flatMap((step) =>
      nearby(places.get(key(candidate, stepOf(candidate) + step)) ?? [], candidate.at_page).filter(
        ({ base }) => Math.abs(base - candidate.base) <= base_tolerance,
      ),
    );
}

/** Of candidates sorted by page, those of pages near this one. */
function nearby(candidates: readonly Candidate[], at_page: number): Candidate[] {
  const first = countLeading(candidates, (candidate) => candidate.at_page < at_page - near_pages);
  const neighbours: Candidate[] = [];
  for (let at = first; at < candidates.length; at++) {
    const candidate = candidates[at]!;
    if (candidate.at_page > at_page + near_pages) break;
    neighbours.push(candidate);
  }
  return neighbours;
}

const pagesOf = (candidates: readonly Candidate[]): number =>
  new Set(candidates.map(({ at_page }) => at_page)).size;

/**
 * Whether nearby pages have it too, at the same position: the same words, or a consecutive number.
 */
function repeats(
  candidate: Candidate,
  neighboursOf: (candidate: Candidate) => Candidate[],
): boolean {
  const others = neighboursOf(candidate);
  if (
    candidate.words !== "" &&
    pagesOf(others.filter(({ words }) => words === candidate.words)) >= same_text_min
  )
    return true;
  return candidate.counts.some(
    (count) => pagesOf(others.filter(({ counts }) => counts.includes(count))) >= counting_min,
  );
}

/** Text in the same row as a running line belongs to it. */
function rowsOf(running: readonly Candidate[]): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>();
  for (const candidate of running)
    rows.set(rowKey(candidate), [...(rows.get(rowKey(candidate)) ?? []), candidate.base]);
  return rows;
}
const rowKey = ({ at_page, at }: Candidate): string => `${at_page} ${at}`;
const isNear = (base: number, other: number): boolean => Math.abs(base - other) < 1;

/** The title of a chapter of two pages is where those of longer chapters are. */
function isRunningPlace(
  candidate: Candidate,
  near: (candidate: Candidate) => Candidate[],
  running: ReadonlySet<Candidate>,
  page_count: number,
): boolean {
  const pages =
    Math.min(page_count - 1, candidate.at_page + near_pages) -
    Math.max(0, candidate.at_page - near_pages);
  const running_pages = pagesOf(near(candidate).filter((other) => running.has(other)));
  return running_pages >= counting_min && running_pages >= running_place_min * pages;
}

/**
 * Keeps the first occurrence of each unless a heading has the same text: a letterhead, or an order
 * number, appears nowhere else. A chapter's header only repeats its title, and page numbers carry
 * no information. Yields to other work meanwhile.
 */
export async function repeatedLines(
  running: readonly RunningLine[],
  headings: readonly { readonly text: string }[],
): Promise<RunningLine[]> {
  const pauses = new StepPauses();
  const unique = new Set<string>();
  for (const { text } of headings.slice(0, headings_max)) {
    await pauses.pause();
    unique.add(wordsOf(text));
  }
  const titles = [...unique].filter((title) => title.length > 2);
  const seen = new Set<string>();
  const repeated: RunningLine[] = [];
  for (const line of running) {
    const { words } = line;
    const is_first = words !== "" && !seen.has(words) && seen.size < heads_max;
    if (is_first) {
      await pauses.pause();
      seen.add(words);
    }
    if (!is_first || titles.some((title) => title.includes(words) || words.includes(title)))
      repeated.push(line);
  }
  return repeated;
}
