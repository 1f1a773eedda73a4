/** Runs in the child: writes a table as a pipe table of GitHub-flavoured Markdown. */

/** Rows may have different lengths; a line break in a cell is `\n`. */
export type TableRow = readonly string[];

/**
 * The lines of the table. The first row is the header: a table without one begins with an empty
 * row. Every line has as many cells as the longest row.
 */
export function pipeTable(rows: readonly TableRow[]): string[] {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return [];
  const [head, ...body] = rows.map((row) => pipeRow(row, columns));
  return [head!, delimiterRow(columns), ...body];
}

/**
 * One row with this many cells; surplus cells are left out. Joined at once: a string that grows
 * cell by cell holds all its pieces, several times its memory.
 */
export function pipeRow(row: TableRow, columns: number): string {
  const cells: string[] = [];
  for (let at = 0; at < columns; at++) cells.push(pipeCell(row[at] ?? ""));
  return columns === 0 ? "|" : `| ${cells.join(" | ")} |`;
}

/** The line between the header and the other rows. */
export const delimiterRow = (columns: number): string => `|${" --- |".repeat(columns)}`;

/**
 * A cell on one line. Only characters that would end the cell, or be read as an escape or a line
 * break, are escaped: everything else stays unchanged, so that it can be found and quoted.
 */
function pipeCell(text: string): string {
  const plain = text.trim();
  if (!/[^\S ]| {2}|[|\\<]/.test(plain)) return plain;
  return plain
    .replace(/[^\S\n\r\u2028\u2029]+/g, " ")
    .replace(/\\(?=[!-/:-@[-`{-~]|\s|$)|\||<(?=br\b)/gi, String.raw`\$&`)
    .replace(/ ?[\n\r\u2028\u2029][\s\u2028\u2029]*/g, "<br>");
}
