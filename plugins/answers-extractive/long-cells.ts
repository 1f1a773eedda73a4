/** Sentences in long cells of tables, of which a whole row would be too much of an answer. Pure. */
import type { Span } from "../search/contract";

/** A shorter row is quoted as a whole; UTF-16 units. */
const row_chars_min = 300;
const label_chars_max = 60;

/** A sentence of a cell; UTF-16 indices into the text of the row. */
export interface CellSentence extends Span {
  /** The first cell, which says what the row is about; "" when that is long, or the cell itself. */
  readonly label: string;
}

/** The sentences of the cells that have several; null when the row should stay whole. */
export function cellSentences(
  row: string,
  sentencesOf: (text: string) => readonly Span[],
): readonly CellSentence[] | null {
  // Escapes and tags would be quoted as they are.
  if (row.length < row_chars_min || !row.startsWith("|") || /[\\\n<]/.test(row)) return null;
  const cells = [...row.matchAll(/[^|]+/g)].map(({ 0: text, index }) => ({
    start: index,
    sentences: sentencesOf(text),
    text: text.trim(),
  }));
  const first = cells.find(({ text }) => text !== "");
  const found = cells.flatMap((cell) => {
    const label = cell === first || first!.text.length > label_chars_max ? "" : first!.text;
    if (cell.sentences.length < 2) return [];
    return cell.sentences.map(({ start, end }) => ({
      start: cell.start + start,
      end: cell.start + end,
      label,
    }));
  });
  return found.length === 0 ? null : found;
}
