/** Lines are joined into paragraphs by their position on the page. */
import { describe, expect, test } from "bun:test";
import { joinLines, type Line } from "../../plugins/extraction/child/paragraphs";

const full = "words that fill the line from edge to edge";
/** A line at the left edge by default; 400 points wide when it is full. */
const line = (text: string, base: number, place: Partial<Line> = {}): Line => ({
  text,
  base,
  left: 0,
  size: 10,
  hyphenated: false,
  weight: 400,
  right: (place.left ?? 0) + (text.length * 400) / full.length,
  ...place,
});

describe("lines of a page:", () => {
  const cases: [string, Line[], string[]][] = [
    ["the usual distance joins lines", [line(full, 700), line(full, 688)], ["\n"]],
    [
      "a larger distance starts a paragraph",
      [line(`${full}.`, 700), line("The next one", 682)],
      ["\n\n"],
    ],
    [
      "a larger distance within a sentence doesn't",
      [line(full, 700), line("goes on below a formula", 682)],
      ["\n"],
    ],
    [
      "a very large distance within a sentence does",
      [line(full, 700), line("goes on nowhere near", 600)],
      ["\n\n"],
    ],
    [
      "wide spacing throughout counts as usual",
      [700, 676, 652, 628, 604].map((base) => line(full, base)),
      ["\n", "\n", "\n", "\n"],
    ],
    [
      "slightly more than the usual distance starts a paragraph",
      [700, 686, 672, 658, 644]
        .map((base) => line(`${full}.`, base))
        .concat(line("After three points more", 627)),
      ["\n", "\n", "\n", "\n", "\n\n"],
    ],
    [
      "an indented first line starts a paragraph",
      [line(`${full}.`, 700), line("The next one", 688, { left: 15 }), line(full, 676)],
      ["\n\n", "\n"],
    ],
    [
      "a hanging indent stays one paragraph",
      [
        line("• An item of a list that goes on and goes on", 700),
        line("in a second line", 688, { left: 10 }),
        line("• The next item", 676),
      ],
      ["\n", "\n"],
    ],
    [
      "a short line with a full stop ends a paragraph",
      [
        line(full, 700),
        line("It ends here.", 688),
        line("Another one begins, and it goes on to the edge", 676),
      ],
      ["\n", "\n\n"],
    ],
    [
      "a short line doesn't when the next word would not have fitted",
      [
        line(full, 700),
        line("It ends almost at the edge, but not there.", 688, { right: 390 }),
        line("Nevertheless it goes on", 676),
      ],
      ["\n", "\n"],
    ],
    [
      "short lines without full stops stay together as a list or table",
      [line("Gannet Buoy 11.5", 700), line("Puffin Ring 7.25", 688), line(full, 676)],
      ["\n", "\n"],
    ],
    [
      "a heading in larger type stands alone",
      [line("Moorings", 700, { size: 16 }), line(full, 682)],
      ["\n\n"],
    ],
    [
      "small type below stands alone",
      [line(full, 700), line("A note in small type", 688, { size: 7 })],
      ["\n\n"],
    ],
    [
      "a hyphenated word is never split",
      [line("the north-west break", 700, { hyphenated: true }), line("Water", 500)],
      ["-\n"],
    ],
    [
      "a sentence continues in the next column",
      [line(full, 100), line("and goes on at its top", 700, { left: 450 })],
      ["\n"],
    ],
    [
      "a sentence continues in the next column with a capital",
      [line(full, 112), line(full, 100), line("Kittiwake and her crew", 700, { left: 450 })],
      ["\n", "\n"],
    ],
    [
      "after a full stop, the next column starts a paragraph",
      [line(`${full}.`, 100), line("Another subject", 700, { left: 450 })],
      ["\n\n"],
    ],
    [
      "two pieces on one line are joined with a space",
      [line("Left", 700, { right: 50 }), line("right", 700.4, { left: 56 })],
      [" "],
    ],
    [
      "adjacent pieces are joined without a space",
      [line("Eich", 700, { right: 50 }), line(", Shaver", 700, { left: 50.5 })],
      [""],
    ],
    [
      "pieces far apart stay separate lines",
      [line("Left", 700, { right: 50 }), line("right", 700, { left: 300 })],
      ["\n"],
    ],
  ];
  for (const [why, lines, separators] of cases) {
    test(why, () =>
      expect(joinLines(lines).text).toBe(
        lines.map(({ text }, at) => text + (separators[at] ?? "")).join(""),
      ),
    );
  }
});

test("a page without lines has no text", () =>
  expect(joinLines([])).toEqual({ text: "", places: [] }));

describe("dots that lead to a number", () => {
  const cases: [why: string, text: string, joined: string][] = [
    ["a long row is shortened", `Permit ${".".repeat(90)} $35`, "Permit ........ $35"],
    ["so is one with spaces", `Permit ${". ".repeat(40)}$35`, "Permit . . . . $35"],
    ["so is one without a number", `Permit ${".".repeat(90)}`, "Permit ........"],
    ["a short row stays", "Permit ....... $35", "Permit ....... $35"],
    ["an ellipsis stays", "and so on ...", "and so on ..."],
  ];
  for (const [why, text, joined] of cases)
    test(why, () => {
      const { text: page, places } = joinLines([line(text, 700), line("The next one", 600)]);
      expect(page).toBe(`${joined}\n\nThe next one`);
      expect(places[0]).toEqual({ start: 0, end: joined.length });
    });
});
