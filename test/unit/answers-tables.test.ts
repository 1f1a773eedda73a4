/** Answers from table rows: the requested cell, with the headers of its row and column. */
import { expect, test } from "bun:test";
import { sentenceOfRow, tableRows } from "../../plugins/answers-extractive/table-row";
import { sentencesOf } from "../../plugins/search/sentences";

const table = [
  "Revenue of 2024, in millions.",
  "",
  "| Region | Q1 | Q2 | Q3 |",
  "| --- | --- | --- | --- |",
  "| North | 80 | 82 | 91 |",
  "| South | 60 |  | 95 |",
  "| East \\| West | 70 | 71 | 72 |",
].join("\n");
const rows_only = table.split("\n").slice(4).join("\n");

type Answer = { readonly text: string; readonly is_exact: boolean };
/** The answer from the row that shares the most words with the question. */
function answered(question: string, text: string, heading: string | null = null): Answer {
  const words = new Set(question.toLowerCase().match(/\w+/g));
  const weightOf = (part: string): number =>
    (part.toLowerCase().match(/\w+/g) ?? []).filter((word) => words.has(word)).length;
  const rows = [...tableRows(text, sentencesOf(text), heading).values()];
  const best = rows.toSorted(
    (a, b) => weightOf(b.cells.join(" ")) - weightOf(a.cells.join(" ")),
  )[0]!;
  return sentenceOfRow(best, weightOf);
}

const cases: [reason: string, question: string, text: string, heading: string | null, Answer][] = [
  [
    "a row and a column are named",
    "revenue of South in Q3",
    table,
    null,
    { text: "Q3, South: 95", is_exact: true },
  ],
  [
    "the cell is empty",
    "revenue of South in Q2",
    table,
    null,
    { text: "Q2, South: –", is_exact: false },
  ],
  [
    "only a row is named: all of it, without empty cells",
    "revenue of South",
    table,
    null,
    { text: "South: Q1 60, Q3 95", is_exact: false },
  ],
  [
    "two columns are named",
    "South in Q1 and Q3",
    table,
    null,
    { text: "Q1, South: 60; Q3, South: 95", is_exact: true },
  ],
  [
    "the first row of a table without heads says something",
    "the net mean",
    "| Mean | The net mean of all the prices. |\n| --- | --- |\n| Last | The last price. |",
    null,
    { text: "Mean, The net mean of all the prices.", is_exact: false },
  ],
  [
    "the other rows don't have it as heads",
    "the low",
    "| Mean | One of all those prices. |\n| --- | --- |\n| Low | Smallest of those prices. |",
    null,
    { text: "Low: Smallest of those prices.", is_exact: false },
  ],
  [
    "a cell with an escaped pipe",
    "East in Q1",
    table,
    null,
    { text: "Q1, East | West: 70", is_exact: true },
  ],
  [
    "the row is identified by a value",
    "Which region had 95 in Q3",
    table,
    null,
    { text: "Region, 95: South", is_exact: true },
  ],
  [
    "a number that the question has is not what the row is about",
    "which is larger, 91 or 95",
    table,
    null,
    { text: "North: Q1 80, Q2 82, Q3 91", is_exact: false },
  ],
  [
    "the table is in an item of a list",
    "who decides on long trips",
    "- Trips:\n\n  | Trip | Decides |\n  |---|---|\n  | short | team |\n  | long | board |\n\n- End.",
    null,
    { text: "Decides, long: board", is_exact: true },
  ],
  [
    "the column headers come from the heading, within a long table",
    "South in Q3",
    rows_only,
    "Report › Region | Q1 | Q2 | Q3",
    { text: "Q3, South: 95", is_exact: true },
  ],
  [
    "without column headers, only the cells are given",
    "South in Q3",
    rows_only,
    "Report",
    { text: "South: 60, 95", is_exact: false },
  ],
  [
    "a table of numbered entries has no heads, even if its first row is marked as one",
    "what does level 4 show",
    "| 1 | errors |\n| --- | --- |\n| 2 | warnings |\n| 4 | requests |",
    null,
    { text: "4: requests", is_exact: false },
  ],
  [
    "that row is an entry itself",
    "what does -a show",
    "| -a | all files |\n| --- | --- |\n| -b | blocks |",
    null,
    { text: "-a: all files", is_exact: false },
  ],
  [
    "numbers that are heads stay heads",
    "North in 2024",
    "| 2023 | 2024 | Region |\n| --- | --- | --- |\n| n/a | 82 | North |",
    null,
    { text: "2024, North: 82", is_exact: true },
  ],
];
test.each(cases)("%s", (_reason, question, text, heading, answer) => {
  expect(answered(question, text, heading)).toEqual(answer);
});
