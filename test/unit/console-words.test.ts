/** How the console writes numbers, sizes and times for people. */
import { describe, expect, test } from "bun:test";
import { plainText } from "../../plugins/console/web/reader/plain-text";
import { reflowed } from "../../plugins/console/web/reader/reflow";
import { axisOf } from "../../plugins/console/web/ui/chart-axis";
import { formatDateTime } from "../../plugins/console/web/ui/format";
import { forPeople } from "../../plugins/console/web/ui/sentence";

const moment = "2026-11-23T03:45:34.612Z";
const mib = 2 ** 20;

describe("a sentence from the server", () => {
  test.each([
    ["gets readable times", `Tried at ${moment}.`, `Tried at ${formatDateTime(moment)}.`],
    ["doesn't repeat the time zone", `It is ${moment} (UTC).`, `It is ${formatDateTime(moment)}.`],
    ["gets sizes in the console's units", "59.8 GiB are free.", "60 GB are free."],
    [
      "gets small sizes in the console's units",
      "At most 512KiB, or 1.5 MiB.",
      "At most 512 KB, or 1.5 MB.",
    ],
    ["is otherwise unchanged", "2026-11-23 has 3 GiBs.", "2026-11-23 has 3 GiBs."],
  ])("%s", (_reason, expected, shown) => {
    expect(forPeople(expected)).toBe(shown);
  });
});

describe("the axis of a chart", () => {
  test.each([
    ["for zero has only zero", 0, false, [0]],
    ["has no fractions of a count", 1, false, [1, 0]],
    ["for small counts has every number", 3, false, [3, 2, 1, 0]],
    ["ends close above the maximum", 2_200, false, [3_000, 2_000, 1_000, 0]],
    [
      "for bytes has round numbers of their unit",
      3.2 * mib,
      true,
      [4, 3, 2, 1, 0].map((n) => n * mib),
    ],
    ["for one byte has no fractions", 1, true, [1, 0]],
  ])("%s", (_reason, value, binary, values) => {
    expect(axisOf(value, binary)).toEqual(values);
  });
});

describe("a passage on one line", () => {
  test.each([
    ["joins lines", "The hut\nhas beds.\n\nIt is cold.", "The hut has beds. It is cold."],
    ["separates a heading from what follows", "## Fees\n\nFor a night.", "Fees · For a night."],
    [
      "has table rows without bars, rules and empty cells",
      "| Buoy | Depth |\n|---|--:|\n| Gull \\| Tern | 11.5 |\n| | 3 |\nAfter it.",
      "Buoy, Depth · Gull | Tern, 11.5 · 3 · After it.",
    ],
    ["has list items without bullets", "- **Left** at the cairn\n- `up`", "Left at the cairn · up"],
    ["has the text of links", "See [the map](https://example.com/a_(b)).", "See the map."],
    ["keeps names, options and sums", "a_b_c -a* 2*3*4 x|y", "a_b_c -a* 2*3*4 x|y"],
  ])("%s", (_reason, markdown, shown) => {
    expect(plainText(markdown)).toBe(shown);
  });
});

describe("the lines of a page", () => {
  const full = "The hut has thirty-two beds in four rooms and holds no more.";
  const nearly = "It may hold thirty-two people overnight, in every weather.";
  const verse = "The ferry comes by night\nand leaves no mark\nupon the shore";
  test.each([
    [
      "are joined within a paragraph",
      `${full}\n${nearly}\nand no more.`,
      `${full} ${nearly} and no more.`,
    ],
    ["are not joined across paragraphs", `${full}\n\n${full}`, `${full}\n\n${full}`],
    ["keep their break when they end early", `${full}\nShort.\n${full}`, `${full} Short.\n${full}`],
    [
      "keep their breaks before list items",
      `${full}\n- ${full}\n2. ${full}`,
      `${full}\n- ${full}\n2. ${full}`,
    ],
    ["of verse keep their breaks", verse, verse],
  ])("%s", (_reason, written, shown) => {
    expect(reflowed(written)).toBe(shown);
  });
});
