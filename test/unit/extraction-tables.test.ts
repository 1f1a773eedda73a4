/** Tables are found from words, rules and shaded areas only. */
import { describe, expect, test } from "bun:test";
import { findTables } from "../../plugins/extraction/child/tables/table-finder";
import type { Box, Drawing, Rule, Word } from "../../plugins/extraction/child/tables/geometry";

const size = 10;
let order = 0;
const widthOf = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (/[a-ht.]/.test(letter) ? 2.5 : 3.5), 0);
/** The words of a text that starts at this position. */
const words = (text: string, left: number, base: number): Word[] => {
  const all = text.split(" ");
  return all.map((word, at) => {
    const from = left + widthOf(all.slice(0, at).join(" ")) + (at > 0 ? 3 : 0);
    return {
      text: word,
      left: from,
      right: from + widthOf(word),
      bottom: base - 2,
      top: base + 8,
      base,
      size,
      weight: 400,
      order: order++,
      hyphenated: false,
    };
  });
};
/** Rows 20 points apart from 700 down; the columns start at these positions. */
const cells = (rows: readonly (readonly string[])[], lefts: readonly number[], top = 700): Word[] =>
  rows.flatMap((row, at) =>
    row.flatMap((cell, column) =>
      cell === "" ? [] : words(cell, lefts[column]! + 5, top - 20 * at),
    ),
  );
const across = (at: number, from: number, to: number): Rule => ({ at, from, to });
const nothing: Drawing = { across: [], down: [], fills: [] };
/** A rule around every cell. */
const grid = (lefts: readonly number[], rows: number, top = 700): Drawing => ({
  across: Array.from({ length: rows + 1 }, (_, at) =>
    across(top + 14 - 20 * at, lefts[0]!, lefts.at(-1)!),
  ),
  down: lefts.map((at) => ({ at, from: top + 14 - 20 * rows, to: top + 14 })),
  fills: [],
});
const shade = (at: number, from: number, to: number): Box => ({
  left: from,
  right: to,
  bottom: at - 6,
  top: at + 14,
});

const prices = [
  ["Berth", "Unit", "Price"],
  ["North quay", "day", "12.50"],
  ["South quay", "", "240.00"],
  ["Old basin", "week", "48.00"],
];
const [a, b, c, d] = [50, 200, 300, 400];
const lefts = [a, b, c];
const booktabs: Drawing = {
  ...nothing,
  across: [across(714, a, d), across(694, a, d), across(634, a, d)],
};
const prose = (left: number, lines: number): Word[] =>
  Array.from({ length: lines }, (_, at) =>
    words("several words that run on from line to line and fill it", left, 700 - 12 * at),
  ).flat();

