/**
 * Running heads and feet: what stands at the same place of many pages. They are no part of the
 * text: a page number cuts a sentence in two, and the head of a chapter is found on all its pages.
 */
import { nextTurn } from "../../../core/lib/parts";
import type { EdgeLine } from "../child/page-layout";

/** A page with the lines at its edges; places are in the text of the document. */
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
/** A line that so many pages nearby have, this one included, is a running one. */
const same_text_min = 3;
/** Pages nearby whose number counts on from page to page, this one included. */
const counting_min = 4;
/** Points by which the place of the same line differs from page to page. */
const base_tolerance = 2;
/** The share of pages nearby that have a running line at a place, for all that stands there. */
const running_place_min = 0.6;
/** Candidates that are looked at between two turns of the event loop. */
const turn_candidates = 500;
/** Different running lines that are compared with all headings. */
const heads_max = 500;

export interface RunningLine extends Cut {
  /** What it says besides numbers. */
  readonly words: string;
}

interface Candidate extends EdgeLine {
  /** In the order of pages that have text. */
  readonly at_page: number;
  /** What it says besides numbers; two that differ only by their number are the same line. */
  readonly words: string;
  /** Its number minus the number of the page, for Arabic and Roman numbers apart. */
  readonly counts: readonly string[];
}

/** The running lines of these pages, in the order of the text. Gives way to others meanwhile. */
export async function runningLines(pages: readonly PageEdges[]): Promise<RunningLine[]> {
  const candidates = pages.flatMap(({ page, edges }, at_page) =>
    edges.map((edge) => candidateOf(edge, page, at_page)),
  );
  const near = byPlace(candidates);
  const repeated = await select(candidates, (one) => repeats(one, near));
  const rows = rowsOf(repeated);
  const in_row = new Set(
    candidates.filter((one) => rows.get(rowKey(one))?.some((base) => isNear(base, one.base))),
  );
  const at_place = await select(
    candidates,
    (one) => in_row.has(one) || isRunningPlace(one, near, in_row, pages.length),
  );
  return at_place
    .map(({ start, end, words }) => ({ start, end, words }))
    .sort((a, b) => a.start - b.start);
}

async function select(
  candidates: readonly Candidate[],
  holds: (one: Candidate) => boolean,
): Promise<Candidate[]> {
  const selected: Candidate[] = [];
  for (const [at, one] of candidates.entries()) {
    if (at % turn_candidates === turn_candidates - 1) await nextTurn();
    if (holds(one)) selected.push(one);
  }
  return selected;
}

/** Lower-case words, without numbers and signs; none when it is a number alone. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^\P{L}*[ivxlc]{1,8}\P{L}*$/u, "")
    .replace(/[^\p{L}\p{M}]+/gu, " ")
    .trim();

function candidateOf(edge: EdgeLine, page: number, at_page: number): Candidate {
  const { said } = edge,
    numbers = [...said.matchAll(/(?<![\p{L}\p{N}])(?:\d{1,4}|[ivxlc]{1,8})(?![\p{L}\p{N}])/giu)];
  // The number of a page stands at one end of its line; `2. Water` is the title of a chapter.
  const ends = numbers.filter(
    ({ 0: number, index }) =>
      (said.slice(0, index).trim() === "" &&
        !/^[.)]\s*\p{L}/u.test(said.slice(index + number.length))) ||
      said.slice(index + number.length).trim() === "",
  );
  return {
    ...edge,
    at_page,
    words: wordsOf(said),
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

/** Those at the head or foot, by their place in steps of points. */
function byPlace(candidates: readonly Candidate[]): (one: Candidate) => Candidate[] {
  const places = new Map<string, Candidate[]>();
  const key = ({ at }: Candidate, base: number): string => `${at} ${base}`;
  const stepOf = ({ base }: Candidate): number => Math.round(base / (2 * base_tolerance));
  for (const one of candidates) {
    const same = places.get(key(one, stepOf(one)));
    if (same === undefined) places.set(key(one, stepOf(one)), [one]);
    else same.push(one);
  }
  return (one) =>
    [-1, 0, 1].flatMap((step) =>
      nearby(places.get(key(one, stepOf(one) + step)) ?? [], one.at_page).filter(
        ({ base }) => Math.abs(base - one.base) <= base_tolerance,
      ),
    );
}

/** Of candidates in the order of their pages, those of pages near this one. */
function nearby(candidates: readonly Candidate[], at_page: number): Candidate[] {
  let low = 0,
    high = candidates.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (candidates[middle]!.at_page < at_page - near_pages) low = middle + 1;
    else high = middle;
  }
  const near: Candidate[] = [];
  for (let at = low; at < candidates.length; at++) {
    const one = candidates[at]!;
    if (one.at_page > at_page + near_pages) break;
    near.push(one);
  }
  return near;
}

const pagesOf = (candidates: readonly Candidate[]): number =>
  new Set(candidates.map(({ at_page }) => at_page)).size;

/** Whether pages nearby have it too, at the same place: its words, or a number that counts on. */
function repeats(one: Candidate, near: (one: Candidate) => Candidate[]): boolean {
  const others = near(one);
  if (
    one.words !== "" &&
    pagesOf(others.filter(({ words }) => words === one.words)) >= same_text_min
  )
    return true;
  return one.counts.some(
    (count) => pagesOf(others.filter(({ counts }) => counts.includes(count))) >= counting_min,
  );
}

/** What stands in one row with a running line belongs to it. */
function rowsOf(running: readonly Candidate[]): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>();
  for (const one of running) rows.set(rowKey(one), [...(rows.get(rowKey(one)) ?? []), one.base]);
  return rows;
}
const rowKey = ({ at_page, at }: Candidate): string => `${at_page} ${at}`;
const isNear = (base: number, other: number): boolean => Math.abs(base - other) < 1;

/** The title of a chapter of two pages stands where the others' titles stand. */
function isRunningPlace(
  one: Candidate,
  near: (one: Candidate) => Candidate[],
  running: ReadonlySet<Candidate>,
  page_count: number,
): boolean {
  const pages =
    Math.min(page_count - 1, one.at_page + near_pages) - Math.max(0, one.at_page - near_pages);
  const running_pages = pagesOf(near(one).filter((other) => running.has(other)));
  return running_pages >= counting_min && running_pages >= running_place_min * pages;
}

/**
 * Without the first of each that no heading says: a letterhead, or the number of an order, stands
 * nowhere else. The head of a chapter repeats its title, and the number of a page says nothing.
 */
export function repeatedLines(
  running: readonly RunningLine[],
  headings: readonly { readonly said: string }[],
): RunningLine[] {
  const titles = [...new Set(headings.map(({ said }) => wordsOf(said)))].filter(
      (title) => title.length > 2,
    ),
    seen = new Set<string>();
  return running.filter(({ words }) => {
    if (words === "" || seen.has(words) || seen.size >= heads_max) return true;
    seen.add(words);
    return titles.some((title) => title.includes(words) || words.includes(title));
  });
}
