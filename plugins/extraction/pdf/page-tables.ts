/** Runs in the child: replaces the lines of a page that form tables by the tables. */
import type { Line } from "../child/paragraphs";
import { findTables } from "../child/tables/table-finder";
import type { Drawing, Table } from "../child/tables/geometry";
import { tableLines } from "../child/tables/table-lines";
import { readDrawing, type Turn } from "./page-drawing";
import { lineAt, wordsOf, type PlacedLine, type PlacedWord, type TextPage } from "./text-lines";

/** A page with more lines is skipped. */
const lines_max = 3_000;

/** Dots lead from an entry of a table of contents to its page: they are no columns. */
const leader = /(?<!\S)[.·](?!\S)|[.·…]{4,}/gu;
/** The share of a page's characters that are such dots. */
const leader_share_min = 0.2;
function isTableOfContents(lines: readonly PlacedLine[]): boolean {
  const text = lines.map((line) => line.text).join(" ");
  const dots = text.match(leader)?.join("").length ?? 0;
  return dots > leader_share_min * text.replace(/\s/g, "").length;
}

/** The lines, with each table as one line at the position of its first word. */
export function withTables(
  text: TextPage,
  page: number,
  lines: readonly PlacedLine[],
): readonly Line[] {
  if (lines.length < 2 || lines.length > lines_max || isTableOfContents(lines)) return lines;
  const turn = turnOf(lines);
  const drawing = readDrawing(text, page, turn);
  if (!hasDrawing(drawing) && !hasGaps(lines)) return lines;
  const words_of = new Map(lines.map((line) => [line, wordsOf(text, line)]));
  const words = lines.filter((line) => isTurned(line, turn)).flatMap((line) => words_of.get(line)!);
  const tables = findTables(words, drawing);
  return tables.length === 0 ? lines : arranged(text, words_of, tables);
}

const hasDrawing = ({ across, down, fills }: Drawing): boolean =>
  across.length + down.length + fills.length >= 2;

/** The minimum number of lines with a wide gap in a table. */
const gaps_min = 3;
/** How much wider than its letters a line with a gap is. */
const wide_ratio_min = 1.2;
const wide_letters = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/g;

/** Whether lines are wider than their letters, or are side by side. */
function hasGaps(lines: readonly PlacedLine[]): boolean {
  let gaps = 0;
  for (const [at, { text, left, right, base, size }] of lines.entries()) {
    const before = lines[at - 1];
    const room = (right - left - size) / (0.5 * wide_ratio_min * size);
    const is_beside =
      before !== undefined &&
      Math.abs(before.base - base) < 0.3 * size &&
      (left > before.right + size || right < before.left - size);
    const is_wide = (): boolean =>
      text.includes(" ") && room > text.length + (text.match(wide_letters)?.length ?? 0);
    if ((is_beside || (room > text.length && is_wide())) && ++gaps >= gaps_min) return true;
  }
  return false;
}

/** The direction of most text, as a multiple of 90 degrees. */
function turnOf(lines: readonly PlacedLine[]): Turn {
  if (lines.every(({ cos }) => cos > 0.999)) return upright;
  const counts = new Map<string, { turn: Turn; characters: number }>();
  for (const { cos, sin, text } of lines) {
    const turn = { cos: Math.round(cos), sin: Math.round(sin) };
    const key = `${turn.cos} ${turn.sin}`;
    const count = counts.get(key);
    if (Math.abs(turn.cos) + Math.abs(turn.sin) !== 1) continue;
    if (count === undefined) counts.set(key, { turn, characters: text.length });
    else count.characters += text.length;
  }
  const [most] = [...counts.values()].sort((a, b) => b.characters - a.characters);
  return most?.turn ?? upright;
}
const upright: Turn = { cos: 1, sin: 0 };
const isTurned = ({ cos, sin }: PlacedLine, turn: Turn): boolean =>
  Math.abs(cos - turn.cos) < 0.02 && Math.abs(sin - turn.sin) < 0.02;

/** Lines without the words of tables, and each table at the position of its first word. */
function arranged(
  text: TextPage,
  words_of: ReadonlyMap<PlacedLine, readonly PlacedWord[]>,
  tables: readonly Table[],
): Line[] {
  const table_of = new Map<number, Table>();
  for (const table of tables) for (const { order } of table.words) table_of.set(order, table);
  const pieces: { order: number; line: Line }[] = tableLines(tables);
  for (const [line, words] of words_of) {
    if (words.every(({ order }) => !table_of.has(order))) {
      pieces.push({ order: line.start, line });
      continue;
    }
    let outside: PlacedWord[] = [];
    const end = (): void => {
      const first = outside[0];
      const last = outside.at(-1);
      outside = [];
      if (first === undefined) return;
      const piece = lineAt(text, first.order, last!.end, last!.hyphenated);
      if (piece !== null) pieces.push({ order: first.order, line: piece });
    };
    for (const word of words) {
      if (table_of.has(word.order)) end();
      else outside.push(word);
    }
    end();
  }
  return pieces.sort((a, b) => a.order - b.order).map(({ line }) => line);
}