describe("tables are found:", () => {
  const cases: [reason: string, words: Word[], drawing: Drawing, rows: string[][]][] = [
    ["rules around every cell", cells(prices, lefts), grid([a, b, c, d], 4), prices],
    ["three rules across", cells(prices, lefts), booktabs, prices],
    ["no rules, but columns of values", cells(prices, lefts), nothing, prices],
    [
      "years and amounts under wider column names",
      [
        ...words("Year", 98, 712),
        ...words("Freshwater ducks", 126, 712),
        ...cells(
          [
            ["2019", "120"],
            ["2020", "135"],
            ["2021", "150"],
            ["2022", "170"],
          ],
          [105, 155],
          699,
        ).map((word) => ({ ...word, base: 699 - (699 - word.base) * 0.65 })),
      ],
      nothing,
      [
        ["Year", "Freshwater ducks"],
        ["2019", "120"],
        ["2020", "135"],
        ["2021", "150"],
        ["2022", "170"],
      ],
    ],
    [
      "bullets in cells belong to their items",
      cells(
        [
          ["Berth", "•", "Deep at all tides"],
          ["", "•", "With a crane"],
          ["Quay", "•", "Shallow"],
        ],
        [a, b, b + 12],
      ),
      {
        across: [across(714, a, d), across(674, a, d), across(654, a, d)],
        down: [a, b, d].map((at) => ({ at, from: 654, to: 714 })),
        fills: [],
      },
      [
        ["Berth", "• Deep at all tides\n• With a crane"],
        ["Quay", "• Shallow"],
      ],
    ],
    [
      "grouped rows between two rules, with the group name centered",
      [
        ...cells([["Layers", "Form", "Score"]], lefts, 720),
        ...[
          ["6", "0.965", "0.969"],
          ["4", "0.938", "0.952"],
          ["2", "0.923", "0.945"],
        ].flatMap(([name, first, second], at) => [
          ...words(name!, a + 5, 694 - 40 * at),
          ...cells([["", "OTSL", first!]], lefts, 700 - 40 * at),
          ...cells([["", "HTML", second!]], lefts, 688 - 40 * at),
        ]),
      ],
      { ...nothing, across: [734, 714, 674, 634, 594].map((at) => across(at, a, d)) },
      [
        ["Layers", "Form", "Score"],
        ["6", "OTSL", "0.965"],
        ["", "HTML", "0.969"],
        ["4", "OTSL", "0.938"],
        ["", "HTML", "0.952"],
        ["2", "OTSL", "0.923"],
        ["", "HTML", "0.945"],
      ],
    ],
    [
      "a second cell with several lines",
      [
        ...cells([["Shops", "bakeries, markets, grocers and all stalls"]], [a, b]),
        ...words("that sell by the week, libraries, florists, smiths", b + 5, 688),
        ...cells([["Fuel", "all stations"]], [a, b], 660),
      ],
      { ...nothing, across: [714, 674, 640].map((at) => across(at, a, 420)) },
      [
        [
          "Shops",
          "bakeries, markets, grocers and all stalls that sell by the week, libraries, florists, smiths",
        ],
        ["Fuel", "all stations"],
      ],
    ],
    [
      "a rule only below the header",
      cells(prices, lefts),
      { ...nothing, across: [across(694, a, d)] },
      prices,
    ],
    [
      "every second row shaded",
      cells(prices, lefts),
      { ...nothing, fills: [shade(680, a, d), shade(640, a, d)] },
      prices,
    ],
    [
      "a dashed rule, and a rule drawn twice",
      cells(prices, lefts),
      {
        ...booktabs,
        across: [714, 713, 694, 634].flatMap((at) =>
          Array.from({ length: 50 }, (_, i) => across(at, a + 7 * i, a + 7 * i + 5)),
        ),
      },
      prices,
    ],
    [
      "a cell of two lines",
      [...cells(prices, lefts), ...words("beside the tower", a + 5, 674.5)],
      grid([a, b, c, d], 4),
      prices.map((row, at) => (at === 1 ? ["North quay beside the tower", "day", "12.50"] : row)),
    ],
    [
      "a cell over two columns",
      cells([["Both", "", "Price"], ...prices.slice(1)], lefts),
      {
        ...grid([a, b, c, d], 4),
        down: [a, c, d]
          .map((at) => ({ at, from: 634, to: 714 }))
          .concat({ at: b, from: 634, to: 694 }),
      },
      [["Both", "", "Price"], ...prices.slice(1)],
    ],
    [
      "a cell over two rows",
      cells(prices, lefts),
      {
        ...grid([a, b, c, d], 4),
        across: [714, 694, 674, 634]
          .map((at) => across(at, a, d))
          .concat([across(654, a, b), across(654, c, d)]),
      },
      [
        ["Berth", "Unit", "Price"],
        ["North quay", "day", "12.50"],
        ["South quay", "week", "240.00"],
        ["Old basin", "", "48.00"],
      ],
    ],
    [
      "a header over two columns with its own rule",
      cells([["", "Dues", ""], ["Berth", "Unit", "Price"], ...prices.slice(1)], lefts, 720).map(
        (word) => (word.text === "Dues" ? { ...word, left: 280, right: 300 } : word),
      ),
      { ...booktabs, across: [...booktabs.across, across(734, a, d), across(715, b, d)].slice(1) },
      [["", "Dues", ""], ["Berth", "Unit", "Price"], ...prices.slice(1)],
    ],
    [
      "currency signs belong to their numbers",
      cells(
        [
          ["Berth", "Unit", "", "Price"],
          ["North quay", "day", "$", "12.50"],
          ["South quay", "day", "$", "240.00"],
          ["Old basin", "week", "$", "48.00"],
        ],
        [a, b, c, c + 40],
      ),
      { ...nothing, across: [across(714, a, d), across(694, a, d), across(634, a, d)] },
      [
        ["Berth", "Unit", "Price"],
        ["North quay", "day", "$ 12.50"],
        ["South quay", "day", "$ 240.00"],
        ["Old basin", "week", "$ 48.00"],
      ],
    ],
    [
      "right-to-left text: the first column is the rightmost",
      cells(
        [
          ["السعر", "الوحدة"],
          ["12", "يوم"],
          ["48", "أسبوع"],
        ],
        [a, b],
      ),
      grid([a, b, c], 3),
      [
        ["الوحدة", "السعر"],
        ["يوم", "12"],
        ["أسبوع", "48"],
      ],
    ],
  ];
  test.each(cases)("%s", (_reason, page, drawing, rows) => {
    expect(findTables(page, drawing).map((table) => table.rows)).toEqual([rows]);
  });

  test("two side by side stay separate", () => {
    const left = cells(prices, lefts);
    const right = cells(prices, [450, 550, 620]);
    const [one, other] = [grid([a, b, c, d], 4), grid([450, 550, 620, 700], 4)];
    const found = findTables([...left, ...right], {
      across: [...one.across, ...other.across],
      down: [...one.down, ...other.down],
      fills: [],
    });
    expect(found.map((table) => [table.left, table.rows])).toEqual([
      [450, prices],
      [50, prices],
    ]);
  });
});

