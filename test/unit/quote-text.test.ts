/** The headings that a quote begins with are left out, whatever signs they have. */
import { expect, test } from "bun:test";
import { belowHeadings } from "../../plugins/answers-extractive/quote-text";

const cases: [why: string, heading: string][] = [
  ["a hyphen", "3.2 Command-line options"],
  ["signs of regular expressions", "14.1 [set|get]{x}(a+b)*?^$."],
  ["a backslash and a slash", "\\input and /output"],
  ["a path of two", "Paper size › Two-sided - or not"],
];
for (const [why, heading] of cases)
  test(`a heading with ${why}`, () => {
    const text = `${heading.split(" › ").join("\n\n")}\n\nIt says something.`,
      { start, end } = belowHeadings(text, { start: 0, end: text.length }, heading);
    expect(text.slice(start, end)).toBe("It says something.");
  });
