/** Runs in the child: puts the tables of a recognised page in the place of the words they hold. */
import type { Line } from "../child/paragraphs";
import { pipeTable } from "../child/pipe-table";
import { findTables } from "../child/tables/find-tables";
import { median, type Drawing, type Rule, type Table, type Word } from "../child/tables/geometry";
import { lineOfWords, type RecognisedLine, type RecognisedWord } from "./hocr";
import type { PictureRules } from "./rules";
import type { PictureRule } from "./traced-lines";

/** Tables are looked for on a page as large as if most of its letters had this size, in points. */
const usual_size = 11;

/** Points for each pixel. */
export const scaleOf = (lines: readonly RecognisedLine[]): number => {
  const sizes = lines.flatMap(({ words, size }) => words.map(() => size));
  return usual_size / (median(sizes) || usual_size);
};

export interface ArrangedPage {
  /** Those outside tables, and tables as one line each. */
  readonly lines: readonly Line[];
  readonly tables: readonly Table[];
}

/** The lines of a page, in the order of reading, with its tables. */
export function arrange(
  lines: readonly RecognisedLine[],
  rules: PictureRules,
  scale: number,
): ArrangedPage {
  const placed = lines.map((line) => ({ line, words: [] as PlacedWord[] }));
  let order = 0;
  for (const { line, words } of placed)
    for (const word of line.words) words.push(placedWord(word, line, order++, scale));
  const tables = findTables(
    placed.flatMap(({ words }) => words),
    drawingOf(rules, scale),
  );
  if (tables.length === 0) return { lines, tables };
  const table_of = new Map<number, Table>();
  for (const table of tables) for (const word of table.words) table_of.set(word.order, table);
  const pieces: { order: number; line: Line }[] = inReadingOrder(tables, scale);
  for (const { line, words } of placed) {
    if (words.every((word) => !table_of.has(word.order))) {
      pieces.push({ order: words[0]!.order, line });
      continue;
    }
    let outside: PlacedWord[] = [];
    const end = (): void => {
      const [first] = outside;
      if (first !== undefined)
        pieces.push({
          order: first.order,
          line: lineOfWords(
            line,
            outside.map(({ of }) => of),
          ),
        });
      outside = [];
    };
    for (const word of words)
      if (table_of.has(word.order)) end();
      else outside.push(word);
    end();
  }
  return { lines: pieces.sort((a, b) => a.order - b.order).map(({ line }) => line), tables };
}

interface PlacedWord extends Word {
  readonly of: RecognisedWord;
}
const placedWord = (
  word: RecognisedWord,
  line: RecognisedLine,
  order: number,
  scale: number,
): PlacedWord => ({
  of: word,
  text: word.text,
  left: word.left * scale,
  right: word.right * scale,
  top: -word.top * scale,
  bottom: -word.bottom * scale,
  base: line.base * scale,
  size: line.size * scale,
  order,
  weight: 0,
  hyphenated: false,
});

/** Heights are counted upwards. */
export const drawingOf = ({ across, down }: PictureRules, scale: number): Drawing => ({
  across: across.map(({ at, from, to }): Rule => ({
    at: -at * scale,
    from: from * scale,
    to: to * scale,
  })),
  down: down.map(({ at, from, to }: PictureRule): Rule => ({
    at: at * scale,
    from: -to * scale,
    to: -from * scale,
  })),
  fills: [],
});

/** Tables with the place of their first word; of two beside each other the left one comes first. */
function inReadingOrder(tables: readonly Table[], scale: number): { order: number; line: Line }[] {
  const sorted = tables
    .map((table) => ({ table, order: Math.min(...table.words.map((word) => word.order)) }))
    .sort((a, b) => a.order - b.order);
  const orders = sorted.map(({ order }) => order);
  for (let at = 1; at < sorted.length; at++)
    for (let to = at; to > 0; to--) {
      const [before, after] = [sorted[to - 1]!.table, sorted[to]!.table];
      const shared = Math.min(before.top, after.top) - Math.max(before.bottom, after.bottom),
        least = Math.min(before.top - before.bottom, after.top - after.bottom);
      if (shared < 0.5 * least || after.left >= before.left) break;
      [sorted[to - 1], sorted[to]] = [sorted[to]!, sorted[to - 1]!];
    }
  return sorted.map(({ table }, at) => ({ order: orders[at]!, line: lineOf(table, scale) }));
}

const lineOf = (table: Table, scale: number): Line => ({
  text: pipeTable(table.rows).join("\n"),
  is_table: true,
  hyphenated: false,
  left: table.left / scale,
  right: table.right / scale,
  base: table.top / scale,
  size: median(table.words.map(({ size }) => size)) / scale,
  weight: 0,
});