describe("no table is found:", () => {
  const rows = (texts: readonly string[][]): Word[] => cells(texts, [a, 250]);
  const cases: [reason: string, words: Word[], drawing: Drawing][] = [
    ["an empty page", [], nothing],
    ["running text", prose(a, 20), nothing],
    ["text in two columns", [...prose(a, 20), ...prose(320, 20)], nothing],
    [
      "text in two columns between two rules",
      [...prose(a, 20), ...prose(320, 20)],
      { ...nothing, across: [across(720, a, 560), across(400, a, 560)] },
    ],
    ["a frame around text", prose(a, 5), grid([40, 400], 5)],
    [
      "a form with labels and blanks",
      rows([
        ["Name:", "________"],
        ["Street:", "________"],
        ["City:", "________"],
        ["Age:", "________"],
      ]),
      nothing,
    ],
    [
      "titles and their page numbers",
      rows([
        ["Introduction", "1"],
        ["Berths", "3"],
        ["Cranes", "12"],
        ["Ferries", "27"],
      ]),
      nothing,
    ],
    [
      "a numbered list",
      cells(
        [
          ["1.", "Look at the berth"],
          ["2.", "Call the harbour master"],
          ["3.", "Wait for an answer"],
          ["4.", "Go in"],
        ],
        [a, a + 30],
      ),
      nothing,
    ],
    [
      "a numbered list below numbered titles, with rules around",
      cells(
        [
          ["5.", "MOORING"],
          ["5.1", "Limits"],
          ["(1)", "Length: 24 m"],
          ["(2)", "Draught: 3 m"],
          ["(3)", "Power: 16 A"],
        ],
        [a, a + 30],
      ),
      grid([a, a + 30, 560], 5),
    ],
    [
      "sentences in two columns above the labels of a figure, with rules around",
      rows([
        ["8 CRANES", "of each lift, and they call"],
        ["The crew looks after the ropes", "the master when one of them is"],
        ["before they begin with the work", "worn, which is seldom. A look"],
        ["that was planned for the day", "at the log tells how old it is"],
        ["Hook", "Jib"],
        ["Rope", "Mast"],
      ]),
      grid([a, 250, 560], 6),
    ],
    [
      "numbered formulas",
      rows([
        ["x + y = z", "(1)"],
        ["a b = c d", "(2)"],
        ["p - q = r", "(3)"],
        ["s / t = u", "(4)"],
      ]),
      nothing,
    ],
    [
      "the grid of a chart with few words in it",
      words("Sales 1999", 60, 690),
      grid([a, 100, 150, 200, 250, 300], 8),
    ],
  ];
  test.each(cases)("%s", (_reason, page, drawing) => {
    expect(findTables(page, drawing)).toEqual([]);
  });
});

describe("hostile pages", () => {
  const many = 100_000;
  const cases: [reason: string, words: Word[], drawing: Drawing][] = [
    [
      "countless rules",
      cells(prices, lefts),
      {
        across: Array.from({ length: many }, (_, at) => across(at * 4, 0, 500)),
        down: Array.from({ length: many }, (_, at) => ({ at: at * 4, from: 0, to: 500 })),
        fills: [],
      },
    ],
    [
      "countless shaded areas",
      prose(a, 3),
      {
        ...nothing,
        fills: Array.from({ length: many }, (_, at) => shade(at * 7, at % 50, 100 + (at % 90))),
      },
    ],
    [
      "many words in many columns",
      Array.from({ length: 19_000 }, (_, at) =>
        words("x1", (at % 97) * 20, 9_000 - 12 * Math.floor(at / 97)),
      ).flat(),
      nothing,
    ],
    [
      "countless words",
      Array.from({ length: many }, (_, at) => words("x", (at % 300) * 20, at / 300)).flat(),
      nothing,
    ],
  ];
  test.each(cases)("%s give no table", (_reason, page, drawing) => {
    expect(findTables(page, drawing).length).toBeLessThan(2);
  });
});
