/** Builds a table from the words of its cells, if it qualifies. */
import { cellText, runsLeftward } from "./cell-text";
import { around, type Box, type Table, type Word } from "./geometry";
import type { Cells } from "./logical-rows";

/** The table; null if less than this share of it is filled. */
export function makeTable(
  rows: readonly Cells[],
  edges: readonly number[],
  box: Box | null,
  filled_share_min = 0.12,
): Table | null {
  const words = rows.flat(2);
  if (!isTable(rows, filled_share_min)) return null;
  const leftward = runsLeftward(words);
  const texts = rows.map((cells) => cells.map((cell) => cellText(cell, leftward)));
  return {
    ...around(box === null ? words : [box, ...words]),
    words,
    edges,
    leftward,
    rows: leftward ? texts.map((row) => row.toReversed()) : texts,
  };
}

const full_rows_share_min = 0.4;
function isTable(rows: readonly Cells[], filled_share_min: number): boolean {
  const filled = rows.map((cells) => cells.filter(isFilled).length);
  const columns = rows[0]?.length ?? 0;
  const used = Array.from({ length: columns }, (_, at) =>
    rows.some((cells) => isFilled(cells[at]!)),
  );
  const sum = filled.reduce((all, length) => all + length, 0);
  return (
    filled.filter((count) => count > 0).length >= 2 &&
    // Excludes charts, which have scattered words.
    filled.filter((count) => count > 1).length >= full_rows_share_min * rows.length &&
    used.filter(Boolean).length >= 2 &&
    filled.some((count) => count >= 2) &&
    sum >= 3 &&
    sum >= filled_share_min * rows.length * columns
  );
}
const isFilled = (cell: readonly Word[]): boolean => cell.length > 0;
