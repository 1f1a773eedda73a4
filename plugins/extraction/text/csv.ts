/**
 * CSV and similar formats as pipe tables, with title lines above them as paragraphs. A file that is
 * too long for that is written row by row.
 */
import { Grid } from "../child/grid";
import { delimiterRow, pipeRow } from "../child/pipe-table";

const delimiters = [",", ";", "\t", "|"];
/** How much is inspected to detect the delimiter, in UTF-16 units. */
const sample_chars = 64 * 1024;
/** A longer quoted cell was never closed: its quote is an ordinary character. */
const cell_chars_max = 100_000;
/** The widest sheet of any program: the last cell of a wider row is the rest of its line. */
const cells_max = 16_384;
/** The lines of a long table are passed on in parts of about this length, UTF-16 units. */
const part_chars = 1024 * 1024;
/** The most title lines above a table. */
const titles_max = 10;
/** The share of rows that must have the same number of cells. */
const even_min = 0.9;

interface Cell {
  readonly text: string;
  readonly end: number;
}
const number_like = /^[\p{Sc}\s(+\u2212-]*\d[\d.,'\s:/-]*(?:[%)\p{Sc}]|e[+-]?\d+)*$/iu;

/**
 * The character between the cells: the one that makes most rows equally long, otherwise the one
 * that makes them longest; null if this is not a table.
 */
export function delimiterOf(text: string): string | null {
  const announced = /^\ufeff?sep=(.)\n/.exec(text)?.[1];
  if (announced !== undefined) return announced;
  const sample = text.slice(0, sample_chars);
  const counted = delimiters
    .map((delimiter) => {
      const widths = widthsOf(sample, delimiter);
      if (sample.length < text.length) widths.pop();
      const [titles, width] = mostUsual(widths);
      const table = widths.slice(titles);
      const even =
        table.filter((row_width) => row_width === width).length / Math.max(1, table.length);
      return { delimiter, width, titles, is_even: even > even_min, rows: table.length };
    })
    // Lines without the delimiter above a table, or a text that merely contains it.
    .filter(
      ({ width, titles, is_even, rows }) => width > 1 && (titles === 0 || (is_even && rows > 1)),
    );
  counted.sort(
    (a, b) => Number(b.is_even) - Number(a.is_even) || a.titles - b.titles || b.width - a.width,
  );
  return counted[0]?.delimiter ?? null;
}
function widthsOf(text: string, delimiter: string): number[] {
  const widths: number[] = [];
  for (const row of rowsOf(text, delimiter))
    if (row.length > 1 || row[0] !== "") widths.push(row.length);
  return widths;
}
/** The number of leading one-cell lines, and the number of cells in the row after them. */
function mostUsual(widths: readonly number[]): [titles: number, width: number] {
  const first = widths.findIndex((width) => width > 1);
  return first < 0 || first > titles_max ? [0, 1] : [first, widths[first]!];
}

/** The tables in the text. */
export function tabulate(text: string, delimiter: string): string {
  const grid = new Grid(() => {});
  const rows = [...rowsOf(withoutMark(text), delimiter)];
  /** Line ends that were doubled in transit. */
  const doubled = 5 * rows.filter(isBlank).length > 2 * rows.length;
  const titles: { row: number; column: number; rows: number; columns: number }[] = [];
  let row = 0;
  for (const cells of rows) {
    if (doubled && isBlank(cells)) continue;
    if (cells.length === 1) titles.push({ row, column: 0, rows: 1, columns: 2 });
    for (const [column, cell] of cells.entries())
      grid.add(row, column, cell, number_like.test(cell));
    row++;
  }
  return grid
    .blocks("", titles)
    .map((block) => block.text)
    .join("\n\n");
}
const isBlank = (row: readonly string[]): boolean => row.length === 1 && row[0]!.trim() === "";
const withoutMark = (text: string): string => text.replace(/^\ufeff?sep=.\n/, "");

/** A table that is too long for memory: its rows, as they come. */
export class LongTable {
  private buffered = "";
  private columns = 0;
  private is_first = true;
  /** A row that is not complete yet is looked at again when it is twice as long. */
  private next_length = 0;

  constructor(private readonly delimiter: string) {}

  /** The lines of the rows that are complete, in parts. */
  *add(text: string): Generator<string> {
    this.buffered =
      this.is_first && this.columns === 0
        ? withoutMark(this.buffered + text)
        : this.buffered + text;
    if (this.columns === 0)
      this.columns = Math.max(...widthsOf(this.buffered.slice(0, sample_chars), this.delimiter));
    if (this.buffered.length < this.next_length) return;
    const { length } = this.buffered;
    yield* this.take(length - 2 * cell_chars_max);
    this.next_length = this.buffered.length < length ? 0 : 2 * length;
  }
  /** What is left at the end of the file. */
  *end(): Generator<string> {
    yield* this.take(this.buffered.length);
  }

  /** The rows that end before this position. */
  private *take(before: number): Generator<string> {
    let lines: string[] = [];
    let characters = 0;
    let consumed = 0;
    for (const { row, end } of placedRowsOf(this.buffered, this.delimiter)) {
      if (end > before) break;
      consumed = end;
      if (isBlank(row)) continue;
      const line = pipeRow(this.fitted(row), this.columns);
      lines.push(`${line}\n`);
      if (this.is_first) lines.push(`${delimiterRow(this.columns)}\n`);
      this.is_first = false;
      characters += line.length;
      if (characters < part_chars) continue;
      yield lines.join("");
      lines = [];
      characters = 0;
    }
    yield lines.join("");
    this.buffered = this.buffered.slice(consumed);
  }
  /** Surplus cells are joined to the last one. */
  private fitted(row: readonly string[]): readonly string[] {
    const { columns } = this;
    return row.length <= columns
      ? row
      : [...row.slice(0, columns - 1), row.slice(columns - 1).join(`${this.delimiter} `)];
  }
}

/** Row after row, in linear time. */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
  for (const { row } of placedRowsOf(text, delimiter)) yield row;
}
/** With the position after each. */
function* placedRowsOf(
  text: string,
  delimiter: string,
): Generator<{ readonly row: string[]; readonly end: number }> {
  let row: string[] = [];
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length;) {
    const cell =
      row.length === cells_max - 1
        ? restOfLine(text, at)
        : ((text[at] === '"' ? quotedCell(text, at, delimiter) : null) ??
          bareCell(text, at, delimiter));
    row.push(cell.text);
    at = cell.end + 1;
    if (text[cell.end] === delimiter && at < text.length) continue;
    yield { row, end: Math.min(at, text.length) };
    row = [];
  }
}
function bareCell(text: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end++;
  return { text: text.slice(from, end), end };
}
function restOfLine(text: string, from: number): Cell {
  const line_end = text.indexOf("\n", from);
  const end = line_end < 0 ? text.length : line_end;
  return { text: text.slice(from, end), end };
}
/** Null if the quote is an ordinary character: it is not closed, or more text follows it. */
function quotedCell(text: string, from: number, delimiter: string): Cell | null {
  const parts: string[] = [];
  for (let at = from + 1; at - from < cell_chars_max;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return null;
    parts.push(text.slice(at, quote));
    if (text[quote + 1] !== '"') {
      const end = quote + 1;
      return end >= text.length || text[end] === delimiter || text[end] === "\n"
        ? { text: parts.join(""), end }
        : null;
    }
    parts.push('"');
    at = quote + 2;
  }
  return null;
}
