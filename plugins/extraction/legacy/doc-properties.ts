/**
 * Runs in the child: the properties of paragraphs and characters in a Word file: which paragraphs
 * are in tables or lists or are headings, and which text is hidden.
 */
import type { ByteReader } from "./byte-reader";
import type { RowShape } from "../child/nested-table-builder";
import { eachProperty } from "./doc-sprm";
import { listPropertiesIn, type ListProperties } from "./doc-styles";

/** Offsets in the main stream, bytes, end exclusive. */
export interface Run {
  readonly start: number;
  readonly end: number;
}
/** The properties of one paragraph. */
export interface ParagraphRun extends Run {
  /** Table nesting depth. */
  readonly depth: number;
  /** What the end of the paragraph terminates. */
  readonly ends: "paragraph" | "cell" | "row";
  /** For a heading: 1 is the top level. */
  readonly level: number | null;
  /** The number of its list and its level there; null if it is in no list. */
  readonly list: number | null;
  readonly list_level: number;
  /** For the end of a row: its cells. */
  readonly row?: RowShape | undefined;
}
type Properties = Omit<ParagraphRun, keyof Run>;

const page_bytes = 512;
/** Codes of properties (`sprm`). */
const code = {
  in_table: 0x2416,
  row_end: 0x2417,
  depth: 0x6649,
  cell_end_inside: 0x244b,
  row_end_inside: 0x244c,
  row_cells: 0xd608,
  outline: 0x2640,
  deleted: 0x0800,
  hidden: 0x083c,
} as const;

/** In text order. `paragraphs` are only those with relevant properties. */
export function readRuns(
  main: ByteReader,
  paragraph_pages: ByteReader,
  character_pages: ByteReader,
  styles: readonly ListProperties[],
): { paragraphs: ParagraphRun[]; hidden: Run[] } {
  const paragraphs: ParagraphRun[] = [];
  const hidden: Run[] = [];
  for (const page of pagesOf(paragraph_pages)) {
    eachRun(main, page, 13, (run, at) => {
      const properties = paragraphOf(main, at, page + page_bytes, styles);
      if (properties) paragraphs.push({ ...run, ...properties });
    });
  }
  for (const page of pagesOf(character_pages)) {
    eachRun(main, page, 1, (run, at) => {
      if (isHidden(main, at + 1, at + 1 + main.u8(at))) hidden.push(run);
    });
  }
  const inOrder = (a: Run, b: Run): number => a.start - b.start;
  return { paragraphs: paragraphs.sort(inOrder), hidden: hidden.sort(inOrder) };
}

/** Offsets of the property pages in the main stream, without duplicates. */
function pagesOf(table: ByteReader): Set<number> {
  const count = Math.floor((table.length - 4) / 8);
  const pages = new Set<number>();
  for (let index = 0; index < count; index++)
    pages.add((table.u32(4 * (count + 1) + 4 * index) & 0x3fffff) * page_bytes);
  return pages;
}

/**
 * Calls `use` for each run of a property page that has properties, with their offset. The page has
 * a record of `size` bytes per run.
 */
function eachRun(
  main: ByteReader,
  page: number,
  size: number,
  use: (run: Run, at: number) => void,
): void {
  const count = Math.min(main.u8(page + page_bytes - 1), Math.floor((page_bytes - 5) / (4 + size)));
  for (let index = 0; index < count; index++) {
    const start = main.u32(page + 4 * index);
    const end = main.u32(page + 4 * index + 4);
    const words = main.u8(page + 4 * (count + 1) + size * index);
    if (words > 0 && end > start) use({ start, end }, page + 2 * words);
  }
}

/** What the properties of a paragraph say, as far as they have been read. */
interface ReadProperties {
  in_table: boolean;
  depth: number;
  ends: ParagraphRun["ends"];
  level: number | null;
  row: RowShape | undefined;
}
/** Reads the value at `at` into `read`. */
type PropertyReader = (read: ReadProperties, main: ByteReader, at: number) => void;

const isOn = (main: ByteReader, at: number): boolean => main.u8(at) === 1;
const endRow: PropertyReader = (read, main, at) => {
  if (isOn(main, at)) read.ends = "row";
};
const readers: ReadonlyMap<number, PropertyReader> = new Map<number, PropertyReader>([
  [code.in_table, (read, main, at) => (read.in_table = isOn(main, at))],
  [code.depth, (read, main, at) => (read.depth = main.u8(at))],
  [code.row_end, endRow],
  [code.row_end_inside, endRow],
  [
    code.cell_end_inside,
    (read, main, at) => {
      if (isOn(main, at) && read.ends === "paragraph") read.ends = "cell";
    },
  ],
  [code.row_cells, (read, main, at) => (read.row = rowOf(main, at))],
  [
    code.outline,
    (read, main, at) => {
      const outline = main.u8(at);
      read.level = outline < 9 ? outline + 1 : null;
    },
  ],
]);

function paragraphOf(
  main: ByteReader,
  at: number,
  page_end: number,
  styles: readonly ListProperties[],
): Properties | null {
  const half = main.u8(at);
  const from = half === 0 ? at + 2 : at + 1;
  const end = Math.min(page_end, from + (half === 0 ? 2 * main.u8(at + 1) : 2 * half - 1));
  const style = main.u16(from);
  const read: ReadProperties = {
    in_table: false,
    depth: 0,
    ends: "paragraph",
    level: style >= 1 && style <= 9 ? style : null,
    row: undefined,
  };
  eachProperty(main, from + 2, end, (property, at) => readers.get(property)?.(read, main, at));
  const { ends, level, row } = read;
  const depth = read.in_table || ends !== "paragraph" ? Math.max(1, read.depth) : read.depth;
  const direct = listPropertiesIn(main, from + 2, end);
  const list = (direct.list ?? styles[style]?.list) || null;
  const list_level = direct.list_level ?? styles[style]?.list_level ?? 0;
  return depth > 0 || level !== null || list !== null
    ? { depth, ends, level, list, list_level, row }
    : null;
}

/** Bytes of a cell's description, and the flags in its first two. */
const cell_bytes = 20;
const merged_before = 0x2;
const merged_above = 0x20;
const first_of_column = 0x40;

/** The edges of the cells of a row, and which cells belong to others. */
function rowOf(main: ByteReader, at: number): RowShape {
  const end = at + 2 + main.u16(at) - 1;
  const count = Math.min(main.u8(at + 2), 64);
  const cells = at + 3 + 2 * (count + 1);
  const edges: number[] = [];
  const covered: boolean[] = [];
  for (let cell = 0; cell < count; cell++) {
    const edge = main.u16(at + 3 + 2 * (cell + 1));
    const place = cells + cell_bytes * cell;
    const flags = place + 2 <= end ? main.u16(place) : 0;
    edges.push(edge > 0x7fff ? edge - 0x10000 : edge);
    covered.push(
      (flags & merged_before) !== 0 ||
        ((flags & merged_above) !== 0 && (flags & first_of_column) === 0),
    );
  }
  return { edges, covered };
}

function isHidden(main: ByteReader, start: number, end: number): boolean {
  let hidden = false;
  eachProperty(main, start, end, (property, value) => {
    if (property === code.deleted || property === code.hidden) hidden ||= main.u8(value) === 1;
  });
  return hidden;
}
