/**
 * Runs in the child: candidates for running headers and footers and for headings, judged by
 * position and type of the lines of a page. The decision needs the whole document and is made in
 * the server.
 */
import type { JoinedLines, Line, LinePlace } from "./paragraphs";
import { beginsAnew, isTitle } from "./title-lines";

/** A line at the top or bottom edge of a page. */
export interface EdgeLine extends LinePlace {
  readonly at: "head" | "foot";
  /** The height of its baseline on the page, in points. */
  readonly base: number;
  readonly text: string;
}
/** Lines in larger or bolder type than the rest, which may be a heading. */
export interface DisplayLine extends LinePlace {
  readonly size: number;
  readonly bold: boolean;
  readonly text: string;
}
/** Entries of the document's outline, with their positions. */
export interface ListedHeading extends LinePlace {
  /** 1 is the top level. */
  readonly level: number;
  readonly text: string;
}
/** Positions are in the text of the page; those of edges include an adjacent line break. */
export interface PageLayout {
  readonly edges: readonly EdgeLine[];
  readonly display: readonly DisplayLine[];
  readonly listed: readonly ListedHeading[];
  /** The font size of most of its text, in points. */
  readonly body_size: number;
  /** Number of characters in that size. */
  readonly body_characters: number;
}

/** Rows of lines at each edge that may be running headers or footers. */
const edge_rows = 2;
/** A longer line is not a running one. */
const edge_characters_max = 160;
/**
 * A page with more lines at its edges has no running lines: the server keeps only a few per page.
 */
const edge_lines_max = 12;
/** A page with more display lines is not ordinary text. */
const display_lines_max = 40;
/** Type that is this much larger than the body is display type … */
const display_ratio_min = 1.08;
/** … and so is type that is this much heavier. */
const bold_ratio_min = 1.25;

/** The candidates on one page. `listed`: what the file's own outline has on it. */
export function layoutOf(
  lines: readonly Line[],
  { text, places }: JoinedLines,
  listed: readonly ListedHeading[],
): PageLayout {
  const body = bodyOf(lines);
  return {
    edges: edgesOf(lines, text, places),
    display: displayOf(lines, text, places, body),
    listed,
    body_size: body.size,
    body_characters: body.characters,
  };
}

interface Body {
  readonly size: number;
  readonly weight: number;
  readonly characters: number;
}

/** The size and weight of most characters. */
function bodyOf(lines: readonly Line[]): Body {
  const sizes = new Map<number, number>();
  const weights = new Map<number, number>();
  for (const { size, weight, text, table } of lines) {
    const key = Math.round(size * 2) / 2;
    sizes.set(key, (sizes.get(key) ?? 0) + text.length);
    if (!table) weights.set(weight, (weights.get(weight) ?? 0) + text.length);
  }
  const most = (counts: ReadonlyMap<number, number>): readonly [number, number] =>
    [...counts].reduce((best, size) => (size[1] > best[1] ? size : best), [0, 0] as const);
  const [size, characters] = most(sizes);
  return { size, characters, weight: most(weights)[0] };
}

function displayOf(
  lines: readonly Line[],
  text: string,
  places: readonly LinePlace[],
  body: Body,
): DisplayLine[] {
  const display: DisplayLine[] = [];
  for (const [at, { size, weight, table }] of lines.entries()) {
    if (table) continue;
    const bold = body.weight > 0 && weight >= bold_ratio_min * body.weight;
    if (size < display_ratio_min * body.size && !bold) continue;
    const { start, end } = places[at]!;
    const last = display.at(-1);
    // The next line of a long heading.
    const continues =
      last !== undefined &&
      last.size === size &&
      last.bold === bold &&
      text.slice(last.end, start) === "\n" &&
      !beginsAnew(text.slice(start, end));
    if (continues) display.pop();
    const from = continues ? last.start : start;
    display.push({ start: from, end, size, bold, text: text.slice(from, end) });
  }
  const titles = display.filter((line) => isTitle(line.text, nextLine(text, line.end)));
  return titles.length > display_lines_max ? [] : titles;
}
/** The line below in the same paragraph. */
const nextLine = (text: string, end: number): string =>
  text[end] === "\n" ? text.slice(end + 1, end + 1 + line_start_chars).split("\n", 1)[0]! : "";
/** Enough to tell what begins. */
const line_start_chars = 40;

function edgesOf(lines: readonly Line[], text: string, places: readonly LinePlace[]): EdgeLine[] {
  const order = lines.map((_line, at) => at).sort((a, b) => lines[b]!.base - lines[a]!.base);
  const edges = new Map<number, EdgeLine>();
  for (const [at, sorted] of [
    ["head", order],
    ["foot", order.toReversed()],
  ] as const) {
    let rows = 0;
    let base = Number.NaN;
    for (const index of sorted) {
      const line = lines[index]!;
      const { start, end } = places[index]!;
      if (line.table) break;
      if (!(Math.abs(line.base - base) < 0.5 * line.size)) rows++;
      if (rows > edge_rows) break;
      if (edges.size === edge_lines_max) return [];
      base = line.base;
      if (end - start > edge_characters_max || edges.has(index)) continue;
      const line_text = text.slice(start, end);
      const next = places[index + 1];
      edges.set(
        index,
        next === undefined
          ? { start: places[index - 1]?.end ?? start, end, at, base, text: line_text }
          : { start, end: next.start, at, base, text: line_text },
      );
    }
  }
  return [...edges].sort(([a], [b]) => a - b).map(([, edge]) => edge);
}
