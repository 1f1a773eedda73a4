/** Rows of pipe tables are read back as they were written. */
import { expect, test } from "bun:test";
import { isDelimiterRow, pipeCells } from "../../core/lib/pipe-rows";
import { delimiterRow, pipeRow } from "../../plugins/extraction/child/pipe-table";

const rows: [reason: string, cells: string[]][] = [
  ["plain cells", ["South", "95"]],
  ["empty cells", ["", "95", ""]],
  ["a pipe", ["a|b", "c"]],
  ["a backslash before a pipe, and at the end", ["a\\|b", "c\\"]],
  ["other backslashes", ["C:\\temp", "\\*"]],
];
test.each(rows)("%s", (_reason, cells) => {
  expect(pipeCells(pipeRow(cells, cells.length))).toEqual(cells);
});
test("a line break in a cell is a space", () => {
  expect(pipeCells(pipeRow(["a\nb"], 1))).toEqual(["a b"]);
});
test.each([["no pipe"], ["| one"], ["a | b"], ["|"], ["||"], ["| a \\|"]])(
  "%j is not a row",
  (line) => {
    expect(pipeCells(line)).toBeNull();
  },
);
test.each([
  [delimiterRow(1), true],
  ["|:--|--:|", true],
  ["| a | b |", false],
  ["---", false],
])("%j is a delimiter row: %p", (line, is) => {
  expect(isDelimiterRow(line)).toBe(is);
});
