/**
 * Runs in the child: replaces the words of a recognised page that belong to tables by the tables.
 */
import type { Line } from "../child/paragraphs";
import { findTables } from "../child/tables/table-finder";
import { median, type Drawing, type Rule, type Table, type Word } from "../child/tables/geometry";
import { tableLines } from "../child/tables/table-lines";
import type { Leader } from "./dot-leaders";
import { lineOfWords, type RecognisedLine, type RecognisedWord } from "./hocr";
import type { PictureRules } from "./rules";
import type { PictureRule } from "./traced-lines";

/** Font size relative to letter height, which is what Tesseract reports. */
const font_ratio = 1.2;
/** Tables are searched on a page scaled so that most of its letters have this size, in points. */
const usual_size = 11;

/** Points per pixel. */
export const pointsPerPixel = (lines: readonly RecognisedLine[]): number => {
  const sizes = lines.flatMap(({ words, size }) => words.map(() => font_ratio * size));
  return usual_size / (median(sizes) || usual_size);
};

/** What was drawn on a page besides its text. */
export interface DrawnLines {
  readonly rules: PictureRules;
  readonly leaders: readonly Leader[];
}
/** The lines of a page after its tables were put together. */
export interface ArrangedPage {
  /** Lines outside tables, and each table as one line. */
  readonly lines: readonly Line[];
  readonly tables: readonly Table[];
}

/** The lines of a page, in reading order, with its tables. */
export function arrange(
  lines: readonly RecognisedLine[],
  { rules, leaders }: DrawnLines,
  scale: number,
): ArrangedPage {
  const placed = lines.map((line) => ({ line, words: [] as PlacedWord[] }));
  let order = 0;
  for (const { line, words } of placed)
    for (const word of line.words) words.push(placedWord(word, line, order++, scale));
  const tables = findTables(
    placed.flatMap(({ line, words }) =>
      leaders.some((leader) => isOn(line, leader)) ? [] : words,
    ),
    drawingOf(rules, scale),
  );
  if (tables.length === 0) return { lines, tables };
  const table_of = new Map<number, Table>();
  for (const table of tables) for (const word of table.words) table_of.set(word.order, table);
  const pieces: { order: number; line: Line }[] = tableLines(tables, scale);
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

/** A line with a dot leader belongs to a table of contents. */
const isOn = ({ left, right, base, size }: RecognisedLine, leader: Leader): boolean =>
  Math.abs(-base - leader.at) < size &&
  leader.from < right + 2 * size &&
  leader.to > left - 2 * size;

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
  size: font_ratio * line.size * scale,
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
