/** Spreadsheet cell values, formatted as the sheet shows them. */
import { expect, test } from "bun:test";
import { cellFormat, formatCell, formatText } from "../../plugins/extraction/child/cell-values";

const numbers: [reason: string, format: string | number, raw: string, shown: string][] = [
  ["a general number has fifteen digits", 0, "0.30000000000000004", "0.3"],
  ["a long fraction is cut as in a column", 0, "0.333333333333333", "0.333333333"],
  ["an article number keeps all its digits", 0, "4006381333931", "4006381333931"],
  ["a value that isn't a number is kept", 0, "#DIV/0!", "#DIV/0!"],
  ["groups of thousands", "#,##0.00", "1250.5", "1,250.50"],
  ["percent", "0.0%", "0.4", "40.0%"],
  ["a date as written", "dd/mm/yyyy", "47921", "14/03/2031"],
  ["a date in the language of its format", "[$-407]d. mmmm yyyy", "47921", "14. März 2031"],
  ["the system's short date is written as ISO", 14, "47921", "2031-03-14"],
  [
    "the system's long date is written as ISO",
    "[$-F800]dddd, mmmm dd, yyyy",
    "47921",
    "2031-03-14",
  ],
  ["a time", 20, "0.75", "18:00"],
  ["a duration", 46, "1.5", "36:00:00"],
  ["a number before the first date is kept", "yyyy-mm-dd", "-5", "-5"],
  ["currency, aligned", '_("$"* #,##0.00_);_("$"* (#,##0.00)', "1234.5", "$1,234.50"],
  ["a negative number in brackets", "#,##0_);(#,##0)", "-1250", "(1,250)"],
  ["a fraction", "# ?/?", "2.5", "2 1/2"],
  ["scientific notation", "0.00E+00", "12345", "1.23E+04"],
  ["sections and colours", '[Red]-0;[Blue]0;"none"', "0", "none"],
  ["a unit", '0.0" m"', "7.25", "7.3 m"],
  ["millions", '#,##0.0,,"M"', "1234567", "1.2M"],
  ["a hidden number", ";;;", "5", ""],
  ["an invalid format", "bad[", "3.5", "3.5"],
];
test.each(numbers)("%s", (_reason, format, raw, shown) => {
  const used = typeof format === "number" ? cellFormat(format, undefined) : cellFormat(164, format);
  expect(formatCell(raw, used, false)).toBe(shown);
});

test("dates of workbooks with the 1904 date system", () => {
  expect(formatCell("46459", cellFormat(164, "d mmm yyyy"), true)).toBe("14 Mar 2031");
});
test("texts use the last section of a format", () => {
  expect(formatText("abc", cellFormat(164, '0;-0;0;"part "@'))).toBe("part abc");
  expect(formatText("abc", cellFormat(2, undefined))).toBe("abc");
});
