/** Rows of Markdown pipe tables, as lines of a text. */

/** The cells of a row, unescaped; null when the line is not a row. */
export function pipeCells(line: string): string[] | null {
  const row = line.trim();
  if (row.length < 3 || !row.startsWith("|") || !/(?<!\\)(?:\\\\)*\|$/.test(row)) return null;
  const cells: string[] = [];
  let cell = "";
  for (let at = 1; at < row.length; at++) {
    const char = row[at]!;
    if (char === "\\" && at + 1 < row.length && /[!-/:-@[-`{-~]/.test(row[at + 1]!))
      cell += row[++at]!;
    else if (char === "|") {
      cells.push(cell.replace(/<br ?\/?>/gi, " ").trim());
      cell = "";
    } else cell += char;
  }
  return cells;
}

/** Whether the line is the delimiter between the head of a table and its rows. */
export const isDelimiterRow = (line: string): boolean => /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line);
