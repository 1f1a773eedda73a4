/**
 * How the console and the command line name the place of a citation (page, time or section), and
 * how the command line prints its quote.
 */
import { expect, test } from "bun:test";
import { linesOf } from "../../plugins/client/ask";
import type { Passage } from "../../plugins/console/web/api/types";
import { citationText, furtherHeadings } from "../../plugins/console/web/reader/location";

const cases: [why: string, place: Partial<Passage>, console: string, command_line: string][] = [
  ["a page", { page: 3, page_end: 3 }, "a.x, p. 3", "a.x, page 3"],
  [
    "a page range takes precedence over the heading",
    { page: 3, page_end: 4, heading: "Use" },
    "a.x, p. 3–4",
    "a.x, pages 3–4",
  ],
  ["a time in a recording", { time_start: 62 }, "a.x, 1:02", "a.x"],
  ["the nearest heading", { heading: "Guide › Use › Filters" }, "a.x › Filters", "a.x › Filters"],
  [
    "the heading above a table, not its column headers",
    { heading: "Guide › Limits › what | limit" },
    "a.x › Limits",
    "a.x › Limits",
  ],
  ["column headers only", { heading: "what | limit" }, "a.x", "a.x"],
  ["no place", {}, "a.x", "a.x"],
];
for (const [why, place, in_console, on_command_line] of cases)
  test(why, () => {
    const passage = {
      document_name: "a.x",
      quote: "It holds.",
      page: null,
      page_end: null,
      page_label: null,
      time_start: null,
      heading: null,
      ...place,
    } as Passage;
    expect(citationText(passage)).toBe(in_console);
    const lines = linesOf({
      answer: "It holds. [1]",
      outcome: "answered",
      warnings: [],
      citations: [{ ...passage, id: 1 }],
    });
    expect(lines).toContain(`[1] ${on_command_line}`);
  });

const headings: [why: string, place: Partial<Passage>, shown: string | null][] = [
  ["beside a page", { page: 3, page_end: 3, heading: "Use" }, "Use"],
  ["not beside the same heading", { heading: "Use" }, null],
  ["beside the nearest of several", { heading: "Guide › Use" }, "Guide › Use"],
  ["of a table, beside the document's name", { heading: "what | limit" }, "what | limit"],
  ["of a passage without any", {}, null],
];
for (const [why, place, shown] of headings)
  test(`headings are shown in a list of passages ${why}`, () => {
    const passage = { document_name: "a.x", page: null, time_start: null, heading: null, ...place };
    expect(furtherHeadings(passage as Passage)).toBe(shown);
  });

const quotes: [why: string, quote: string, printed: string][] = [
  ["with prose on one line", "It holds\n  two litres.", "    “It holds two litres.”"],
  [
    "with code lines kept",
    "Clean it so:\n\n```sh\npump clean\n```",
    "    “Clean it so:\n\n    ```sh\n    pump clean\n    ```”",
  ],
];
for (const [why, quote, printed] of quotes)
  test(`a quote is printed ${why}`, () => {
    const place = { page: null, page_end: null, page_label: null, heading: null };
    const lines = linesOf({
      answer: "It does. [1]",
      outcome: "answered",
      warnings: [],
      citations: [{ id: 1, document_name: "a.x", quote, ...place }],
    });
    expect(lines).toContain(printed);
  });
