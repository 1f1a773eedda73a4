/** A table continued on the next page gets its header on each page. */
import { expect, test } from "bun:test";
import type { Line } from "../../plugins/extraction/child/paragraphs";
import { ContinuedTables } from "../../plugins/extraction/child/tables/continued-tables";

const line = (text: string, base: number): Line => ({
  text,
  base,
  left: 50,
  right: 300,
  size: 10,
  weight: 400,
  hyphenated: false,
});
const table = (rows: string[][], top: number, edges = [50, 200, 300]): Line => ({
  ...line("", top),
  table: { rows, edges, bottom: top - 20 * rows.length },
});
const head = ["Code", "Dues"];
const row_cells = ["T1", "12"];
const two = ["T2", "48"];
const first = [line("Dues of 2024", 740), table([head, row_cells, row_cells], 120), line("1", 40)];

const cases: [reason: string, page: Line[], rows: string[][]][] = [
  ["the header is repeated", [table([two, two], 740)], [head, two, two]],
  [
    "the header is repeated below a running head",
    [line("Dues", 780), table([two, two], 740)],
    [head, two, two],
  ],
  ["the next page already has the header", [table([head, two], 740)], [head, two]],
  ["a different header", [table([["Name", "Age"], two], 740)], [["Name", "Age"], two]],
  ["different column positions", [table([two, two], 740, [50, 120, 300])], [two, two]],
  ["more columns", [table([["T2", "4", "8"]], 740, [50, 200, 300, 400])], [["T2", "4", "8"]]],
  [
    "text in between",
    [...[780, 770, 760, 750].map((base) => line("Some text", base)), table([two, two], 740)],
    [two, two],
  ],
];
test.each(cases)("%s", (_reason, page, rows) => {
  const tables = new ContinuedTables();
  tables.next(first);
  expect(tables.next(page).find((line) => line.table)!.table!.rows).toEqual(rows);
});

test("a table that ends in the middle of a page isn't continued", () => {
  const tables = new ContinuedTables();
  tables.next([...first, ...[30, 20, 10].map((base) => line("Some text", base))]);
  expect(tables.next([table([two, two], 740)])[0]!.table!.rows).toEqual([two, two]);
});

test("a table continues over several pages without a header", () => {
  const tables = new ContinuedTables();
  tables.next(first);
  for (let page = 0; page < 3; page++)
    expect(tables.next([table([two, two], 740)])[0]!.text).toBe(
      "| Code | Dues |\n| --- | --- |\n| T2 | 48 |\n| T2 | 48 |",
    );
});
