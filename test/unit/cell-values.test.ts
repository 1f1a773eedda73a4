/** Values of spreadsheet cells by their number formats: what the sheet shows. */
import { expect, test } from "bun:test";
import { cellFormat, formatCell, formatText } from "../../plugins/extraction/child/cell-values";

const numbers: [reason: string, format: string | number, raw: string, shown: string][] = [
  ["an ordinary number has fifteen digits", 0, "0.30000000000000004", "0.3"],
  ["a long fraction is cut as in its column", 0, "0.333333333333333", "0.333333333"],
  ["a number of a thing keeps all digits", 0, "4006381333931", "4006381333931"],
  ["what is no number stays", 0, "#DIV/0!", "#DIV/0!"],
  ["groups of thousands", "#,##0.00", "1250.5", "1,250.50"],
  ["percent", "0.0%", "0.4", "40.0%"],
  ["a date as written", "dd/mm/yyyy", "47921", "14/03/2031"],
  ["a date in the language of its format", "[$-407]d. mmmm yyyy", "47921", "14. März 2031"],
  ["a date of the system reads the same everywhere", 14, "47921", "2031-03-14"],
  ["the long date of the system, too", "[$-F800]dddd, mmmm dd, yyyy", "47921", "2031-03-14"],
  ["a time", 20, "0.75", "18:00"],
  ["a duration", 46, "1.5", "36:00:00"],
  ["no date before the first", "yyyy-mm-dd", "-5", "-5"],
  ["currency, aligned", '_("$"* #,##0.00_);_("$"* (#,##0.00)', "1234.5", "$1,234.50"],
  ["a negative number in brackets", "#,##0_);(#,##0)", "-1250", "(1,250)"],
  ["a fraction", "# ?/?", "2.5", "2 1/2"],
  ["scientific", "0.00E+00", "12345", "1.23E+04"],
  ["sections and colours", '[Red]-0;[Blue]0;"none"', "0", "none"],
  ["a unit", '0.0" m"', "7.25", "7.3 m"],
  ["millions", '#,##0.0,,"M"', "1234567", "1.2M"],
  ["a hidden number", ";;;", "5", ""],
  ["a format that is none", "bad[", "3.5", "3.5"],
];
test.each(numbers)("%s", (_reason, format, raw, shown) => {
  const used = typeof format === "number" ? cellFormat(format, undefined) : cellFormat(164, format);
  expect(formatCell(raw, used, false)).toBe(shown);
});

test("dates of workbooks that count from 1904", () => {
  expect(formatCell("46459", cellFormat(164, "d mmm yyyy"), true)).toBe("14 Mar 2031");
});
test("texts by the last part of a format", () => {
  expect(formatText("abc", cellFormat(164, '0;-0;0;"part "@'))).toBe("part abc");
  expect(formatText("abc", cellFormat(2, undefined))).toBe("abc");
});
