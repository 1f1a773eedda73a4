/**
 * Decides whether aligned lines without rules are a table: they have short cells, and columns of
 * values.
 */
import type { Column } from "./columns";
import { median, type TextRow, type Word } from "./geometry";
import type { CellLine } from "./logical-rows";

type Cell = readonly Word[];
const textOf = (cell: Cell): string => cell.map(({ text }) => text).join(" ");
const isFilled = (cell: Cell): boolean => cell.length > 0;

/** A number, an amount, a date, a time, or a dash for an empty value. */
export function isValue(cell: Cell): boolean {
  if (cell.length === 0 || cell.length > 4) return false;
  const text = textOf(cell);
  if (/^[-–—−.]+$|^n\/?a\.?$/i.test(text)) return true;
  return (
    /\p{Nd}/u.test(text) &&
    !/\p{L}{4}/u.test(text) &&
    /^[\p{Nd}\p{Sc}(+±−–<>~≈.,-]|\p{Nd}$/u.test(text)
  );
}
const isWhole = (cell: Cell): boolean => /^\d{1,4}$/.test(textOf(cell));
const isRoman = (cell: Cell): boolean => /^[ivxlc]{1,7}$/i.test(textOf(cell));
/** A number or bullet of a list item, or `[12]` in a bibliography. */
const isMarker = (cell: Cell): boolean =>
  cell.length === 1 &&
  /^(?:[^\p{L}\p{N}]|\[?\(?[\p{L}\p{N}]{1,3}[.)\]]|\d{1,3}(?:\.\d+)*\.?|\[\p{L}*\d{1,4}\])$/u.test(
    textOf(cell),
  );

const words_mean_max = 4;
const column_words_mean_max = 8;
const filled_share_min = 0.45;
const numbers_share_min = 0.6;

/**
 * Whether the cells look like those of a table. `has_head_rule`: a rule is below the first line.
 */
export function hasTableContent(
  lines: readonly CellLine[],
  columns: readonly Column[],
  has_head_rule: boolean,
): boolean {
  const full = lines.filter(({ cells }) => cells.filter(isFilled).length > 1);
  const count = columns.length;
  if (full.length < 3) return false;
  const cells = full.flatMap((line) => line.cells.filter(isFilled));
  if (cells.length < filled_share_min * full.length * count) return false;
  if (cells.reduce((sum, cell) => sum + cell.length, 0) > words_mean_max * cells.length)
    return false;
  if (share(cells, (cell) => /[:：]$/.test(textOf(cell))) > 0.3) return false;
  if (share(cells, (cell) => /(?:[.·…] ?){4}|_{4}/.test(textOf(cell))) > 0.2) return false;
  const has_words = hasWords(full);
  if (!has_words && !isNumberGrid(full, cells, count) && !isHeadedGrid(full)) return false;
  const column = (at: number): Cell[] => full.map((line) => line.cells[at]!).filter(isFilled);
  const body = (at: number): Cell[] =>
    full
      .slice(1)
      .map((line) => line.cells[at]!)
      .filter(isFilled);
  if (has_words && isContents(column, count)) return false;
  if (columns.some((_column, at) => meanWords(body(at)) > column_words_mean_max)) return false;
  const places = Array.from({ length: count }, (_, at) => at);
  const marked = share(body(0), isMarker) > 0.8 && body(0).length > 1;
  const numbers = places
    .filter((at) => {
      const cells = body(at);
      return cells.length >= 0.4 * (full.length - 1) && share(cells, isValue) >= numbers_share_min;
    })
    .filter((at) => at > 0 || !marked).length;
  const real = marked ? count - 1 : count;
  // All digits have the same width.
  if (has_words && isTypewritten(full)) return real >= 3 && numbers >= 2;
  if (real < 2) return false;
  if (real === 2)
    return (
      full.length >= 4 &&
      numbers >= 1 &&
      !isNumbered(column(count - 1)) &&
      isShort(body(marked ? 1 : 0))
    );
  if (numbers >= 1 || has_head_rule) return true;
  return (
    hasBoldHead(full.map(({ row }) => row)) &&
    full.length >= 4 &&
    cells.length >= 0.7 * full.length * count
  );
}

function share(cells: readonly Cell[], holds: (cell: Cell) => boolean): number {
  return cells.length === 0 ? 0 : cells.filter(holds).length / cells.length;
}

const meanWords = (cells: readonly Cell[]): number =>
  cells.reduce((sum, cell) => sum + cell.length, 0) / Math.max(1, cells.length);

/** Rows of nothing but numbers, larger than a matrix. */
const isNumberGrid = (
  lines: readonly CellLine[],
  cells: readonly Cell[],
  columns: number,
): boolean =>
  lines.length >= 5 &&
  columns >= 3 &&
  cells.length >= 0.85 * lines.length * columns &&
  share(cells, (cell) => isValue(cell) && textOf(cell).length >= 2) >= 0.85;

/** A name above each column, and only numbers below: years and amounts. */
export const isHeadedGrid = ([head, ...body]: readonly CellLine[]): boolean =>
  body.length >= 4 &&
  head!.cells.every((cell) => /\p{L}{2}/u.test(textOf(cell))) &&
  body.every(({ cells }) => cells.every(isValue));

/** Excludes matrices and charts, which have no such names. */
const hasWords = (lines: readonly CellLine[]): boolean =>
  lines.filter(({ cells }) =>
    cells.some((cell) =>
      /\p{L}{3}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(
        textOf(cell),
      ),
    ),
  ).length >=
  0.5 * lines.length;

const isShort = (cells: readonly Cell[]): boolean =>
  cells.length > 0 && share(cells, (cell) => cell.length <= 6) >= 0.8;

/** A table of contents: section numbers, titles, and page numbers. */
function isContents(column: (at: number) => Cell[], count: number): boolean {
  const last = column(count - 1);
  if (last.length < 3) return false;
  if (share(last, (cell) => isWhole(cell) || isRoman(cell)) < 0.8) return false;
  const others = Array.from({ length: count - 1 }, (_, at) => column(at));
  const has_values = others.some(
    (cells) => share(cells, (cell) => isValue(cell) && !isMarker(cell)) > 0.3,
  );
  if (has_values) return false;
  const pages = last.filter(isWhole).map((cell) => Number(textOf(cell)));
  const rising = pages.slice(1).filter((page, at) => page >= pages[at]!).length;
  return rising >= 0.85 * (pages.length - 1);
}

/** Numbered formulas have consecutive numbers in parentheses. */
const isNumbered = (cells: readonly Cell[]): boolean =>
  share(cells, (cell) => /^[([]\d{1,3}(?:\.\d{1,3})*[a-z]?[)\]]$/.test(textOf(cell))) > 0.6;

/** A monospaced font: code, or program output. */
function isTypewritten(lines: readonly CellLine[]): boolean {
  const widths = lines
    .flatMap(({ row }) => row.words)
    .filter(({ text }) => text.length >= 4)
    .map(({ left, right, text, size }) => (right - left) / text.length / size);
  if (widths.length < 4) return false;
  const typical_width = median(widths);
  return (
    widths.filter((width) => Math.abs(width - typical_width) < 0.06 * typical_width).length >
    0.85 * widths.length
  );
}

/** Whether the first row is set in heavier type than the others. */
export function hasBoldHead(rows: readonly TextRow[]): boolean {
  const weightOf = ({ words }: TextRow): number => median(words.map(({ weight }) => weight));
  const body = median(rows.slice(1).map(weightOf));
  return body > 0 && weightOf(rows[0]!) >= 1.25 * body;
}
