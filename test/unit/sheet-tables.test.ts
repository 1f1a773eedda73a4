/** Sheets as tables: which cells form one table, and which stand on their own. */
import { describe, expect, test } from "bun:test";
import { Grid, type MergedArea } from "../../plugins/extraction/child/grid";

/** One line per row, cells separated by bars; cells that start with a digit are numeric. */
function blocksOf(sheet: string, merged: readonly MergedArea[] = []): string[] {
  const grid = new Grid(() => {});
  for (const [row, line] of sheet.split("\n").entries())
    for (const [column, cell] of line.split("|").entries())
      grid.add(row, column, cell, /^\s*\d/.test(cell));
  return grid.blocks("", merged).map(({ text }) => text);
}
const wide: MergedArea = { row: 0, column: 0, rows: 1, columns: 2 };

const cases: [reason: string, sheet: string, blocks: string[], merged?: MergedArea[]][] = [
  ["an empty sheet has no blocks", "||", []],
  ["a single cell is a paragraph", "|note", ["note"]],
  [
    "inner empty rows and columns are kept, outer ones dropped",
    "\n|a||b\n\n|1||2",
    ["| a |  | b |\n| --- | --- | --- |\n|  |  |  |\n| 1 |  | 2 |"],
  ],
  [
    "a total below an empty row belongs to the table",
    "part|stock\nrope|7\n\ntotal|7",
    ["| part | stock |\n| --- | --- |\n| rope | 7 |\n|  |  |\n| total | 7 |"],
  ],
  [
    "a title above an empty row is a paragraph of its own",
    "Stock of May\n\npart|stock\nrope|7",
    ["Stock of May", "| part | stock |\n| --- | --- |\n| rope | 7 |"],
  ],
  [
    "so is a title merged over all columns",
    "Stock of May\npart|stock\nrope|7",
    ["Stock of May", "| part | stock |\n| --- | --- |\n| rope | 7 |"],
    [wide],
  ],
  [
    "a block with its own header below an empty row is a table of its own",
    "part|stock\nrope|7\n\nday|ships\nMonday|3",
    [
      "| part | stock |\n| --- | --- |\n| rope | 7 |",
      "| day | ships |\n| --- | --- |\n| Monday | 3 |",
    ],
  ],
  [
    "tables side by side that end in different rows are separate",
    "part|stock||day|ships\nrope|7||Monday|3\n|||Tuesday|4\n|||Friday|5",
    [
      "| part | stock |\n| --- | --- |\n| rope | 7 |",
      "| day | ships |\n| --- | --- |\n| Monday | 3 |\n| Tuesday | 4 |\n| Friday | 5 |",
    ],
  ],
  [
    "columns beside an empty one belong to the same table",
    "no|name||unit|value\n1|Voltage||kV|130\n2|Place||  |indoors\n3|Notes",
    [
      "| no | name |  | unit | value |\n| --- | --- | --- | --- | --- |\n" +
        "| 1 | Voltage |  | kV | 130 |\n| 2 | Place |  |  | indoors |\n| 3 | Notes |  |  |  |",
    ],
  ],
  [
    "only the first of merged cells has a value",
    "Ships|left\nin|out",
    ["| Ships |  |\n| --- | --- |\n| in | out |"],
    [wide],
  ],
  [
    "a column of prose becomes paragraphs",
    `Remarks\n${"word ".repeat(50)}`,
    ["Remarks", "word ".repeat(50).trim()],
  ],
];
for (const [reason, sheet, blocks, merged] of cases)
  test(reason, () => {
    expect(blocksOf(sheet, merged)).toEqual(blocks);
  });

test("a nearly empty sheet does not become a table of its full size", () => {
  const grid = new Grid(() => {});
  for (let at = 0; at < 2_000; at++) grid.add(at, at, `x${at}`);
  const [block] = grid.blocks("");
  expect(block!.text.length).toBeLessThan(20_000);
});

test("many small sparse tables don't either", () => {
  const grid = new Grid(() => {});
  for (let at = 0; at < 500; at++) {
    for (let column = 0; column < 100; column++) grid.add(100 * at, 11 * column, "x");
    for (let below = 1; below < 18; below++) grid.add(100 * at + below, 0, "x");
  }
  const length = grid.blocks("").reduce((sum, { text }) => sum + text.length, 0);
  expect(length).toBeLessThan(2_000_000);
});

describe("hostile sheets take linear time:", () => {
  const empty_columns = Array.from({ length: 8_000 }, () => "a|").join("|");
  const many = Array.from({ length: 16_000 }, () => "a|").join("");
  const numbers = many.replaceAll("a", "1");
  const sheets: [string, string][] = [
    ["empty rows below a row of two cells", `a|b\n${"x\nx\nx\n\n".repeat(60_000)}`],
    ["empty columns between all others", `${empty_columns}\n`.repeat(8)],
    ["wide headers", `a|b\nc|d\n\n${many}\n${`${numbers}\n`.repeat(19)}\n`.repeat(3)],
  ];
  for (const [reason, sheet] of sheets) test(reason, () => expect(blocksOf(sheet)).not.toBeEmpty());
  test("cells far apart", () => {
    const grid = new Grid(() => {});
    for (let row = 0; row < 6_000_000; row += 20) {
      grid.add(row, 0, "a");
      grid.add(row, 16_000, "b");
    }
    expect(grid.blocks("")).toHaveLength(300_000);
  });
  test("areas that are merged again and again", () => {
    const area: MergedArea = { row: 1, column: 0, rows: 500, columns: 500 };
    const merged = Array.from({ length: 2_000 }, () => area);
    expect(blocksOf("Ships|left\nin|out", merged)).not.toBeEmpty();
  });
});
