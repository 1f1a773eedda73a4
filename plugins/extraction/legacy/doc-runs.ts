/**
 * What a Word file says about stretches of its bytes: which paragraphs stand in tables or are
 * headings, and which text nobody sees.
 */
import type { Bytes } from "./byte-reader";
import { listedIn, type Listed } from "./doc-styles";

/** From one byte of the main stream to another, end exclusive. */
export interface Run {
  readonly start: number;
  readonly end: number;
}
export interface ParagraphRun extends Run {
  /** How many tables it stands in, one inside the other. */
  readonly depth: number;
  /** Its end also ends a cell, or a row. */
  readonly ends: "paragraph" | "cell" | "row";
  /** Of a heading: 1 is the highest. */
  readonly level: number | null;
  /** The number of its list, and how deep in the list it stands; null when it stands in none. */
  readonly list: number | null;
  readonly list_level: number;
}
type Properties = Omit<ParagraphRun, keyof Run>;

const page_bytes = 512;
/** Codes of properties. */
const code = {
  in_table: 0x2416,
  row_end: 0x2417,
  depth: 0x6649,
  cell_end_inside: 0x244b,
  row_end_inside: 0x244c,
  outline: 0x2640,
  table: 0xd608,
  tabs: 0xc615,
  deleted: 0x0800,
  hidden: 0x083c,
} as const;

/** Both lists are in order. Only paragraphs that are something special are in the first one. */
export function readRuns(
  main: Bytes,
  paragraph_pages: Bytes,
  character_pages: Bytes,
  styles: readonly Listed[],
): { paragraphs: ParagraphRun[]; unseen: Run[] } {
  const paragraphs: ParagraphRun[] = [];
  const unseen: Run[] = [];
  for (const page of pagesOf(paragraph_pages)) {
    eachRun(main, page, 13, (run, at) => {
      const properties = paragraphOf(main, at, page + page_bytes, styles);
      if (properties) paragraphs.push({ ...run, ...properties });
    });
  }
  for (const page of pagesOf(character_pages)) {
    eachRun(main, page, 1, (run, at) => {
      if (isUnseen(main, at + 1, at + 1 + main.u8(at))) unseen.push(run);
    });
  }
  const inOrder = (one: Run, other: Run): number => one.start - other.start;
  return { paragraphs: paragraphs.sort(inOrder), unseen: unseen.sort(inOrder) };
}

/** Where the pages of properties lie in the main stream, each once. */
function pagesOf(table: Bytes): Set<number> {
  const count = Math.floor((table.length - 4) / 8);
  const pages = new Set<number>();
  for (let index = 0; index < count; index++)
    pages.add((table.u32(4 * (count + 1) + 4 * index) & 0x3fffff) * page_bytes);
  return pages;
}

/**
 * Each run of a page that has properties, with the place of these. A record of `size` bytes for
 * each run says where they lie.
 */
function eachRun(
  main: Bytes,
  page: number,
  size: number,
  use: (run: Run, at: number) => void,
): void {
  const count = Math.min(main.u8(page + page_bytes - 1), Math.floor((page_bytes - 5) / (4 + size)));
  for (let index = 0; index < count; index++) {
    const [start, end] = [main.u32(page + 4 * index), main.u32(page + 4 * index + 4)];
    const words = main.u8(page + 4 * (count + 1) + size * index);
    if (words > 0 && end > start) use({ start, end }, page + 2 * words);
  }
}

function paragraphOf(
  main: Bytes,
  at: number,
  page_end: number,
  styles: readonly Listed[],
): Properties | null {
  const half = main.u8(at);
  const from = half === 0 ? at + 2 : at + 1;
  const end = Math.min(page_end, from + (half === 0 ? 2 * main.u8(at + 1) : 2 * half - 1));
  const style = main.u16(from);
  let level: number | null = style >= 1 && style <= 9 ? style : null;
  let [depth, in_table, ends]: [number, boolean, Properties["ends"]] = [0, false, "paragraph"];
  eachProperty(main, from + 2, end, (property, value) => {
    const on = main.u8(value) === 1;
    if (property === code.in_table) in_table = on;
    else if (property === code.depth) depth = main.u8(value);
    else if (property === code.row_end && on) ends = "row";
    else if (property === code.row_end_inside && on) ends = "row";
    else if (property === code.cell_end_inside && on && ends === "paragraph") ends = "cell";
    else if (property === code.outline) level = main.u8(value) < 9 ? main.u8(value) + 1 : null;
  });
  if (in_table || ends !== "paragraph") depth = Math.max(1, depth);
  const own = listedIn(main, from + 2, end, eachProperty);
  const list = (own.list ?? styles[style]?.list) || null;
  const list_level = own.list_level ?? styles[style]?.list_level ?? 0;
  return depth > 0 || level !== null || list !== null
    ? { depth, ends, level, list, list_level }
    : null;
}

function isUnseen(main: Bytes, start: number, end: number): boolean {
  let unseen = false;
  eachProperty(main, start, end, (property, value) => {
    if (property === code.deleted || property === code.hidden) unseen ||= main.u8(value) === 1;
  });
  return unseen;
}

/**
 * How many bytes the value of a property takes, by the upper bits of its code; those of kind 6 say
 * it themselves.
 */
const value_bytes = [1, 1, 2, 4, 2, 2, 0, 3];

export function eachProperty(
  main: Bytes,
  start: number,
  end: number,
  use: (property: number, at: number) => void,
): void {
  for (let at = start; at + 2 < end;) {
    const property = main.u16(at);
    at += 2;
    use(property, at);
    const kind = property >> 13;
    if (kind !== 6) at += value_bytes[kind]!;
    else if (property === code.table) at += 1 + main.u16(at);
    else if (property === code.tabs && main.u8(at) === 255) return;
    else at += 1 + main.u8(at);
  }
}
