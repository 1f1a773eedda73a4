/** Pipe tables: what a cell may hold, and rows of different lengths. */
import { expect, test } from "bun:test";
import { pipeTable } from "../../plugins/extraction/child/pipe-table";

const cases: [reason: string, rows: string[][], lines: string[]][] = [
  ["no rows give no table", [], []],
  ["rows without cells give no table", [[], []], []],
  [
    "the first row is the header",
    [
      ["Region", "Q3"],
      ["South", "95"],
    ],
    ["| Region | Q3 |", "| --- | --- |", "| South | 95 |"],
  ],
  [
    "an empty first row is an empty header",
    [[], ["South", "95"]],
    ["|  |  |", "| --- | --- |", "| South | 95 |"],
  ],
  [
    "empty cells are kept, and short rows are filled up",
    [["a", "b", "c"], ["", "1"], []],
    ["| a | b | c |", "| --- | --- | --- |", "|  | 1 |  |", "|  |  |  |"],
  ],
  ["a pipe is escaped", [["a|b"]], [String.raw`| a\|b |`, "| --- |"]],
  [
    "a backslash is escaped only where it would escape what follows",
    [[String.raw`C:\temp`, String.raw`a\|b`, "end\\"]],
    [String.raw`| C:\temp | a\\\|b | end\\ |`, "| --- | --- | --- |"],
  ],
  [
    "line breaks become <br>, other whitespace one space",
    [[" one \r\n\n two ", "a \t b\u00a0c", "x\u2028y"]],
    ["| one<br>two | a b c | x<br>y |", "| --- | --- | --- |"],
  ],
  [
    "a literal <br> in the text is escaped",
    [["the <br> tag, a < b"]],
    [String.raw`| the \<br> tag, a < b |`, "| --- |"],
  ],
  ["other markup stays text", [["*a* <b>"]], ["| *a* <b> |", "| --- |"]],
];
test.each(cases)("%s", (_reason, rows, lines) => {
  expect(pipeTable(rows)).toEqual(lines);
});
