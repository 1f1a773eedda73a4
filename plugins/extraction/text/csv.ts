/** CSV and the like as text: a line for each row, tabs between the cells. */

const delimiters = [",", ";", "\t", "|"];
/** How much is inspected to detect the delimiter, UTF-16 units. */
const sample_chars = 64 * 1024;
/** A quoted cell that is longer was never closed: its quote is an ordinary character. */
const cell_chars_max = 100_000;

interface Cell {
  readonly text: string;
  readonly end: number;
}

/**
 * The character between the cells: the one that makes all rows equally long, else the one that
 * makes the first row longest; null when this is no table.
 */
export function delimiterOf(text: string): string | null {
  const sample = text.slice(0, sample_chars);
  const counted = delimiters
    .map((delimiter) => {
      const widths: number[] = [];
      for (const row of rowsOf(sample, delimiter))
        if (row.length > 1 || row[0] !== "") widths.push(row.length);
      if (sample.length < text.length) widths.pop();
      const first = widths[0] ?? 1;
      return {
        delimiter,
        first,
        even: widths.filter((width) => width === first).length / Math.max(1, widths.length),
      };
    })
    .filter(({ first }) => first > 1);
  counted.sort(
    (one, other) => Number(other.even > 0.9) - Number(one.even > 0.9) || other.first - one.first,
  );
  return counted[0]?.delimiter ?? null;
}

/** The table with tabs between its cells. */
export function tabulate(text: string, delimiter: string): string {
  const lines: string[] = [];
  for (const row of rowsOf(text, delimiter))
    lines.push(
      row
        .map((cell) => cell.replace(/\s+/g, " ").trim())
        .join("\t")
        .trimEnd(),
    );
  return lines.join("\n");
}

/** Row after row, in linear time. */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
  let row: string[] = [];
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length;) {
    const cell =
      text[at] === '"'
        ? (quotedCell(text, at, delimiter) ?? bareCell(text, at, delimiter))
        : bareCell(text, at, delimiter);
    row.push(cell.text);
    at = cell.end + 1;
    if (text[cell.end] === delimiter && at < text.length) continue;
    yield row;
    row = [];
  }
}
function bareCell(text: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end++;
  return { text: text.slice(from, end), end };
}
/** Null when the quote is an ordinary character: it is not closed, or more follows it. */
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
