/**
 * Runs in the child: splits a sheet into parts: title lines above a table, tables below each other,
 * and tables side by side. When in doubt, a sheet is one table.
 */

/** A row with its non-blank cells, from left to right. */
export interface SheetRow {
  readonly row: number;
  readonly columns: number[];
  readonly texts: string[];
  /** Whether each is a number, a date or a boolean. */
  readonly numeric: boolean[];
}
/** A table with its first and last column. */
export interface Area {
  readonly rows: readonly SheetRow[];
  readonly left: number;
  readonly right: number;
}
type IsMerged = (row: number, column: number) => boolean;

/** Empty rows that separate two tables if nothing else does … */
const gap_of_tables = 2;
/** … and that separate unrelated parts. */
const gap_max = 10;

/** Titles are texts. `isMerged`: whether a cell spans several columns. */
export function partsOf(rows: readonly SheetRow[], isMerged: IsMerged): (string | Area)[] {
  return sections(rows).flatMap((section) => {
    const { titles, table } = withoutTitles(section, isMerged);
    return [...titles, ...sideBySide(table)];
  });
}
const areaOf = (rows: readonly SheetRow[]): Area => ({
  rows,
  left: rows.reduce((least, { columns }) => Math.min(least, columns[0]!), Infinity),
  right: rows.reduce((most, { columns }) => Math.max(most, columns.at(-1)!), 0),
});

/** Splits where an empty row is followed by another table. */
function sections(rows: readonly SheetRow[]): SheetRow[][] {
  const parts: SheetRow[][] = [];
  /** Rows of several cells in the last part: two of them make it a table. */
  let wide_rows = 0;
  for (const [at, row] of rows.entries()) {
    const section = parts.at(-1);
    const gap = section === undefined ? 0 : row.row - section.at(-1)!.row - 1;
    if (section === undefined || (gap > 0 && beginsTable(wide_rows > 1, rows, at, gap))) {
      parts.push([row]);
      wide_rows = 0;
    } else section.push(row);
    if (row.columns.length > 1) wide_rows++;
  }
  return parts;
}
/** `follows_table`: whether the part above the gap is a table. */
function beginsTable(
  follows_table: boolean,
  rows: readonly SheetRow[],
  at: number,
  gap: number,
): boolean {
  if (gap > gap_max) return true;
  if (!follows_table) return false;
  const titles = rows.slice(at, at + titles_max).findIndex((row) => row.columns.length > 1);
  const head = rows[at + Math.max(0, titles)]!;
  const body = rows[at + Math.max(0, titles) + 1];
  if (body === undefined || head.columns.length < 2 || body.row !== head.row + 1) return false;
  return gap >= gap_of_tables || titles > 0 || isHead(head, body, rows, at);
}
const titles_max = 4;

/** Whether a row of texts names the columns of the numeric rows below it. */
function isHead(head: SheetRow, body: SheetRow, rows: readonly SheetRow[], at: number): boolean {
  if (head.numeric.includes(true) || !body.numeric.includes(true)) return false;
  const named = new Set(head.columns);
  let last = body.row;
  for (const row of rows.slice(at + 1, at + 1 + rows_looked_at)) {
    if (row.row > last + 1) break;
    last = row.row;
    if (row.columns.some((column) => !named.has(column))) return false;
  }
  return true;
}
const rows_looked_at = 20;

/** Rows of one cell above a table are its title if an empty row follows, or the cell is wide. */
function withoutTitles(
  rows: readonly SheetRow[],
  isMerged: IsMerged,
): { readonly titles: string[]; readonly table: readonly SheetRow[] } {
  const titles: string[] = [];
  const first = rows.findIndex(({ columns }) => columns.length > 1);
  const table = rows.slice(Math.max(0, first));
  if (first < 1 || first > titles_max || table.length < 2) return { titles, table: rows };
  const above = rows.slice(0, first);
  const apart = table[0]!.row - above.at(-1)!.row > 1;
  const { left, right } = areaOf(table);
  for (const { row, columns, texts } of above) {
    const [column] = columns as [number];
    if (!apart && !(isMerged(row, column) && column <= left && right > left))
      return { titles: [], table: rows };
    titles.push(texts[0]!);
  }
  return { titles, table };
}

/** The last cells of a table may be empty, but not in this many rows. */
const rows_apart_min = 2;

/**
 * Splits between two tables that differ in their first or last row, at the only empty columns: a
 * table whose first row names all its columns has none.
 */
function sideBySide(rows: readonly SheetRow[]): Area[] {
  const total_area = areaOf(rows);
  if (rows.length < 2) return [total_area];
  const last_of_left = onlyGap(rows);
  if (last_of_left === null) return [total_area];
  const left = columnsOf(rows, (column) => column <= last_of_left);
  const right = columnsOf(rows, (column) => column > last_of_left);
  const apart =
    left[0]!.row !== right[0]!.row ||
    Math.abs(left.at(-1)!.row - right.at(-1)!.row) >= rows_apart_min;
  return apart && hasOwnHead(left) && hasOwnHead(right)
    ? [areaOf(left), areaOf(right)]
    : [total_area];
}
/** The column before the empty ones; null if there are none, or in several places. */
function onlyGap(rows: readonly SheetRow[]): number | null {
  const used = new Set<number>();
  for (const { columns } of rows) for (const column of columns) used.add(column);
  const sorted = [...used].toSorted((a, b) => a - b);
  const before_gap = sorted.filter((column, at) => at > 0 && column > sorted[at - 1]! + 1);
  const [first, ...others] = before_gap;
  return first === undefined || others.length > 0 ? null : sorted[sorted.indexOf(first) - 1]!;
}
/** Whether the first row names all columns, with numbers below. */
function hasOwnHead(rows: readonly SheetRow[]): boolean {
  const [head, body] = rows;
  if (head === undefined || body === undefined) return false;
  const { left, right } = areaOf(rows);
  return right > left && head.columns.length === right - left + 1 && isHead(head, body, rows, 0);
}
function columnsOf(rows: readonly SheetRow[], is: (column: number) => boolean): SheetRow[] {
  return rows.flatMap(({ row, columns, texts, numeric }) => {
    const places = columns
      .keys()
      .filter((at) => is(columns[at]!))
      .toArray();
    return places.length === 0
      ? []
      : [
          {
            row,
            columns: places.map((at) => columns[at]!),
            texts: places.map((at) => texts[at]!),
            numeric: places.map((at) => numeric[at]!),
          },
        ];
  });
}
