/** Which part of a sentence is quoted, and its form in an answer. Pure. */
import { codeBlocks } from "../../core/lib/code-blocks";
import { outsideCode } from "../../core/lib/code-ranges";
import { isDelimiterRow, pipeCells } from "../../core/lib/pipe-rows";
import type { Span } from "../search/contract";

/** Between the headings of a path, as in the index. */
const separator = " › ";
const marked_heading = /^\s*#{1,6}[ \t][^\n]*\n\s*/;
/** The markup of a heading or list, which would take effect in the answer. */
const line_mark = /^\s*(?:#{1,6}|[-*+])[ \t]+/;

/**
 * The span without the headings of its passage at its beginning: each on lines of its own, with
 * more text after it.
 */
export function belowHeadings(text: string, { start, end }: Span, heading: string | null): Span {
  let from = start;
  const skip = (pattern: RegExp): void => {
    const length = pattern.exec(text.slice(from, end))?.[0].length ?? 0;
    if (length < end - from) from += length;
  };
  for (const heading_part of heading?.split(separator) ?? []) skip(lineOf(heading_part));
  for (let before = -1; before < from;) {
    before = from;
    skip(marked_heading);
  }
  return { start: from, end };
}

/** Matches the heading on lines of its own, however they are broken. */
const lineOf = (heading: string): RegExp =>
  new RegExp(
    `^\\s*(?:#{1,6}[ \\t]+)?${heading.trim().split(/\s+/).map(escaped).join("\\s+")}[ \\t]*\\n\\s*`,
    "u",
  );
const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

const ended = /[.!?。！？．।۔؟։።…:：;]["'”’»)\]*_]*$/u;
/** Whether a sentence ends with punctuation, unlike a heading or a line of a list. */
export const isEnded = (sentence: string): boolean => ended.test(sentence.trimEnd());

/** An index in a program, `rows[2]`, would be taken for the marker of a citation. */
export const readsAsMarker = (code: string): boolean => /\[\d+\]/.test(code);

/**
 * The quote in an answer, with its marker: prose on one line, code unchanged in a block of its own.
 * Code that looks like a marker is left to the citation. `is_code`: lines from a block whose fences
 * are not part of the quote.
 */
export function withMarker(quote: string, marker: string, is_code: boolean): string {
  const blocks = codeBlocks(quote);
  if (is_code && blocks.length === 0) return `${fenced(quote)}\n${marker}`;
  const paragraphs: string[] = [];
  let prose_start = 0;
  let is_marked = false;
  const addProse = (end: number): void => {
    const line = onOneLine(quote.slice(prose_start, end));
    if (line !== "") paragraphs.push(is_marked ? line : `${line} ${marker}`);
    is_marked ||= line !== "";
  };
  for (const { start, end, code_start, code_end } of blocks) {
    addProse(start);
    prose_start = end;
    const code = quote.slice(code_start, code_end);
    if (!readsAsMarker(code)) paragraphs.push(fenced(code));
  }
  addProse(quote.length);
  return is_marked ? paragraphs.join("\n\n") : [...paragraphs, marker].join("\n");
}

const fenced = (code: string): string => {
  const fence = "`".repeat(Math.max(3, 1 + longestOf(code.match(/`+/g) ?? [])));
  return `${fence}\n${code}\n${fence}`;
};
/** Joins several quotes in one answer, with code in paragraphs of its own. */
export const joinQuotes = (quotes: readonly string[]): string =>
  quotes.reduce((answer, quote) => {
    const is_apart = quote.startsWith("```") || /```(?:\n\[\d+\])?$/.test(answer);
    return `${answer}${is_apart ? "\n\n" : " "}${quote}`;
  });
const longestOf = (parts: readonly string[]): number =>
  Math.max(0, ...parts.map(({ length }) => length));

/** A line break between two of these characters is not a space. */
const spaceless =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff01-\\uff65]";
const spaceless_end = new RegExp(`${spaceless}$`, "u");
const spaceless_start = new RegExp(`^${spaceless}`, "u");

/** With all the spaces before it: read from their first one only, in linear time. */
const bracketed_number = /(?<!\s)\s*\[\d{1,3}\]/g;
const withoutFootnotes = (prose: string): string => prose.replace(bracketed_number, "");

/**
 * On one line, without anything that looks like a marker. Cells and rows of a table stay separate,
 * because they don't form a sentence.
 */
export function onOneLine(sentence: string): string {
  let one_line = "";
  let was_row = false;
  for (const raw_line of outsideCode(sentence, withoutFootnotes).split(/\n/)) {
    const line = raw_line.replace(line_mark, "");
    if (isDelimiterRow(line)) continue;
    const raw_cells = pipeCells(line) ?? line.split("\t");
    const cells = raw_cells.flatMap((cell) => cell.replace(/\s+/g, " ").trim() || []);
    if (cells.length === 0) continue;
    const is_row = cells.length > 1;
    const is_wrapped = spaceless_end.test(one_line) && spaceless_start.test(cells[0]!);
    one_line += one_line === "" ? "" : is_row || was_row ? " / " : is_wrapped ? "" : " ";
    one_line += cells.join(" | ");
    was_row = is_row;
  }
  return one_line;
}
