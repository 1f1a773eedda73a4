/** Tables in a model's Markdown: where the marks of a row go, and which rows are complete. */
import { isDelimiterRow, pipeCells } from "../../core/lib/pipe-rows";

/** A longer row is checked in parts. */
const row_chars_max = 1_000;
const lastLine = (text: string): string => text.slice(text.lastIndexOf("\n") + 1);

/** Whether the text ends in the delimiter below the head of a table. */
export const isTableHead = (text: string): boolean => isDelimiterRow(lastLine(text.trimEnd()));

/**
 * The length of a statement without what follows its mark: in a row, that is inside the last cell;
 * in a head, above the delimiter.
 */
export function statementLength(text: string): number {
  let statement = text.trimEnd();
  if (isTableHead(statement)) statement = statement.slice(0, -lastLine(statement).length).trimEnd();
  if (pipeCells(statement) !== null) statement = statement.slice(0, -1);
  let end = statement.length;
  while (end > 0 && /[\s.!?…。！？:;]/.test(statement[end - 1]!)) end--;
  return end;
}

/** Markers behind a row would be a cell of their own. */
const markers_behind = /[ \t]?\|[ \t]*((?:\[\d+\])+)(?=\s*$)/;
/** The row with the markers behind it in its last cell. */
export const withMarkersInRow = (text: string): string =>
  text.trimStart().startsWith("|") ? text.replace(markers_behind, " $1 |") : text;

/**
 * How much of a growing text has complete rows. A line that may become a delimiter belongs to the
 * row above it.
 */
export function completeRowsLength(text: string): number {
  const line = lastLine(text);
  if (!line.startsWith("|") || line.length > row_chars_max) return text.length;
  const start = text.length - line.length;
  return /^\|[-:| \t]*$/.test(line) ? start - 1 : start;
}
