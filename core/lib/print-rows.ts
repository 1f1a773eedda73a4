/** Lists on the command line: a table for people, JSON for programs. */

export type PrintedRow = Readonly<
  Record<string, string | number | boolean | readonly string[] | null>
>;

/** How a list is printed. */
export interface PrintOptions {
  readonly json: boolean;
  /** Printed for people when there are no rows. */
  readonly empty: string;
  readonly print: (line: string) => void;
}

/** Rows as one JSON array for programs, or as a table with aligned columns for people. */
export function printRows(rows: readonly PrintedRow[], { json, empty, print }: PrintOptions): void {
  if (json) return print(JSON.stringify(rows, null, 2));
  if (rows.length === 0) return print(empty);
  const titles = Object.keys(rows[0]!);
  const cells = [
    titles.map((title) => title.replaceAll("_", " ")),
    ...rows.map((row) => titles.map((title) => cellOf(row[title]!))),
  ];
  const widths = titles.map((_title, column) =>
    Math.max(...cells.map((line) => line[column]!.length)),
  );
  for (const line of cells)
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
}

const cellOf = (value: PrintedRow[string]): string =>
  value === null || value === undefined
    ? "-"
    : typeof value === "boolean"
      ? value
        ? "yes"
        : "no"
      : typeof value === "object"
        ? value.join(",")
        : String(value);
