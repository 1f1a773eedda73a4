/** How the console writes numbers, sizes and times for people. */
import { describe, expect, test } from "bun:test";
import { plainText } from "../../plugins/console/web/reader/plain-text";
import { reflowed } from "../../plugins/console/web/reader/reflow";
import { axisOf } from "../../plugins/console/web/ui/chart-axis";
import { formatDateTime } from "../../plugins/console/web/ui/format";
import { forPeople } from "../../plugins/console/web/ui/sentence";

const moment = "2026-11-23T03:45:34.612Z";
const mib = 2 ** 20;

describe("a sentence of the server", () => {
  test.each([
    [
      "has its times as people write them",
      `Tried at ${moment}.`,
      `Tried at ${formatDateTime(moment)}.`,
    ],
    [
      "does not name their zone twice",
      `It is ${moment} (UTC).`,
      `It is ${formatDateTime(moment)}.`,
    ],
    ["has sizes as everywhere else", "59.8 GiB are free.", "60 GB are free."],
    ["of small sizes", "At most 512KiB, or 1.5 MiB.", "At most 512 KB, or 1.5 MB."],
    ["is left alone otherwise", "2026-11-23 has 3 GiBs.", "2026-11-23 has 3 GiBs."],
  ])("%s", (_reason, said, shown) => {
    expect(forPeople(said)).toBe(shown);
  });
});

describe("the axis of a chart", () => {
  test.each([
    ["of nothing has nothing", 0, false, [0]],
    ["has no halves of what is counted", 1, false, [1, 0]],
    ["of few", 3, false, [3, 2, 1, 0]],
    ["does not reach far above", 2_200, false, [3_000, 2_000, 1_000, 0]],
    [
      "of bytes has round numbers of their unit",
      3.2 * mib,
      true,
      [4, 3, 2, 1, 0].map((n) => n * mib),
    ],
    ["of one byte", 1, true, [1, 0]],
  ])("%s", (_reason, value, binary, values) => {
    expect(axisOf(value, binary)).toEqual(values);
  });
});

describe("a passage in one line", () => {
  test.each([
    ["joins lines", "The hut\nhas beds.\n\nIt is cold.", "The hut has beds. It is cold."],
    ["parts a heading from what follows", "## Fees\n\nFor a night.", "Fees · For a night."],
    [
      "has rows of tables without bars, rules and empty cells",
      "| Buoy | Depth |\n|---|--:|\n| Gull \\| Tern | 11.5 |\n| | 3 |\nAfter it.",
      "Buoy, Depth · Gull | Tern, 11.5 · 3 · After it.",
    ],
    ["has items without marks", "- **Left** at the cairn\n- `up`", "Left at the cairn · up"],
    ["has the words of links", "See [the map](https://example.com/a_(b)).", "See the map."],
    ["leaves names, options and sums alone", "a_b_c -a* 2*3*4 x|y", "a_b_c -a* 2*3*4 x|y"],
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
      "run on within a paragraph",
      `${full}\n${nearly}\nand no more.`,
      `${full} ${nearly} and no more.`,
    ],
    ["end with it", `${full}\n\n${full}`, `${full}\n\n${full}`],
    ["that end early end by themselves", `${full}\nShort.\n${full}`, `${full} Short.\n${full}`],
    ["begin items", `${full}\n- ${full}\n2. ${full}`, `${full}\n- ${full}\n2. ${full}`],
    ["that are verses stay", verse, verse],
  ])("%s", (_reason, written, shown) => {
    expect(reflowed(written)).toBe(shown);
  });
});
