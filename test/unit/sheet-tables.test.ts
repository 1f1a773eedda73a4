/** Sheets as tables: which cells form one table, and which stand on their own. */
import { expect, test } from "bun:test";
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
