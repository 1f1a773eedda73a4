/** Recognises text that looks like a table: lists, and columns of running text beside figures. */

/** The mark of a list item, alone in a cell: `(1)`, `2.`, `a)`, `•`. */
const item_mark = /^(?:\(?(?:\d{1,2}|\p{L})[.)]|[•‣▪◦●○■□–])$/u;
/** The number of a section, before its title: `5.1`. */
const section_number = /^\d{1,2}(?:\.\d{1,2})+$/;
const title_start = /^\p{Lu}[\p{L}\p{N}]/u;
/** A list has at least this many items. */
const items_min = 2;
const items_share_min = 0.5;

/** Words of a line that is more than a label. */
const words_min = 4;
const ended = /[.!?:;][)\]"'”’»]*$/u;
const continued = /^\p{Ll}/u;
/** Sentences that continue in the next row in several columns: this many are no chance. */
const continued_rows_min = 2;

/** Whether the rows of a table are rather a list, or lines of text beside each other. */
export const isMisreadText = (rows: readonly (readonly string[])[]): boolean =>
  isList(rows) || isRunningText(rows);

/** Two columns: marks or numbers, and items or titles, perhaps with further lines of these. */
function isList(rows: readonly (readonly string[])[]): boolean {
  if (rows.some((row) => row.length !== 2)) return false;
  const items = rows.filter(
    ([mark, text]) =>
      item_mark.test(mark!) || (section_number.test(mark!) && title_start.test(text!)),
  );
  const others = rows.filter((row) => !items.includes(row));
  return (
    items.length >= Math.max(items_min, items_share_min * rows.length) &&
    others.every(([mark]) => mark === "")
  );
}

function isRunningText(rows: readonly (readonly string[])[]): boolean {
  const continues = rows.slice(1).filter((row, at) => {
    const columns = row.filter((cell, column) => {
      const above = rows[at]![column]!;
      return continued.test(cell) && !ended.test(above) && above.split(/\s+/).length >= words_min;
    });
    return columns.length >= 2;
  });
  return continues.length >= continued_rows_min;
}
